import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AstroConfig } from 'astro';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createArticlesClient } from '../../src/client/client.ts';
import { articlesLoader } from '../../src/content/loader.ts';
import { forgetCollection } from '../../src/content/site-state.ts';
import { readHistory, redirectFormerSlugs } from '../../src/integration/former-slugs.ts';
import { openMirror } from '../../src/mirror/mirror.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { resolveOptions } from '../../src/options/resolve-options.ts';
import { historyOf, joinHistories } from '../../src/redirects/history.ts';
import { fetchSiteHistory, publishedSlugs } from '../../src/redirects/site-history.ts';
import { commitLoad } from '../../src/sync/commit.ts';
import { loadArticles } from '../../src/sync/pipeline.ts';
import { mayExistAfter } from '../../src/sync/window.ts';
import { createLoaderContext } from '../helpers/loader-context.ts';
import { runs } from '../helpers/runs.ts';
import { skipPauses } from '../helpers/time.ts';

// Random sequences of commands keep every address that a deployed build has shown, as long as its article exists
// (promise P9), and publish no slug that no build has shown.

const home = new URL('https://blog.articles.page');
const ids = ['a1', 'b2', 'c3', 'd4'];

type Step =
  | { kind: 'rename' | 'draft' | 'write' | 'remove' | 'move' | 'bury'; id: string; title: number }
  | { kind: 'build' | 'dev' | 'sync' | 'preview' | 'offline' | 'kept' }
  | { kind: 'lose cache' | 'restore cache' | 'site is down' | 'site is stale' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...([
          'rename',
          'rename',
          'rename',
          'draft',
          'write',
          'remove',
          'move',
          'move',
          'bury',
        ] as const),
      ),
      id: fc.constantFrom(...ids),
      title: fc.nat(6),
    }),
  },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(...(['build', 'build', 'dev', 'sync', 'preview', 'offline', 'kept'] as const))
      .map((kind) => ({ kind })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...(['lose cache', 'restore cache', 'site is down', 'site is stale'] as const))
      .map((kind) => ({ kind })),
  },
);

beforeEach(skipPauses);
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Whether the site has no page for a slug: its page leaves out some articles, such as those of the future. */
const isWithheld = (slug: string) => slug.startsWith('title-3');

class World {
  readonly root: string;
  readonly reached: Record<string, number>;
  readonly newest: number | undefined;
  /** From the oldest article to the newest one. */
  readonly service = new Map<string, { title: string; content: string }>();
  isServiceDown = false;
  siteStatus: 'fresh' | 'stale' | 'down' = 'fresh';
  /** The published history of each deployed build. */
  readonly published: string[] = [];
  /** The ids that had a slug in a deployed build, since they exist. */
  readonly deployed = new Map<string, Map<string, string>>();
  /** The ids whose slugs a deployed build has published. */
  readonly known = new Set<string>();
  /** The ids that were older than the newest articles in a deployed build. */
  readonly older = new Set<string>();
  /** All slugs of published articles that a build has shown, also a build that was not deployed. */
  readonly shown = new Set<string>();
  /** Whether the mirror lacks what an earlier build of this machine knew. */
  isCacheBehind = false;
  #backups = 0;

  constructor(root: string, reached: Record<string, number>, newest: number | undefined) {
    this.root = root;
    this.reached = reached;
    this.newest = newest;
    for (const id of ids) this.service.set(id, { title: 'Title 0', content: 'Text.' });
    vi.stubGlobal('fetch', async () => this.#respondAsSite());
  }

  #respondAsSite(): Response {
    const newest = this.published.at(-1);
    if (this.siteStatus === 'down') return new Response('', { status: 503 });
    if (newest === undefined) return new Response('', { status: 404 });
    const isStale = this.siteStatus === 'stale' && !this.isCacheBehind;
    return new Response(isStale ? (this.published.at(-2) ?? newest) : newest);
  }

