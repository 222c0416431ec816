import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { useSite } from '../helpers/use-site.ts';

// Services whose rows lack the text of their articles.

const count = 12;
let revision = 0;
const site = useSite({
  service: { rows: 'summary' },
  articles: () =>
    makeArticles(count, { words: [3, 40] }).map((article) => ({ ...article, updated_at: 'first' })),
});

/** Loads, and returns the statuses of the requests for articles. */
async function statuses(options: ArticlesOptions = {}): Promise<number[]> {
  site.service.clearRequests();
  await site.loadExactly(options);
  return site.service.requests.filter(({ kind }) => kind === 'article').map(({ status }) => status);
}

/** Changes the text of an article and its field. */
function edit(id: number): void {
  revision += 1;
  site.service.change(id, { content: `Edit ${revision}.`, updated_at: `edit ${revision}` });
}

describe('with `updatedField`, a later load', () => {
  const options = { updatedField: 'updated_at' };

  it('fetches only the articles whose field changed', async () => {
    await site.loadExactly(options);
    expect(await statuses(options)).toEqual([]);
    edit(3);
    edit(5);
    expect(await statuses(options)).toEqual([200, 200]);
  });

  it('fetches articles without the field', async () => {
    for (const id of [2, 4]) site.service.change(id, { updated_at: null });
    await site.loadExactly(options);
    expect(await statuses(options)).toEqual([304, 304]);
  });

  it('fetches each article once after the option was set', async () => {
    await site.loadExactly();
    expect(await statuses(options)).toEqual(Array.from({ length: count }, () => 200));
    expect(await statuses(options)).toEqual([]);
  });

  it('fetches an article again whose file is lost, and one that was older than its row', async () => {
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
    expect(await statuses(options)).toEqual([200]);
  });
});

describe('without `updatedField`, a later load', () => {
  it('sends conditional requests, and reports how many articles were not modified', async () => {
    await site.loadExactly();
    edit(3);
    expect((await statuses()).toSorted()).toEqual([
      200,
      ...Array.from({ length: count - 1 }, () => 304),
    ]);
    const { log } = await site.load();
    expect(log).toContain(`(${count} not modified)`);
  });

  it('notices a change that only the row shows', async () => {
    await site.loadExactly();
    site.service.change(4, { views: 7 });
    expect((await statuses()).filter((status) => status === 200)).toEqual([200]);
  });

  it('fetches every article if the service sends no validators', async () => {
    site.service.options.validators = false;
    await site.loadExactly();
    expect(await statuses()).toEqual(Array.from({ length: count }, () => 200));
  });
});

it('`query` is a part of each request for the listing', async () => {
  await site.loadExactly({ query: { status: 'published', 'a b': '&' } });
  const paths = site.service.requests.filter(({ kind }) => kind === 'list').map(({ path }) => path);
  expect(paths.length).toBeGreaterThan(0);
  for (const path of paths) expect(path).toContain('&status=published&a+b=%26');
  await expect(async () => site.load({ query: { limit: '3' } })).rejects.toThrow('query');
});
