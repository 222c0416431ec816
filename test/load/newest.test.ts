import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { createRandom } from '../../fixtures/random.ts';
import { siteAt } from '../../src/content/site-state.ts';
import { idOf, liveArticlesLoader } from '../../src/live/index.ts';
import { openMirror } from '../../src/mirror/mirror.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { takeUp } from '../../src/redirects/history.ts';
import { type Load, offline, useSite } from '../helpers/use-site.ts';

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

function openHistory() {
  const parent = join(site.root, 'cache/astro-articles');
  const mirror = openMirror({ parent, collection: 'articles', source: `${site.service.url}/` });
  mirror.close();
  return mirror;
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

  it('requests no known article, and removes none, when all of the newest are new', async () => {
    await load();
    for (let id = 71; id <= 71 + newest; id++) addArticle(id);
    site.service.remove(70);
    site.service.clearRequests();
    const later = await load();
    expect(idsOf(later)).toEqual(idsFrom(71 + newest));
    const known = site.service.requests.filter(({ id }) => Number(id) <= count);
    expect(known).toEqual([]);
    expect(later).toMatchObject({ articles: newest, warnings: [] });
    expect(later.log).toContain('0 removed, 30 no longer among the newest');
  });

  it('loads the next older article in place of one that is gone, and requests nothing else', async () => {
    await load();
    site.service.remove(60);
    const later = await load();
    expect(idsOf(later)).toEqual(idsFrom(70, newest + 1).filter((id) => id !== 60));
    expect(later.log).toMatch(/1 added, 0 updated, 29 unchanged, 0 removed, 1 no longer among/);
    expect(later.articles).toBe(1);
  });

  it('proves what is gone, while there are fewer articles than it loads', async () => {
    site.service.replace(makeArticles(25, { words: [5, 20] }));
    await load();
    site.service.remove(20);
    const later = await load();
    expect(idsOf(later)).toEqual(idsFrom(25, 25).filter((id) => id !== 20));
    expect(later.log).toMatch(/0 added, 0 updated, 24 unchanged, 1 removed; /);
    site.service.replace(makeArticles(8, { words: [5, 20] }));
    expect(await site.loadFails()).toMatchObject({ code: 'mass-removal' });
  });

  it('follows a change of `newest`, also without requests', async () => {
    await load({ newest: 50 });
    const fewer = await load({ newest: 20 });
    expect(idsOf(fewer)).toEqual(idsFrom(count, 20));
    expect(fewer).toMatchObject({ lists: 3, articles: 0, warnings: [] });
    const more = await load({ newest: 40 });
    expect(idsOf(more)).toEqual(idsFrom(count, 40));
    expect(more).toMatchObject({ articles: 20, warnings: [] });
    const kept = await load({ newest: 20 }, offline);
    expect(idsOf(kept)).toEqual(idsFrom(count, 20));
    expect(positionsOf(kept)).toEqual(idsFrom(count, 20));
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
  /** Loads, publishes, changes articles and loads again. Returns the histories before and after. */
  async function historyAfter(change: () => void) {
    await load();
    const { current } = siteAt(pathToFileURL(`${site.root}/`)).slugs.get('articles') ?? {};
    const published = takeUp(new Map(), current ?? new Map());
    openHistory().writeAddresses(published);
    change();
    await load();
    return { published, kept: openHistory().addresses };
  }

  it('keeps an article that leaves, also as a draft, and when it is gone', async () => {
    const { published, kept } = await historyAfter(() => {
      site.service.remove(60);
      site.service.change(41, { content: '' });
      for (let id = 71; id <= 101; id++) addArticle(id);
    });
    expect(kept).toEqual(published);
    expect(kept.size).toBe(newest);
  });

  it('drops an article that is gone, while there are fewer than the site loads', async () => {
    site.service.replace(makeArticles(25, { words: [5, 20] }));
    const { published, kept } = await historyAfter(() => site.service.remove(20));
    expect(published.size).toBe(25);
    expect(kept).toEqual(new Map([...published].filter(([id]) => id !== '20')));
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
  function createService() {
    const paths: string[] = [];
    const fetch: NonNullable<ArticlesOptions['fetch']> = async (input) => {
      const { pathname, searchParams } = new URL(String(input));
      const id = Number(/articles\/(\d+)\/$/.exec(pathname)?.[1]);
      paths.push(pathname);
      if (id) return Response.json(articleOf(id), { status: id <= total ? 200 : 404 });
      const offset = Number(searchParams.get('offset'));
      const length = Math.max(0, Math.min(Number(searchParams.get('limit')), total - offset));
      const results = Array.from({ length }, (_, index) => articleOf(total - offset - index));
      return Response.json({
        count: total,
        next: offset + length < total ? 'more' : null,
        results,
      });
    };
    return { fetch, paths };
  }

  it('needs as many requests as a small one', async () => {
    const { fetch, paths } = createService();
    const loaded = await load({ fetch, newest: 1_000, pageSize: 500, rows: 'whole' });
    expect(paths).toHaveLength(3);
    expect(idsOf(loaded)).toEqual(idsFrom(total, 1_000));
    expect(loaded.entries.get('999001')?.data.position).toBe(999_001);
  });

  it('has one URL for each article, also of an old title, and none for others', async () => {
    const { fetch, paths } = createService();
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
