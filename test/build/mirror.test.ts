import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { type FaultRule, type FixtureService, startService } from '../../fixtures/service.ts';
import { findMirror } from '../helpers/mirror-folder.ts';
import { createSite, type Site } from '../helpers/site.ts';

let service: FixtureService;
let site: Site;

/** A copy of the site after its first build, which each test starts from. */
let saved: string;

beforeAll(async () => {
  service = await startService();
  site = await createSite({ options: '{ retry: { limit: 0 } }' });
  service.replace(articles());
  expect(await build()).toMatchObject({ status: 0 });
  saved = await mkdtemp(join(tmpdir(), 'saved-'));
  await copy(site.root, saved);
});
beforeEach(async () => {
  await copy(saved, site.root);
  service.replace(articles());
  service.clearRequests();
});
afterEach(() => {
  for (const undo of faults.splice(0)) undo();
});
afterAll(async () => {
  await site.remove();
  await rm(saved, { recursive: true });
  await service.close();
});

const articles = () => makeArticles(4, { cover: 'tides.jpg' });

/** Makes a folder equal to another one. */
async function copy(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await cp(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

const faults: (() => void)[] = [];
const strike = (rule: FaultRule) => faults.push(service.fail(rule));

function build(env: Record<string, string> = {}) {
  return site.astro(['build'], {
    ...service.env,
    ...env,
  });
}

const mirror = () => findMirror(join(site.root, 'node_modules/.astro/astro-articles'));
const down = () =>
  strike({
    on: 'any',
    times: Number.POSITIVE_INFINITY,
    fault: { kind: 'status', status: 503 },
  });
const kinds = () => service.requests.map(({ kind }) => kind);

describe('the mirror has the articles', () => {
  it('when the content config was edited', async () => {
    const config = await site.read('src/content.config.ts');
    await site.write('src/content.config.ts', `${config}\n// edited`);
    const { output } = await build();
    expect(output).toContain('Clearing content store');
    expect(await site.entries()).toHaveLength(4);
    expect(kinds()).toEqual(['list']);
  });

  it('when Astro has lost its store', async () => {
    await rm(join(site.root, 'node_modules/.astro/data-store.json'));
    await build();
    expect(await site.entries()).toHaveLength(4);
    expect(kinds()).toEqual(['list']);
  });

  it('when dev follows build', async () => {
    const server = await site.dev(service.env);
    const entries = await (await fetch(`${server.url}/entries.json`)).json();
    await server.stop();
    expect(entries).toHaveLength(4);
    expect(kinds()).toEqual(['list']);
  });
});

describe('when the service is down', () => {
  it('a build fails, and reports the age of the mirror', async () => {
    down();
    const store = await site.read('node_modules/.astro/data-store.json');
    const { status, output } = await build();
    expect(status).toBe(1);
    expect(await site.read('node_modules/.astro/data-store.json')).toBe(store);
    expect(output).toContain('responded 503');
    expect(output).toMatch(
      /The mirror has articles from (?:less than a minute|\d+ minutes?) ago: `onUnavailable: "keep"`/,
    );
  });

  it('a build with `onUnavailable: "keep"` uses the mirror, and warns', async () => {
    down();
    await site.write(
      'astro.config.mjs',
      (await site.read('astro.config.mjs')).replace('{ retry', `{ onUnavailable: 'keep', retry`),
    );
    const { status, output } = await build();
    expect(status).toBe(0);
    expect(output).toMatch(
      /Using articles from (?:less than a minute|\d+ minutes?) ago, because the service is unavailable/,
    );
    expect(await site.entries()).toHaveLength(4);
  });

  it('a build with `onUnavailable: "keep"`, but without a mirror, fails', async () => {
    await rm(await mirror(), { recursive: true });
    down();
    const config = await site.read('astro.config.mjs');
    await site.write(
      'astro.config.mjs',
      config.replace('{ retry', `{ onUnavailable: 'keep', retry`),
    );
    const { status, output } = await build();
    expect(status).toBe(1);
    expect(output).toContain('There is no mirror of this service to fall back to');
  });

  it('a cover that is missing in the mirror is left out, and the build continues', async () => {
    await rm(join(await mirror(), 'images'), { recursive: true });
    const { status, output } = await build({ ARTICLES_OFFLINE: '1' });
    expect(status).toBe(0);
    expect(output).toContain('its file in the mirror is missing or corrupt');
    expect((await site.entries()).every(({ data }) => data.cover_image === null)).toBe(true);
  });

  it('an offline build sends no request, and needs no key', async () => {
    const { status, output } = await build({ ARTICLES_OFFLINE: '1', ARTICLES_API_KEY: '' });
    expect(status).toBe(0);
    expect(output).toMatch(/Offline: using articles from (?:less than a minute|\d+ minutes?) ago/);
    expect(await site.entries()).toHaveLength(4);
    expect(service.count()).toBe(0);
  });

  it('an offline build without a mirror fails with instructions', async () => {
    await site.reset();
    const { status, output } = await build({ ARTICLES_OFFLINE: '1' });
    expect(status).toBe(1);
    expect(output).toMatch(/`offline` is set, but .* does not contain a mirror/s);
  });
});

it('an outage in the middle of a build leaves the mirror and Astro’s store unchanged', async () => {
  for (const id of [1, 2, 3, 4]) service.change(id, { content: 'changed' });
  const denied = { kind: 'status', status: 401 } as const;
  strike({ on: ({ id }) => id === '1', times: 99, fault: denied });
  strike({ on: 'article', times: 99, fault: { kind: 'delay', ms: 700 } });
  const store = await site.read('node_modules/.astro/data-store.json');
  const index = await readFile(join(await mirror(), 'index.json'), 'utf8');
  expect(await build()).toMatchObject({ status: 1 });
  expect(await site.read('node_modules/.astro/data-store.json')).toBe(store);
  expect(await readFile(join(await mirror(), 'index.json'), 'utf8')).toBe(index);
});

it('a mirror in a folder of the project builds the site elsewhere, without the service', async () => {
  const options = `{ mirrorDir: './mirror' }`;
  const home = await createSite({ options });
  const away = await createSite({ options });
  expect(await home.astro(['build'], service.env)).toMatchObject({ status: 0 });
  await cp(join(home.root, 'mirror'), join(away.root, 'mirror'), { recursive: true });
  service.clearRequests();
  const offline = { ARTICLES_OFFLINE: '1', ARTICLES_BASE_URL: service.url };
  expect(await away.astro(['build'], offline)).toMatchObject({ status: 0 });
  expect(await away.entries()).toEqual(await home.entries());
  expect(service.count()).toBe(0);
  await home.remove();
  await away.remove();
});
