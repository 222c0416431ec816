import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { articleSchema } from '../../src/content/schema.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { fixtureCover } from '../helpers/image-host.ts';
import { offline, useSite } from '../helpers/use-site.ts';

// Services whose rows lack the text of their articles.

const count = 12;
let revision = 0;
const site = useSite({
  service: { rows: 'summary' },
  articles: () =>
    makeArticles(count, { words: [3, 40] }).map((article) => ({ ...article, updated_at: 'first' })),
});

/** Loads, and returns the ids of the articles that were requested. */
async function requested(options: ArticlesOptions = {}): Promise<number[]> {
  site.service.clearRequests();
  await site.loadExactly(options);
  const ids = site.service.requests.flatMap(({ kind, id }) => (kind === 'article' ? id : []));
  return ids.map(Number).toSorted((a, b) => a - b);
}

/** Changes the text of an article and its field. */
function edit(id: number): void {
  revision += 1;
  site.service.change(id, { content: `Edit ${revision}.`, updated_at: `edit ${revision}` });
}

const withoutCovers = {
  kind: 'rewrite',
  rewrite: (page: unknown) =>
    JSON.parse(JSON.stringify(page, (name, value) => (name === 'cover_image' ? undefined : value))),
} as const;

const all = Array.from({ length: count }, (_, index) => index + 1);

