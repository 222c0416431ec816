import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { createRandom } from '../../fixtures/random.ts';
import type { RequestRecord } from '../../fixtures/requests.ts';
import { siteAt } from '../../src/content/site-state.ts';
import { idOf, liveArticlesLoader } from '../../src/live/index.ts';
import { openMirror } from '../../src/mirror/mirror.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { type Load, useSite } from '../helpers/use-site.ts';

const count = 70;
const newest = 30;
const options = { newest, pageSize: 10 };
const site = useSite({ articles: () => makeArticles(count, { words: [5, 20] }), options });

/** Loads once, and counts the requests. */
async function load(...args: Parameters<typeof site.load>) {
  site.service.clearRequests();
  const loaded = await site.load(...args);
  expect(loaded.failure).toBeUndefined();
  const { service } = site;
  return { ...loaded, lists: service.count('list'), articles: service.count('article') };
}

/** The ids of a collection, the newest first. */
function idsOf({ entries }: Load): number[] {
  return [...entries.values()]
    .toSorted((a, b) => Number(b.data.position) - Number(a.data.position))
    .map(({ id }) => Number(id));
}

const idsFrom = (highest: number, length = newest) =>
  Array.from({ length }, (_, index) => highest - index);
const positionsOf = ({ entries }: Load) =>
  [...entries.values()].map(({ data }) => Number(data.position)).toSorted((a, b) => b - a);
const addArticle = (id: number) =>
  site.service.add({ id, title: `Title ${id}`, content: 'Text.', cover_image: null });

async function slugHistory() {
  const parent = join(site.root, 'cache/astro-articles');
  const source = `${site.service.url}/`;
  const place = { parent, collection: 'articles', source, cacheFolder: parent };
  return openMirror(place);
}

