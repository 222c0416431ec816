import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AstroConfig, IntegrationResolvedRoute } from 'astro';
import { describe, expect, test, vi } from 'vitest';
import { type ShownSlugs, siteAt } from '../../../src/content/site-state.ts';
import { redirectFormerPaths } from '../../../src/integration/former-paths.ts';
import { readFlags } from '../../../src/options/resolve-options.ts';
import { joinHistories, type PathHistory, withoutCopies } from '../../../src/redirects/history.ts';
import { ofCollection, readPublished } from '../../../src/redirects/published.ts';
import { route } from '../../helpers/routes.ts';
import { temporaryFolder, temporaryServer } from '../../helpers/temporary.ts';
import { shownSlugs } from './shown-slugs.ts';

const historyFile = '_articles/paths.jsonl';
const historyOf = (articles: Record<string, Record<string, number>>): PathHistory =>
  new Map(Object.entries(articles).map(([id, pages]) => [id, new Map(Object.entries(pages))]));

interface Build {
  /** By id: the slugs that the load shows. */
  current: Record<string, string>;
  /** By path below `dist`. @default the page of each article */
  pages?: string[];
  routes?: IntegrationResolvedRoute[];
  slugs?: Partial<ShownSlugs>;
  /** Whether the mirror of the last build is missing. */
  isEmpty?: boolean;
  /** The name of the collection; undefined when the site has none. @default 'articles' */
  name?: string | undefined;
  /** The option of the integration. @default true */
  redirects?: boolean;
  /** Whether the load reads what the site has published. @default true */
  isRead?: boolean;
}

/** A site that is built and published again and again, by a process that keeps a mirror. */
async function createSite() {
  const root = pathToFileURL(`${await temporaryFolder()}/`);
  const requests: string[] = [];
  let published: string | undefined;
  const { url } = await temporaryServer((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(published === undefined ? 404 : 200).end(published);
  });
  const config = { root, site: url, base: '/' } as unknown as AstroConfig;
  const logger = { info: vi.fn(), warn: vi.fn() };
  const site = siteAt(root);
  const mirrors = new Map<string, PathHistory>();
  let count = 0;

  async function build(given: Build) {
    const { current, pages, routes = [], slugs = {} } = given;
    const { isEmpty, redirects = true, isRead = true } = given;
    const name = 'name' in given ? given.name : 'articles';
    const dir = new URL(`dist-${count++}/`, root);
    const paths = pages ?? Object.values(current).map((slug) => `articles/${slug}/`);
    await mkdir(dir, { recursive: true });
    for (const path of paths) {
      const file = fileURLToPath(new URL(`${path}index.html`, dir));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, 'page');
    }
    if (isEmpty) mirrors.clear();
    site.integration = { options: {}, redirects, mode: 'production' };
    if (name !== undefined) {
      // What a load does.
      if (isRead)
        site.integration.published = readPublished(config, { isBestEffort: false, logger });
      const all = (await site.integration.published) ?? new Map();
      const known = joinHistories(mirrors.get(name) ?? new Map(), ofCollection(all, name));
      const writePaths: ShownSlugs['mirror']['writePaths'] = (next, { keepsCopies } = {}) =>
        void mirrors.set(name, joinHistories(keepsCopies ? known : withoutCopies(known), next));
      const shown = shownSlugs(current, { paths: known, mirror: { writePaths }, ...slugs });
      site.slugs.set(name, shown);
    }
    const output = { dir, pages: paths.map((pathname) => ({ pathname })), routes };
    await redirectFormerPaths(
      config,
      { ...output, logger: logger as never },
      readFlags(process.env),
    );
    const file = new URL(historyFile, dir);
    published = existsSync(file) ? await readFile(file, 'utf8') : undefined;
    site.slugs.delete(name ?? '');
    const target = async (path: string) => {
      const file = new URL(`${path}index.html`, dir);
      if (!existsSync(file)) return undefined;
      return /content="0;url=([^"]+)"/.exec(await readFile(file, 'utf8'))?.[1];
    };
    return { target, published, mirror: mirrors.get(name ?? '') };
  }
  return { build, site, config, logger, requests };
}