  #respondAsService(url: string): Response {
    if (this.isServiceDown) return new Response('', { status: 503 });
    const rows = [...this.service]
      .map(([id, article]) => ({ id, ...article, cover_image: null }))
      .toReversed();
    const id = /articles\/([^/]+)\/$/.exec(url)?.[1];
    const row = rows.find((each) => each.id === id);
    if (id) return Response.json(row ?? { detail: 'no' }, { status: row ? 200 : 404 });
    const { searchParams } = new URL(url);
    const offset = Number(searchParams.get('offset') ?? 0);
    const end = offset + Number(searchParams.get('limit') ?? 100);
    const next = end < rows.length ? 'more' : null;
    return Response.json({ count: rows.length, next, results: rows.slice(offset, end) });
  }

  get options(): ArticlesOptions {
    return {
      baseUrl: 'https://articles.example',
      apiKey: 'model-key-0123456789',
      retry: { limit: 0 },
      allowEmpty: true,
      newest: this.newest,
      fetch: async (url) => this.#respondAsService(String(url)),
    };
  }

  get #cache() {
    return join(this.root, 'cache');
  }

  async apply(next: Step): Promise<void> {
    if (await this.#perform(next)) this.#count(next.kind);
  }

  #count(event: string): void {
    this.reached[event] = (this.reached[event] ?? 0) + 1;
  }

  /** Performs a step; false when it is not possible now. */
  async #perform(next: Step): Promise<boolean> {
    switch (next.kind) {
      case 'rename':
      case 'write':
      case 'draft': {
        if (next.kind !== 'write' && !this.service.has(next.id)) return false;
        const content = next.kind === 'draft' ? '' : 'Text.';
        this.service.set(next.id, { title: `Title ${next.title}`, content });
        return true;
      }
      case 'remove':
        this.deployed.delete(next.id);
        return this.service.delete(next.id);
      case 'move': {
        const article = this.service.get(next.id);
        if (!article) return false;
        this.service.delete(next.id);
        this.service.set(next.id, article);
        return true;
      }
      case 'bury': {
        const article = this.service.get(next.id);
        if (!article) return false;
        const others = [...this.service].filter(([id]) => id !== next.id);
        this.service.clear();
        for (const [id, each] of [[next.id, article] as const, ...others])
          this.service.set(id, each);
        return true;
      }
      case 'lose cache':
        await rm(this.#cache, { recursive: true, force: true });
        this.isCacheBehind = true;
        return true;
      case 'restore cache': {
        if (this.#backups === 0) return false;
        await rm(this.#cache, { recursive: true, force: true });
        await cp(join(this.root, 'backup-0'), this.#cache, { recursive: true });
        this.isCacheBehind = true;
        return true;
      }
      case 'site is down':
        this.siteStatus = 'down';
        return true;
      case 'site is stale':
        this.siteStatus = 'stale';
        return true;
      case 'dev':
        return (await this.#load({ drafts: 'include' }, 'dev')) !== undefined;
      case 'sync':
        return this.#sync();
      case 'preview':
        return this.#build({ drafts: 'include' }, false);
      case 'offline':
        // Without the history that the site has, an offline build cannot know it.
        return this.isCacheBehind ? false : this.#build({ offline: true }, true);
      case 'kept': {
        this.isServiceDown = true;
        const isBuilt = await this.#build({ onUnavailable: 'keep' }, true);
        this.isServiceDown = false;
        return isBuilt;
      }
      default:
        return this.#build({}, true);
    }
  }

  async #load(options: ArticlesOptions, command: 'build' | 'dev' = 'build') {
    const context = await createLoaderContext({ root: this.root, inMemory: true, command });
    forgetCollection(context.config.root, 'articles');
    try {
      await articlesLoader({ ...this.options, ...options }).load(context);
    } catch {
      return undefined;
    }
    return context;
  }

  async #build(options: ArticlesOptions, isDeployed: boolean): Promise<boolean> {
    const context = await this.#load(options);
    if (!context) return false;
    const dist = await mkdtemp(join(this.root, 'dist-'));
    const logger = { info: vi.fn(), warn: vi.fn() } as never;
    const config = { ...context.config, site: home.href, base: '/', redirects: {} } as AstroConfig;
    const hasFailed = (error: { code?: string }) => {
      expect(error.code).toBe('history-unavailable');
      this.#count('refused build');
    };
    const history = await readHistory(config, { mode: 'required', logger }).catch(hasFailed);
    if (!history) {
      expect(this.siteStatus).toBe('down');
      this.siteStatus = 'fresh';
      return false;
    }
    const entries = [...context.store.values()].map(({ id, data }) => ({
      id,
      slug: String(data.slug),
    }));
    const shown = entries.filter(({ slug }) => !isWithheld(slug));
    if (shown.length < entries.length) this.#count('withheld page');
    const pages = shown.map(({ slug }) => ({ pathname: `articles/${slug}/` }));
    for (const { pathname } of pages) {
      await mkdir(join(dist, pathname), { recursive: true });
      await writeFile(join(dist, pathname, 'index.html'), 'page');
    }
    const drafts = new Set(
      [...this.service].flatMap(([id, { content }]) => (content === '' ? [id] : [])),
    );
    if (options.drafts !== 'include') for (const { slug } of shown) this.shown.add(slug);
    const dir = pathToFileURL(`${dist}/`);
    const output = { dir, pages, logger, hasServer: false };
    await redirectFormerSlugs(config, { published: history, ...output });
    await this.#judge(dist, entries);
    if (isDeployed) await this.#deploy(dist, entries, drafts);
    await rm(dist, { recursive: true });
    return true;
  }

  /** Checks what readers of a build can reach. */
  async #judge(dist: string, entries: { id: string; slug: string }[]): Promise<void> {
    const paths = await readdir(join(dist, 'articles')).catch(() => []);
    const current = new Map(entries.map(({ id, slug }) => [id, slug]));
    for (const [id, slugs] of this.deployed) {
      const slug = current.get(id);
      if (slug === undefined || isWithheld(slug)) continue;
      for (const former of slugs.keys()) {
        if (former !== slug) this.#count(this.older.has(id) ? 'return' : 'redirect');
        expect(paths, `/articles/${former}/ of ${id}`).toContain(former);
        const html = await readFile(join(dist, 'articles', former, 'index.html'), 'utf8');
        if (former !== slug) expect(html).toContain(`url=/articles/${slug}/`);
      }
    }
    const text = await readFile(join(dist, '_articles/addresses.json'), 'utf8');
    const { collections } = JSON.parse(text);
    const own = new Set(current.values());
    for (const [, articles] of collections) {
      for (const [id, slugs] of articles) {
        const isOlder = this.newest !== undefined && this.known.has(id);
        expect(current.has(id) || isOlder, `the slugs of ${id}`).toBe(true);
        for (const slug of slugs) expect([...this.shown], 'published').toContain(slug);
      }
    }
    for (const path of paths) if (!own.has(path)) expect([...this.shown]).toContain(path);
  }

  async #deploy(
    dist: string,
    entries: { id: string; slug: string }[],
    drafts: ReadonlySet<string>,
  ): Promise<void> {
    this.published.push(await readFile(join(dist, '_articles/addresses.json'), 'utf8'));
    for (const { id, slug } of entries) {
      if ((drafts.has(id) && !this.isServiceDown) || isWithheld(slug)) continue;
      const known = this.deployed.get(id) ?? new Map();
      this.deployed.set(id, known.set(slug, slug));
      this.known.add(id);
    }
    // An article that was not shown in between starts again, because readers saw it disappear. An older one did not: it
    // is rendered on demand. Without the service, a build with an outdated cache may take it for a draft.
    const older = new Set([...this.service.keys()].slice(0, -(this.newest ?? ids.length)));
    const isCertain = !(this.isServiceDown && this.isCacheBehind);
    for (const id of this.deployed.keys()) {
      if (entries.some((entry) => entry.id === id)) continue;
      if (isCertain && older.has(id)) this.older.add(id);
      else this.deployed.delete(id);
    }
    this.isCacheBehind = false;
    this.siteStatus = 'fresh';
    if (this.#backups++ === 0) {
      await cp(this.#cache, join(this.root, 'backup-0'), { recursive: true });
    }
  }

  /** Does what the command `astro-articles sync` does. */
  async #sync(): Promise<boolean> {
    const cacheFolder = join(this.#cache, 'astro-articles');
    const options = resolveOptions({
      loader: this.options,
      integration: {},
      environment: {},
      command: 'build',
    });
    const place = { parent: cacheFolder, collection: 'articles', source: options.baseUrl };
    const mirror = await openMirror({ ...place, cacheFolder });
    const client = createArticlesClient(options);
    const loaded = await loadArticles({ mirror, options, client });
    await commitLoad(loaded, { mirror });
    if (this.siteStatus === 'down') return true;
    const logger = { info: vi.fn(), warn: vi.fn() };
    const history = await fetchSiteHistory(home, { mode: 'best-effort', logger });
    const own = mirror.index.articles.map(({ id }) => id);
    const mayExist = mayExistAfter(loaded, options) ?? (() => false);
    const parts = publishedSlugs(history, 'articles', new Set(['articles'])).map((part) =>
      historyOf(part, [...own, ...[...part.keys()].filter(mayExist)]),
    );
    await mirror.addSlugs(joinHistories(...parts));
    this.isCacheBehind = false;
    return true;
  }
}

