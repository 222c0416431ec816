import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import type { FixtureArticle } from '../../fixtures/articles.ts';
import {
  type Fault,
  type FaultRule,
  type FixtureService,
  type ServiceOptions,
  startService,
} from '../../fixtures/service.ts';
import { siteAt } from '../../src/content/site-state.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import {
  type Load,
  type LoadFailure,
  type LoadMore,
  loadSite,
  servedBy,
  shownIn,
  siteState,
} from './load-site.ts';
import { createLoaderContext } from './loader-context.ts';
import { findMirror } from './mirror-folder.ts';
import { speedUp } from './time.ts';

export * from './load-site.ts';

export const always = Number.POSITIVE_INFINITY;

/** The key of the fixture service in these tests, which no other text contains. */
export const key = 'load-test-key-4711';

/** A site in a temporary folder, and the service that its articles come from. */
export interface TestSite {
  readonly root: string;
  readonly service: FixtureService;
  /** Loads the collection as a build does, with Astro's store of the last load. */
  load(options?: ArticlesOptions, more?: LoadMore): Promise<Load>;
  /** Loads, and expects exactly the articles of the service. */
  loadExactly(options?: ArticlesOptions, more?: LoadMore): Promise<Load>;
  /** Loads, and expects a failure that changes nothing. */
  loadFails(options?: ArticlesOptions, more?: LoadMore): Promise<LoadFailure>;
  /** Makes the service fail until the end of the test, or a number of times. */
  strike(on: FaultRule['on'], fault: Fault, times?: number, skip?: number): void;
  /** Returns all data that a load may change: see `siteState()`. */
  state(): Promise<Record<string, string>>;
  /** The folder of the collection's mirror. */
  mirror(): Promise<string>;
}

export interface TestSiteOptions {
  /** Options of the fixture service. Changes to them are undone after each test. */
  service?: ServiceOptions;
  /** The articles of the service at the start of each test. */
  articles?: () => FixtureArticle[];
  /** Options for every load. */
  options?: ArticlesOptions;
  /** Environment variables for every load. */
  env?: LoadMore['env'];
  /** Whether each test starts with a site that was loaded once. @default false */
  loaded?: boolean;
}

/** The factor by which pauses and time limits are shorter. */
const haste = 40;

/** Starts a service for the tests of a file, and creates a new site for each test. */
export function useSite(siteOptions: TestSiteOptions = {}): TestSite {
  const { articles = () => [], loaded = false } = siteOptions;
  let service: FixtureService;
  let serviceOptions: ServiceOptions;
  let root: string;
  let template: string;
  let undo: (() => void)[] = [];

  beforeAll(async () => {
    service = await startService({ apiKey: key, articles: articles(), ...siteOptions.service });
    serviceOptions = { ...service.options };
    template = root = await mkdtemp(join(tmpdir(), 'site-'));
    await writeFile(join(root, 'package-lock.json'), '{}');
    if (!loaded) return;
    const { failure } = await site.load();
    if (failure) throw failure;
  });
  afterAll(async () => {
    await service.close();
    await rm(template, { recursive: true, force: true });
  });
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'site-'));
    await cp(template, root, { recursive: true, preserveTimestamps: true });
    service.replace(articles());
    service.clearRequests();
    speedUp(haste);
  });
  afterEach(async () => {
    for (const each of undo) each();
    undo = [];
    service.beforeResponse = undefined;
    Object.assign(service.options, serviceOptions);
    vi.restoreAllMocks();
    siteAt(pathToFileURL(`${root}/`)).bodies.clear();
    await rm(root, { recursive: true, force: true });
  });

  const site: TestSite = {
    get root() {
      return root;
    },
    get service() {
      return service;
    },
    load(options, more) {
      const service = { baseUrl: site.service.url, apiKey: key, timeout: 60_000 };
      const env = { ...siteOptions.env, ...more?.env };
      return loadSite({ root, ...more, env }, { ...service, ...siteOptions.options, ...options });
    },
    async loadExactly(options, more) {
      const load = await site.load(options, more);
      expect(load.failure).toBeUndefined();
      expect(shownIn(load)).toEqual(servedBy(service));
      return load;
    },
    async loadFails(options, more) {
      const before = await site.state();
      const { failure } = await site.load(options, more);
      if (!failure) return expect.fail('the load succeeded');
      expect(await site.state()).toEqual(before);
      expect(`${failure.message}${failure.hint}${failure.stack}`).not.toContain(key);
      return failure;
    },
    strike(on, fault, times = always, skip = 0) {
      undo.push(service.fail({ on, fault, times, skip }));
    },
    state: async () => siteState(await createLoaderContext({ root })),
    mirror: async () => findMirror((await createLoaderContext({ root })).mirrors),
  };
  return site;
}