describe('with `newest`, a load', () => {
  it('requests the newest articles only, and those that changed later', async () => {
    const first = await load();
    expect(idsOf(first)).toEqual(idsFrom(count));
    expect(first).toMatchObject({ lists: 4, articles: newest });
    expect(await load()).toMatchObject({ lists: 4, articles: 0 });
    site.service.change(45, { content: 'Changed among the newest.' });
    site.service.change(7, { content: 'Changed elsewhere.' });
    const later = await load();
    expect(later).toMatchObject({ lists: 4, articles: 1 });
    expect(later.entries.get('45')?.body).toBe('Changed among the newest.');
  });

  it('drops what leaves, without a proof, a failure or a removal', async () => {
    await load();
    for (let id = 71; id <= 91; id++) addArticle(id);
    const later = await load();
    expect(idsOf(later)).toEqual(idsFrom(91));
    expect(later).toMatchObject({ lists: 4, articles: 21, warnings: [] });
    expect(later.log).toContain(
      '30 articles shown: 21 added, 0 updated, 9 unchanged, 0 removed, 21 no longer among the newest;',
    );
  });

  it('accepts more new articles than it loads, and refuses those of another project', async () => {
    await load();
    for (let id = 71; id <= 71 + newest; id++) addArticle(id);
    site.service.remove(70);
    const later = await load();
    expect(idsOf(later)).toEqual(idsFrom(71 + newest));
    expect(later.articles).toBe(newest + 1);
    site.service.replace(
      makeArticles(60).map((article, index) => ({ ...article, id: 900 - index })),
    );
    expect(await site.loadFails()).toMatchObject({ code: 'mass-removal' });
  });

  it('accepts more new articles than it loads, although an older one cannot be read', async () => {
    await load();
    for (let id = 71; id <= 71 + newest; id++) addArticle(id);
    const oldest = ({ id }: RequestRecord) => id === '41';
    site.strike(oldest, { kind: 'status', status: 400 });
    const later = await load();
    expect(idsOf(later)).toEqual(idsFrom(71 + newest));
    expect(later.log).toContain('0 removed, 30 no longer among the newest');
  });

  it('proves that an article among the newest is gone, and loads the next older one', async () => {
    await load();
    site.service.remove(60);
    const later = await load();
    expect(idsOf(later)).toEqual(idsFrom(70, newest + 1).filter((id) => id !== 60));
    expect(later.log).toMatch(/1 added, 0 updated, 29 unchanged, 1 removed; /);
    // The new one, and twice the one that is gone.
    expect(later.articles).toBe(3);
  });

  it('takes no article for gone that moved behind the newest ones', async () => {
    await load();
    const moved = site.service.articles[5];
    if (!moved) return expect.fail('There is no such article.');
    site.service.replace([...site.service.articles.toSpliced(5, 1), moved]);
    const later = await load();
    expect(later.log).toMatch(/1 added, 0 updated, 29 unchanged, 0 removed, 1 no longer among/);
    expect(later.articles).toBe(2);
  });

  it('reads a listing whose oldest articles come first from its end', async () => {
    site.service.options.order = 'oldest-first';
    const first = await load({ order: 'oldest-first' });
    expect(idsOf(first)).toEqual(idsFrom(count));
    expect(positionsOf(first)).toEqual(idsFrom(count));
    expect(first).toMatchObject({ lists: 5, articles: newest });
    addArticle(71);
    const later = await load({ order: 'oldest-first' });
    expect(idsOf(later)).toEqual(idsFrom(71));
    expect(later).toMatchObject({ lists: 5, articles: 1, warnings: [] });
    const offline = await load({ order: 'oldest-first', newest: 20, offline: true });
    expect(idsOf(offline)).toEqual(idsFrom(71, 20));
  });

  it('fails without changes when such a listing has no `count`', async () => {
    Object.assign(site.service.options, { order: 'oldest-first', envelope: 'array' });
    const { code, message } = await site.loadFails({ order: 'oldest-first' });
    expect(code).toBe('listing-unusable');
    expect(message).toContain('no `count`');
  });

  it.each([
    [3, 'says that it has 73 articles, but lists 27 of the newest 30'],
    [100, 'says that it has 170 articles, but lists only 0 of the newest 30'],
  ])('warns or fails when the `count` of such a listing is too high by %i', async (more, text) => {
    site.service.options.order = 'oldest-first';
    const fetchMore: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (!String(url).includes('?')) return response;
      const page = await response.json();
      return Response.json({ ...page, count: page.count + more });
    };
    const options: ArticlesOptions = { order: 'oldest-first', fetch: fetchMore };
    const { failure, warnings } = await site.load(options);
    expect(failure?.message ?? warnings.join('\n')).toContain(text);
  });

  it('follows a change of `newest`, also without requests', async () => {
    await load({ newest: 50 });
    const fewer = await load({ newest: 20 });
    expect(idsOf(fewer)).toEqual(idsFrom(count, 20));
    expect(fewer).toMatchObject({ lists: 3, articles: 0, warnings: [] });
    const more = await load({ newest: 40 });
    expect(idsOf(more)).toEqual(idsFrom(count, 40));
    expect(more).toMatchObject({ articles: 20, warnings: [] });
    const offline = await load({ newest: 20, offline: true });
    expect(idsOf(offline)).toEqual(idsFrom(count, 20));
    expect(positionsOf(offline)).toEqual(idsFrom(count, 20));
    const all = await load({ newest: undefined });
    expect(idsOf(all)).toEqual(idsFrom(count, count));
    expect(idsOf(await load({ newest: 25 }))).toEqual(idsFrom(count, 25));
  });

  it('counts rows, those of drafts and of articles that `transform` leaves out included', async () => {
    site.service.change(68, { content: '' });
    const transform = (article: { id: string }) => (article.id === '50' ? undefined : article);
    const shown = await load({ transform: transform as never });
    expect(idsOf(shown)).toEqual(idsFrom(count).filter((id) => id !== 68 && id !== 50));
  });
});

describe('`position`', () => {
  it('is that in the whole listing, where the service counts it', async () => {
    const first = await load();
    expect(positionsOf(first)).toEqual(idsFrom(count));
    addArticle(71);
    const later = await load();
    for (const [id, { data }] of later.entries) expect(data.position).toBe(Number(id));
  });

  it('is that among the newest articles otherwise', async () => {
    site.service.options.envelope = 'array';
    expect(positionsOf(await load())).toEqual(idsFrom(newest));
  });
});