describe('with `rows.changedBy`, a later load', () => {
  const options = { rows: { changedBy: 'updated_at' } };

  it('fetches only the articles whose field changed, and those without the field', async () => {
    for (const id of [2, 4]) site.service.change(id, { updated_at: null });
    await site.loadExactly(options);
    expect(await requested(options)).toEqual([2, 4]);
    edit(3);
    edit(4);
    expect(await requested(options)).toEqual([2, 3, 4]);
    expect(await requested(options)).toEqual([2]);
  });

  it('fetches no article of which only the row has changed, and shows its new field', async () => {
    let section = 'coast';
    const addField = (row: object) => ({ ...row, section });
    const rewrite = (page: unknown) => ({ results: Object(page).results.map(addField) });
    site.strike('list', { kind: 'rewrite', rewrite });
    const schema = (context: SchemaContext) => articleSchema(context).catchall(z.unknown());
    await site.load(options, { schema });
    section = 'sea';
    site.service.clearRequests();
    const { entries } = await site.load(options, { schema });
    expect(site.service.count('article')).toBe(0);
    expect(entries.get('3')?.data).toMatchObject({ section, updated_at: 'first' });
  });

  it.each([
    ['no cover', null],
    ['a thumbnail', '/media/pause.gif'],
  ])('shows the cover of an article whose row has %s', async (_, cover) => {
    const small = (row: object) => ({ ...row, cover_image: cover });
    const rewrite = (page: unknown) => ({ results: Object(page).results.map(small) });
    site.strike('list', { kind: 'rewrite', rewrite });
    site.service.change(5, { cover_image: '/media/tides.jpg?X-Amz-Signature=a' });
    const covers = [];
    for (let load = 0; load < 3; load++) {
      const { entries, warnings } = await site.load(options);
      expect(warnings).toEqual([]);
      covers.push(entries.get('5')?.data.cover_image);
    }
    expect(covers).toEqual(Array(3).fill(expect.stringMatching(/\.jpg$/)));
  });

  it('fetches each article, and says so, while no row has the field', async () => {
    const misspelt = { rows: { changedBy: 'updated' } };
    for (let build = 0; build < 2; build++) {
      site.service.clearRequests();
      const { failure, warnings } = await site.load(misspelt);
      expect(failure).toBeUndefined();
      expect(warnings).toEqual([expect.stringContaining('has the field "updated"')]);
      expect(site.service.count('article')).toBe(count);
    }
    await requested(options);
    expect(await requested(options)).toEqual([]);
  });

  it('fetches an article again that was older than its row', async () => {
    await site.loadExactly(options);
    // A replica responds with the article before the edit.
    const { articles } = site.service;
    edit(7);
    const edited = site.service.articles;
    site.service.beforeResponse = ({ kind, id }) => {
      if (kind === 'article' && id === '7') site.service.replace(articles);
    };
    await site.load(options);
    site.service.beforeResponse = undefined;
    site.service.replace(edited);
    expect(await requested(options)).toEqual([7]);
  });

  it.each([
    ['fetches an article again that a cache had before its field changed', 3_000, [7]],
    ['fetches no article that a cache has had since its field changed', 30, []],
  ])('%s', async (_, age, ids) => {
    const now = Date.now();
    const updated_at = new Date(now - 600_000).toISOString();
    for (const id of all) site.service.change(id, { updated_at: 'first' });
    const withField = (row: object) => (Object(row).id === 7 ? { ...row, updated_at } : row);
    const rewrite = (page: unknown) => ({ results: Object(page).results.map(withField) });
    const article = { ...site.service.articles.find(({ id }) => id === 7), updated_at: undefined };
    site.strike('list', { kind: 'rewrite', rewrite });
    const headers = { age: String(age), date: new Date(now).toUTCString() };
    const body = JSON.stringify(article);
    site.strike((request) => request.id === '7', { kind: 'body', body, headers });
    await site.load(options);
    site.service.clearRequests();
    await site.load(options);
    const requests = site.service.requests.filter(({ kind }) => kind === 'article');
    expect(requests.map(({ id }) => Number(id))).toEqual(ids);
  });

  it('fetches an article again whose signed cover is missing', async () => {
    site.service.change(5, { cover_image: '/media/tides.jpg?X-Amz-Signature=a' });
    site.strike('list', withoutCovers);
    site.strike('media', { kind: 'status', status: 404 }, 1);
    await site.loadExactly(options);
    expect(await requested(options)).toEqual([5]);
    expect(await requested(options)).toEqual([]);
  });

  it('reports no missing signed cover in an offline load, or with whole rows', async () => {
    const cover_image = '/media/tides.jpg?X-Amz-Signature=a';
    site.service.options.rows = 'full';
    site.service.change(5, { cover_image });
    site.strike('media', { kind: 'status', status: 404 }, 1);
    await site.loadExactly(options);
    await site.loadExactly(options, offline);
    site.strike('article', { kind: 'status', status: 404 });
    site.strike('media', { kind: 'status', status: 404 });
    await site.loadExactly({ rows: 'whole' });
  });

  it('fetches no article again for a cover that the site does not show', async () => {
    site.strike('list', withoutCovers);
    for (const id of [1, 2, 3])
      site.service.change(id, { cover_image: '/media/tides.jpg?X-Amz-Signature=a' });
    site.service.change(1, { content: '' });
    const transform: ArticlesOptions['transform'] = (article) =>
      article.id === '2' ? undefined : { ...article, cover_image: null };
    await site.load({ ...options, transform });
    site.service.clearRequests();
    await site.load({ ...options, transform });
    expect(site.service.count('article')).toBe(0);
  });

  it.each([5, 6])('requests a stale cover as the changed article %i signs it', async (id) => {
    const body = await fixtureCover('pause.gif');
    const headers = { 'cache-control': 'max-age=0' };
    site.strike('media', { kind: 'body', type: 'image/gif', body, headers });
    site.strike('list', withoutCovers);
    for (const signature of ['old', 'new']) {
      const cover_image = `/media/pause.gif?X-Amz-Signature=${signature}`;
      for (const each of [5, 6]) site.service.change(each, { cover_image });
      edit(id);
      await requested(options);
    }
    const paths = site.service.requests.map(({ path }) => path);
    expect(paths.filter((path) => path.includes('Amz'))).toEqual([expect.stringMatching(/new$/)]);
  });
});

it('without `rows.changedBy`, each later load fetches every article', async () => {
  await site.loadExactly();
  expect(await requested()).toEqual(all);
});

it('`query` is a part of each request for the listing', async () => {
  await site.loadExactly({ query: { status: 'published', 'a b': '&' } });
  const paths = site.service.requests.filter(({ kind }) => kind === 'list').map(({ path }) => path);
  expect(paths.length).toBeGreaterThan(0);
  for (const path of paths) expect(path).toContain('&status=published&a+b=%26');
});
