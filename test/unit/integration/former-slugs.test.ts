import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AstroConfig } from 'astro';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type ShownSlugs, siteAt } from '../../../src/content/site-state.ts';
import { redirectFormerSlugs } from '../../../src/integration/former-slugs.ts';
import { readFlags } from '../../../src/options/resolve-options.ts';
import { joinHistories, type SlugHistory } from '../../../src/redirects/history.ts';
import { readPublished } from '../../../src/redirects/published.ts';
import { temporaryFolder, temporaryServer } from '../../helpers/temporary.ts';
import { shownSlugs } from './shown-slugs.ts';

const historyFile = '_articles/slugs.jsonl';
const slugHistory = (articles: Record<string, Record<string, number>>): SlugHistory =>
  new Map(Object.entries(articles).map(([id, each]) => [id, new Map(Object.entries(each))]));

interface Build {
  /** By id: the slugs that the load shows. */
  current: Record<string, string>;
  /** By path below `dist`. @default the page of each article */
  pages?: string[];
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
  const mirrors = new Map<string, SlugHistory>();
  let count = 0;

  async function build(given: Build) {
    const { current, pages, slugs = {}, isEmpty, redirects = true, isRead = true } = given;
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
    site.loads = 0;
    if (name !== undefined) {
      // What a load does.
      site.loads = 1;
      if (isRead)
        site.integration.published = readPublished(config, { isBestEffort: false, logger });
      const own = (await site.integration.published)?.get(name) ?? new Map();
      const known = joinHistories(mirrors.get(name) ?? new Map(), own);
      const writeSlugs = (all: SlugHistory) => void mirrors.set(name, all);
      const shown = shownSlugs(current, { slugHistory: known, mirror: { writeSlugs }, ...slugs });
      site.slugs.set(name, shown);
    }
    const output = { dir, pages: paths.map((pathname) => ({ pathname })), routes: [] };
    await redirectFormerSlugs(
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
  test('redirects former slugs, and publishes what it adds, with and without a mirror', async () => {
    const { build, logger, requests } = await createSite();
    const first = await build({ current: { 1: 'a', 2: 'b' } });
    expect(first.mirror).toEqual(slugHistory({ 1: { a: 1 }, 2: { b: 1 } }));
    await build({ current: { 1: 'c', 2: 'b' } });
    const last = await build({ current: { 1: 'd', 2: 'b' }, isEmpty: true });
    expect(await last.target('articles/a/')).toBe('/articles/d/');
    expect(await last.target('articles/c/')).toBe('/articles/d/');
    expect(await last.target('articles/b/')).toBeUndefined();
    expect(last.mirror).toEqual(slugHistory({ 1: { a: 1, c: 2, d: 3 }, 2: { b: 1 } }));
    expect(requests).toEqual(Array(3).fill(`/${historyFile}`));
    expect(logger.info.mock.calls.flat()).toEqual([
      expect.stringContaining('No build has published a history of slugs at'),
      'Redirects from former URLs of articles to their pages: 1.',
      'Redirects from former URLs of articles to their pages: 2.',
    ]);
    const again = await build({ current: { 1: 'd', 2: 'b' } });
    expect(again.published).toBe(last.published);
  });

  test('publishes no slug that no page has shown', async () => {
    const { build } = await createSite();
    const pages = ['articles/a/'];
    const some = await build({ current: { 1: 'a', 2: 'secret-title' }, pages });
    expect(some.published).not.toContain('secret-title');
    expect(some.mirror).toEqual(slugHistory({ 1: { a: 1 } }));
    // Until its page is built, an article does not take the former slug of another one.
    const { target } = await build({ current: { 1: 'c', 2: 'a' }, pages: ['articles/c/'] });
    expect(await target('articles/a/')).toBe('/articles/c/');
  });

  test('with drafts publishes none of its slugs, and redirects those of earlier builds', async () => {
    const { build } = await createSite();
    await build({ current: { 1: 'a' } });
    const preview = await build({ current: { 1: 'draft-title' }, slugs: { isPreview: true } });
    expect(preview.published).not.toContain('draft-title');
    expect(preview.mirror).toEqual(slugHistory({ 1: { a: 1 } }));
    expect(await preview.target('articles/a/')).toBe('/articles/draft-title/');
    // What it publishes is enough for a build without a mirror.
    const next = await build({ current: { 1: 'b' }, isEmpty: true });
    expect(await next.target('articles/a/')).toBe('/articles/b/');
  });

  test('publishes nothing of what is gone, and redirects its slugs when it is back', async () => {
    const { build } = await createSite();
    await build({ current: { 1: 'a', 2: 'b' } });
    // Another article takes up its slug, which only the mirror remembers.
    await build({ current: { 1: 'c', 2: 'b' } });
    const gone = await build({ current: { 2: 'a' }, slugs: { gone: new Set(['1']) } });
    expect(gone.published).not.toContain('articles/1');
    expect(await gone.target('articles/c/')).toBeUndefined();
    expect(await gone.target('articles/b/')).toBe('/articles/a/');
    const back = await build({ current: { 1: 'd', 2: 'b' } });
    expect(await back.target('articles/c/')).toBe('/articles/d/');
    expect(await back.target('articles/a/')).toBe('/articles/b/');
    const lost = await build({ current: { 2: 'b' }, slugs: { gone: new Set(['1']) } });
    const forgotten = await build({ current: { 1: 'd', 2: 'b' }, isEmpty: true });
    expect(lost.published).not.toContain('articles/1');
    expect(await forgotten.target('articles/c/')).toBeUndefined();
  });

  test('redirects as if articles that the load lacks had never had a slug', async () => {
    const slugs = ['a', 'b', 'c', 'd', 'e'];
    const serials = fc.integer({ min: 1, max: 4 });
    const histories = fc.dictionary(
      fc.constantFrom('1', '2', '3', '4'),
      fc.dictionary(fc.constantFrom(...slugs), serials, { minKeys: 1 }),
      { minKeys: 3 },
    );
    const current = { 1: 'd', 2: 'e' };
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(histories, fc.boolean(), async (articles, areGone) => {
        const { 3: _, 4: __, ...existing } = articles;
        const redirectsWith = async (given: Partial<ShownSlugs>) => {
          const { target } = await (await createSite()).build({ current, slugs: given });
          return Promise.all(slugs.map((slug) => target(`articles/${slug}/`)));
        };
        const gone = new Set(areGone ? ['3', '4'] : []);
        const expected = await redirectsWith({ slugHistory: slugHistory(existing) });
        const found = await redirectsWith({ slugHistory: slugHistory(articles), gone });
        expect(found).toEqual(expected);
        const redirected = slugs.filter((_, index) => expected[index] !== undefined);
        const ofGone = [articles[3], articles[4]].flatMap((each) => Object.keys(each ?? {}));
        if (redirected.some((slug) => ofGone.includes(slug))) taken += 1;
      }),
      { numRuns: 30 },
    );
    expect(taken).toBeGreaterThan(5);
  });

  test.each([
    { case: 'older than the newest ones', current: { 1: 'b' }, slugs: { hasOlder: true } },
    { case: 'rendered on demand', current: { 1: 'b', 2: 'c' }, pages: ['articles/b/'] },
  ])('leaves a slug to an article that is $case', async ({ case: _, ...last }) => {
    const { build } = await createSite();
    await build({ current: { 1: 'a' } });
    await build({ current: { 1: 'b', 2: 'a' } });
    await build({ current: { 1: 'b', 2: 'c' } });
    const { target } = await build(last);
    expect(await target('articles/a/')).toBeUndefined();
    const without = await build({ current: { 1: 'b' } });
    expect(await without.target('articles/a/')).toBe('/articles/b/');
  });

  test('with a mirror that cannot be written publishes everything', async () => {
    const { build } = await createSite();
    const mirror = {
      writeSlugs: () => {
        throw new Error('EROFS: read-only file system');
      },
    };
    await build({ current: { 1: 'a' }, slugs: { mirror } });
    const { target } = await build({ current: { 1: 'b' }, isEmpty: true });
    expect(await target('articles/a/')).toBe('/articles/b/');
  });

  test('keeps the slugs of each collection apart', async () => {
    const { build, site } = await createSite();
    site.slugs.set(
      'news',
      shownSlugs({ 1: 'n' }, { slugHistory: slugHistory({ 1: { 'old-n': 4, n: 5 } }) }),
    );
    const pages = ['articles/a/', 'news/n/'];
    const { published, target } = await build({ current: { 1: 'a' }, pages });
    expect(published).toContain('["articles/1",[["a",1]]]\n["news/1",[["n",5],["old-n",4]]]');
    expect(await target('news/old-n/')).toBe('/news/n/');
    expect(await target('articles/old-n/')).toBeUndefined();
    // Both pages have the same slug from now on.
    const former = { slugHistory: slugHistory({ 1: { 'old-n': 4, a: 5 } }) };
    site.slugs.set('news', shownSlugs({ 1: 'a' }, former));
    const slugs = { slugHistory: slugHistory({ 1: { 'old-a': 1, a: 2 } }) };
    const same = await build({ current: { 1: 'a' }, pages: ['articles/a/', 'news/a/'], slugs });
    expect(await same.target('articles/old-a/')).toBe('/articles/a/');
    expect(await same.target('news/old-n/')).toBe('/news/a/');
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
      const { build, logger } = await createSite();
      await build({ current: { 1: 'a' } });
      const before = await build({ current: { 1: 'b' } });
      const line = '["articles/1",[["a",1],["b",2]]]';
      expect(before.published).toContain(line);
      const without = await build({ current: { 7: 'other' }, name, isEmpty: true });
      expect(without.published).toContain(line);
      expect(logger.info.mock.calls.at(-1)?.[0]).toContain(
        'keeps the slugs of "articles", which this build has not loaded',
      );
      const back = await build({ current: { 1: 'b' }, isEmpty: true });
      expect(await back.target('articles/a/')).toBe('/articles/b/');
      vi.stubEnv('ARTICLES_ALLOW_REMOVAL', '1');
      const removed = await build({ current: { 7: 'other' }, name, isEmpty: true });
      expect(removed.published ?? '').not.toContain('"articles/');
      vi.unstubAllEnvs();
    },
  );

  test('whose collection has another name continues its history, and keeps its own with its first name', async () => {
    const { build, logger } = await createSite();
    const pages = (slug: string) => [`stories/${slug}/`, 'stories/same/'];
    const shown = (slug: string) => ({ current: { 1: slug, 2: 'same' }, pages: pages(slug) });
    await build(shown('alpha'));
    await build(shown('beta'));
    const renamed = await build({ ...shown('gamma'), name: 'posts' });
    expect(logger.info.mock.calls.flat()).toContainEqual(
      expect.stringContaining('"posts" continues the history of slugs of "articles"'),
    );
    for (const former of ['alpha', 'beta'])
      expect(await renamed.target(`stories/${former}/`)).toBe('/stories/gamma/');
    const again = await build({ ...shown('delta'), name: 'posts', isEmpty: true });
    expect(await again.target('stories/alpha/')).toBe('/stories/delta/');
    const back = await build({ ...shown('delta'), isEmpty: true });
    for (const former of ['alpha', 'beta'])
      expect(await back.target(`stories/${former}/`)).toBe('/stories/delta/');
  });

  test('removes an article that is gone under the former name of its collection, too, and none of other collections', async () => {
    const { build } = await createSite();
    await build({ current: { 1: 'other' }, name: 'news' });
    await build({ current: { 1: 'a', 2: 'b' } });
    await build({ current: { 1: 'a', 2: 'b' }, name: 'posts' });
    const gone = { current: { 2: 'b' }, name: 'posts', slugs: { gone: new Set(['1']) } };
    const { published } = await build(gone);
    expect(published?.match(/(?<=\[")\w+\/\d/g)).toEqual(['articles/2', 'news/1', 'posts/2']);
  });

  test('with `redirects: false` reads and publishes the history, and redirects nothing', async () => {
    const { build } = await createSite();
    await build({ current: { 1: 'a' } });
    await build({ current: { 1: 'b' } });
    const off = await build({ current: { 1: 'c' }, redirects: false, isEmpty: true });
    expect(await off.target('articles/a/')).toBeUndefined();
    expect(off.published).toContain('["articles/1",[["a",1],["b",2],["c",3]]]');
    const on = await build({ current: { 1: 'c' }, isEmpty: true });
    for (const former of ['a', 'b'])
      expect(await on.target(`articles/${former}/`)).toBe('/articles/c/');
  });

  test('offline publishes the slugs of its mirrors, and says so', async () => {
    const { build, logger } = await createSite();
    await build({ current: { 7: 'other' }, name: 'news' });
    await build({ current: { 1: 'a' } });
    vi.stubEnv('ARTICLES_OFFLINE', '1');
    const { published } = await build({ current: { 1: 'a' }, isRead: false });
    vi.unstubAllEnvs();
    expect(published).toContain('["articles/1",[["a",1]]]');
    expect(published).not.toContain('news');
    expect(logger.warn.mock.calls.flat()).toEqual([
      expect.stringContaining('has only the slugs in the mirrors of "articles"'),
    ]);
  });
});