describe('a build', () => {
  test('redirects former URLs, and publishes what it adds, with and without a mirror', async () => {
    const { build, logger, requests } = await createSite();
    const first = await build({ current: { 1: 'a', 2: 'b' } });
    expect(first.mirror).toEqual(historyOf({ 1: { '1 articles/a': 1 }, 2: { '1 articles/b': 1 } }));
    await build({ current: { 1: 'c', 2: 'b' } });
    const last = await build({ current: { 1: 'd', 2: 'b' }, isEmpty: true });
    expect(await last.target('articles/a/')).toBe('/articles/d/');
    expect(await last.target('articles/c/')).toBe('/articles/d/');
    expect(await last.target('articles/b/')).toBeUndefined();
    const all = { '1 articles/a': 1, '1 articles/c': 2, '1 articles/d': 3 };
    expect(last.mirror).toEqual(historyOf({ 1: all, 2: { '1 articles/b': 1 } }));
    expect(requests).toEqual(Array(3).fill(`/${historyFile}`));
    expect(logger.info.mock.calls.flat()).toEqual([
      expect.stringContaining('No build has published a history of paths at'),
      'Redirects from former URLs of articles to their pages: 1.',
      'Redirects from former URLs of articles to their pages: 2.',
    ]);
    const again = await build({ current: { 1: 'd', 2: 'b' } });
    expect(again.published).toBe(last.published);
  });

  test('with drafts publishes none of its paths, and redirects those of earlier builds', async () => {
    const { build } = await createSite();
    await build({ current: { 1: 'a' } });
    const preview = await build({ current: { 1: 'draft-title' }, slugs: { isPreview: true } });
    expect(preview.published).not.toContain('draft-title');
    expect(preview.mirror).toEqual(historyOf({ 1: { '1 articles/a': 1 } }));
    expect(await preview.target('articles/a/')).toBe('/articles/draft-title/');
    // What it publishes is enough for a build without a mirror.
    const next = await build({ current: { 1: 'b' }, isEmpty: true });
    expect(await next.target('articles/a/')).toBe('/articles/b/');
  });

  test('with ARTICLES_ALLOW_REMOVAL forgets the former paths of what went before, in the mirror, too', async () => {
    const { build } = await createSite();
    const gone = { gone: new Set(['1']) };
    await build({ current: { 1: 'secret' } });
    await build({ current: { 1: 'hello' } });
    const taken = await build({ current: { 2: 'hello' }, slugs: gone });
    expect(await taken.target('articles/secret/')).toBe('/articles/hello/');
    expect(taken.mirror?.get('2')?.get('1 articles/secret')).toBe(0);
    vi.stubEnv('ARTICLES_ALLOW_REMOVAL', '1');
    const removed = await build({ current: { 2: 'hello' }, slugs: gone });
    vi.unstubAllEnvs();
    expect(removed.mirror?.get('2')?.has('1 articles/secret')).toBe(false);
    const later = await build({ current: { 2: 'hello' }, slugs: gone });
    for (const { target, published } of [removed, later]) {
      expect(await target('articles/secret/')).toBeUndefined();
      expect(published).not.toContain('secret');
    }
  });

  test.each([
    { case: 'older than the newest ones', current: { 1: 'b' }, slugs: { isNewestOnly: true } },
    { case: 'rendered on demand', current: { 1: 'b', 2: 'c' }, pages: ['articles/b/'] },
  ])('leaves a path to an article that is $case', async ({ case: _, ...last }) => {
    const { build } = await createSite();
    await build({ current: { 1: 'a' } });
    await build({ current: { 1: 'b', 2: 'a' } });
    await build({ current: { 1: 'b', 2: 'c' } });
    const { target } = await build(last);
    expect(await target('articles/a/')).toBeUndefined();
    const without = await build({ current: { 1: 'b' } });
    expect(await without.target('articles/a/')).toBe('/articles/b/');
  });

  test('counts no page that has a route of its own', async () => {
    const { build } = await createSite();
    const routes = ['/about', '/contact', '/imprint'].map((path) => route(path));
    const others = ['about/', 'contact/', 'imprint/'];
    await build({ current: { 1: 'a', 2: 'about' }, pages: ['a/', ...others], routes });
    const last = await build({ current: { 1: 'b', 2: 'us' }, pages: ['b/', ...others], routes });
    expect(await last.target('a/')).toBe('/b/');
    expect(last.published).not.toContain('about');
  });

  test('with a mirror that cannot be written publishes everything', async () => {
    const { build } = await createSite();
    const mirror = {
      writePaths: () => {
        throw new Error('EROFS: read-only file system');
      },
    };
    await build({ current: { 1: 'a' }, slugs: { mirror } });
    const { target } = await build({ current: { 1: 'b' }, isEmpty: true });
    expect(await target('articles/a/')).toBe('/articles/b/');
  });

  test('without a collection, and without a history, publishes nothing', async () => {
    const { build, logger } = await createSite();
    const { published } = await build({ current: {}, name: undefined });
    expect(published).toBeUndefined();
    expect([...logger.info.mock.calls, ...logger.warn.mock.calls]).toEqual([]);
  });

  test.each([[undefined], ['news']])(
    'without a collection (and with %s) publishes its history again, until removals are allowed',
    async (name) => {
      const { build } = await createSite();
      await build({ current: { 1: 'a' } });
      const before = await build({ current: { 1: 'b' } });
      const line = '["articles/1",[["1 articles/a",1],["1 articles/b",2]]]';
      expect(before.published).toContain(line);
      const others = { current: { 7: 'other' }, pages: ['news/other/'], name, isEmpty: true };
      expect((await build(others)).published).toContain(line);
      const back = await build({ current: { 1: 'b' }, isEmpty: true });
      expect(await back.target('articles/a/')).toBe('/articles/b/');
      vi.stubEnv('ARTICLES_ALLOW_REMOVAL', '1');
      const removed = await build(others);
      expect(removed.published ?? '').not.toContain('"articles/');
      vi.unstubAllEnvs();
    },
  );

  test('with `redirects: false` reads and publishes the history, and redirects nothing', async () => {
    const { build } = await createSite();
    await build({ current: { 1: 'a' } });
    await build({ current: { 1: 'b' } });
    const off = await build({ current: { 1: 'c' }, redirects: false, isEmpty: true });
    expect(await off.target('articles/a/')).toBeUndefined();
    const pages = '["1 articles/a",1],["1 articles/b",2],["1 articles/c",3]';
    expect(off.published).toContain(`["articles/1",[${pages}]]`);
    const on = await build({ current: { 1: 'c' }, isEmpty: true });
    for (const former of ['a', 'b'])
      expect(await on.target(`articles/${former}/`)).toBe('/articles/c/');
  });

  test('offline publishes the paths of its mirrors, and says so', async () => {
    const { build, logger } = await createSite();
    await build({ current: { 7: 'other' }, name: 'news', pages: ['news/other/'] });
    await build({ current: { 1: 'a' } });
    vi.stubEnv('ARTICLES_OFFLINE', '1');
    const { published } = await build({ current: { 1: 'a' }, isRead: false });
    vi.unstubAllEnvs();
    expect(published).toContain('["articles/1",[["1 articles/a",2]]]');
    expect(published).not.toContain('news');
    expect(logger.warn.mock.calls.flat()).toEqual([
      expect.stringContaining('has only the paths in the mirrors.'),
    ]);
  });

  test.each([
    ['responds 404', 404, []],
    ['fails', 500, [expect.stringContaining('could not be read')]],
  ])(
    'without collections, of a site that %s, says only what is wrong',
    async (_, status, warnings) => {
      const { config, logger } = await createSite();
      const { url } = await temporaryServer((__, response) => response.writeHead(status).end());
      const dir = pathToFileURL(`${await temporaryFolder()}/`);
      const output = { dir, pages: [], routes: [], logger: logger as never };
      await redirectFormerPaths({ ...config, site: url }, output, readFlags({}));
      expect(logger.info).not.toHaveBeenCalled();
      expect(logger.warn.mock.calls.flat()).toEqual(warnings);
    },
  );
});