it.each<[string, number | undefined, [number, number], number]>([
  ['all articles', undefined, [4, 24], 40],
  ['the newest two articles', 2, [40, 60], 15],
])(
  'keeps what deployed builds of %s have shown, and publishes nothing else, in any order of commands',
  async (_, newest, [minLength, maxLength], numRuns) => {
    const reached: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength, maxLength }), async (steps) => {
        const root = await mkdtemp(join(tmpdir(), 'addresses-'));
        try {
          const world = new World(root, reached, newest);
          for (const next of [{ kind: 'build' } as Step, ...steps]) await world.apply(next);
          // Without further faults, one build shows everything again.
          world.siteStatus = 'fresh';
          await world.apply({ kind: 'build' });
        } finally {
          await rm(root, { recursive: true, force: true });
        }
      }),
      runs(numRuns),
    );
    const kinds: string[] = [
      ...(['rename', 'draft', 'write', 'remove', 'build', 'dev', 'sync', 'preview'] as const),
      ...(['offline', 'kept', 'lose cache', 'restore cache', 'site is stale'] as const),
      ...(['refused build', 'redirect', 'move', 'bury', 'withheld page'] as const),
      ...(newest === undefined ? [] : (['return'] as const)),
    ];
    for (const kind of kinds) expect(reached[kind], kind).toBeGreaterThan(0);
  },
  180_000,
);
