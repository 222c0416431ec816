import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { getArticles } from '../../../src/content/get-articles.ts';
import { siteAt } from '../../../src/content/site-state.ts';

const getCollection = vi.hoisted(() => vi.fn());
vi.mock('astro:content', () => ({ getCollection }));

// The types of a site know the names of its collections.
const articlesOf = getArticles as (name?: unknown, filter?: unknown) => Promise<Entry[]>;

interface Entry {
  id: string;
  data: { position?: number; tags?: string[] };
}

const { reloads } = siteAt(new URL('file:///site/'));
/** The names of collections, none of which another test has read. */
let names: [string, string] = ['', ''];
let count = 0;
beforeEach(() => {
  count += 1;
  names = [`news-${count}`, `articles-${count}`];
  for (const name of names) reloads.set(name, async () => {});
  vi.stubEnv('DEV', false);
  getCollection.mockReset();
  getCollection.mockImplementation(async (name: string) => [
    { id: 'file', data: {} },
    { id: 'old', data: { position: 1, tags: ['b'] } },
    { id: `new of ${name}`, data: { position: 10, tags: ['a'] } },
    { id: 'middle', data: { position: 9, tags: ['a', 'b'] } },
  ]);
});
afterEach(() => {
  reloads.clear();
  vi.unstubAllEnvs();
});

const idsOf = (entries: Entry[]) => entries.map(({ id }) => id);

it('lists the newest article first, and entries of other loaders last', async () => {
  const [name] = names;
  expect(idsOf(await articlesOf(name))).toEqual([`new of ${name}`, 'middle', 'old', 'file']);
});

it('lists the entries for which the filter returns a truthy value, as it is called with each', async () => {
  const [name] = names;
  const filter = vi.fn(({ data }: Entry) => data.tags?.indexOf('b'));
  expect(idsOf(await articlesOf(name, filter))).toEqual([`new of ${name}`, 'middle']);
  expect(filter.mock.calls.map((given) => given.length)).toEqual([1, 1, 1, 1]);
});

it('reads each collection once, and returns a list of its own to each call', async () => {
  const [one, two] = names;
  const [first, again] = await Promise.all([articlesOf(one), articlesOf(one)]);
  first?.reverse();
  expect(idsOf(again ?? [])[0]).toBe(`new of ${one}`);
  expect(idsOf(await articlesOf(one))[0]).toBe(`new of ${one}`);
  expect(idsOf(await articlesOf(two))[0]).toBe(`new of ${two}`);
  expect(getCollection.mock.calls).toEqual([[one], [two]]);
});

it('reads a collection again that could not be read', async () => {
  const [name] = names;
  getCollection.mockRejectedValueOnce(new Error('busy'));
  await expect(articlesOf(name)).rejects.toThrow('busy');
  expect(await articlesOf(name)).toHaveLength(4);
});

it('reads a collection for each call in `astro dev`, where it may have changed', async () => {
  const [name] = names;
  vi.stubEnv('DEV', true);
  await articlesOf(name);
  await articlesOf(name);
  expect(getCollection).toHaveBeenCalledTimes(2);
});

it('returns frozen entries, with frozen data and lists, because all pages share them', async () => {
  const [entry] = await articlesOf(names[0]);
  expect([entry, entry?.data, entry?.data.tags].map(Object.isFrozen)).toEqual([true, true, true]);
});

describe('a name that is not that of a collection', () => {
  test.each([
    [undefined, 'called with "undefined", which is not a collection of astro-articles.'],
    ['posts', 'called with "posts", which is not a collection of astro-articles.'],
    [5, 'called with "5", which is not a collection of astro-articles.'],
  ])('is an error that lists the collections: %j', async (name, message) => {
    const [news, articles] = names;
    await expect(articlesOf(name)).rejects.toMatchObject({
      message: `getArticles() was ${message}`,
      hint: expect.stringContaining(
        `Write \`getArticles('${articles}')\`. Collections of astro-articles: "${articles}", "${news}".`,
      ),
    });
    expect(getCollection).not.toHaveBeenCalled();
  });

  it('is an error that says how to find out why Astro has loaded none', async () => {
    reloads.clear();
    await expect(articlesOf('articles')).rejects.toMatchObject({
      message: expect.stringContaining('but Astro has loaded no collection of astro-articles'),
      hint: expect.stringMatching(
        /`articles: defineCollection\(\{ loader: articlesLoader\(\) \}\)`.*`npx astro sync`/,
      ),
    });
  });
});