describe('the history of slugs', () => {
  it('keeps an article that leaves, also as a draft, and drops one that is gone', async () => {
    await load();
    const { current } = siteAt(pathToFileURL(`${site.root}/`)).slugs.get('articles') ?? {};
    const published = new Map([...(current ?? [])].map(([id, slug]) => [id, [slug]]));
    await (await slugHistory()).addSlugs(published);
    site.service.remove(60);
    site.service.change(41, { content: '' });
    const [moved] = site.service.articles.filter(({ id }) => id === 65);
    site.service.remove(65);
    site.service.replace([...site.service.articles, ...(moved ? [moved] : [])]);
    for (let id = 71; id <= 73; id++) addArticle(id);
    await load();
    const kept = (await slugHistory()).slugs();
    expect(kept.get('41')).toEqual(published.get('41'));
    expect(kept.get('42')).toEqual(published.get('42'));
    expect(kept.get('65')).toEqual(published.get('65'));
    expect(kept.has('60')).toBe(false);
    expect(kept.size).toBe(newest - 1);
  });
});

describe('a service with a million articles', () => {
  const total = 1_000_000;
  const articleOf = (id: number) => ({
    id,
    title: `Title ${id}`,
    content: `Text ${id}.`,
    cover_image: null,
  });

  /** Makes each article when it is requested. */
  function createService(order: 'newest-first' | 'oldest-first') {
    const paths: string[] = [];
    const fetch: NonNullable<ArticlesOptions['fetch']> = async (input) => {
      const { pathname, searchParams } = new URL(String(input));
      const id = Number(/articles\/(\d+)\/$/.exec(pathname)?.[1]);
      paths.push(pathname);
      if (id) return Response.json(articleOf(id), { status: id <= total ? 200 : 404 });
      const offset = Number(searchParams.get('offset'));
      const length = Math.max(0, Math.min(Number(searchParams.get('limit')), total - offset));
      const idAt = (at: number) => (order === 'newest-first' ? total - at : at + 1);
      const results = Array.from({ length }, (_, index) => articleOf(idAt(offset + index)));
      return Response.json({
        count: total,
        next: offset + length < total ? 'more' : null,
        results,
      });
    };
    return { fetch, paths };
  }

  it.each([
    ['newest-first', 3],
    ['oldest-first', 4],
  ] as const)('needs as many requests as a small one (%s)', async (order, requests) => {
    const { fetch, paths } = createService(order);
    const loaded = await load({ fetch, order, newest: 1_000, pageSize: 500, trustList: true });
    expect(paths).toHaveLength(requests);
    expect(idsOf(loaded)).toEqual(idsFrom(total, 1_000));
    expect(loaded.entries.get('999001')?.data.position).toBe(999_001);
  });

  it('has one URL for each article, also of an old title, and none for others', async () => {
    const { fetch, paths } = createService('newest-first');
    const loader = liveArticlesLoader({
      baseUrl: 'https://app.example.com',
      apiKey: 'k-1234567',
      fetch,
    });
    const entryAt = (slug: string) =>
      loader.loadEntry({ filter: { id: idOf(slug) ?? '' }, collection: 'live' });
    const random = createRandom(7);
    const slugs = new Set<string>();
    const ids = new Set(Array.from({ length: 2_000 }, () => 1 + Math.floor(random() * total)));
    for (const id of ids) {
      const entry = await entryAt(`an-old-title-${id}`);
      if (!entry || 'error' in entry) return expect.fail(`The article ${id} was not found.`);
      const { slug } = entry.data;
      expect({ id: entry.id, slug }).toEqual({ id: String(id), slug: `title-${id}-${id}` });
      expect(idOf(slug)).toBe(entry.id);
      slugs.add(slug);
    }
    expect(slugs.size).toBe(ids.size);
    expect(paths).toHaveLength(ids.size);
    for (const id of [total + 1, 2 * total]) {
      expect(await entryAt(`title-${id}`)).toBeUndefined();
    }
  });
});
