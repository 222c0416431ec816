import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cacheTags } from '../../../src/live/index.ts';
import { type PurgeOptions, purge } from '../../../src/webhook/index.ts';
import { createManualClock } from './manual-clock.ts';

const { signal } = new AbortController();

function createCache({ enabled = true } = {}) {
  const tags: string[][] = [];
  return {
    tags,
    enabled,
    async invalidate(input: { tags: string[] }) {
      tags.push(input.tags);
    },
  };
}

async function tagsFor(body: unknown, options: PurgeOptions = {}): Promise<string[] | undefined> {
  const cache = createCache();
  const clock = createManualClock();
  let running = true;
  const done = purge({ ...options, cache }, clock).run({ body, context: {}, signal });
  const ended = done.finally(() => {
    running = false;
  });
  // Hashing a tag takes real time.
  while (running) await clock.advance(1_000);
  await ended;
  await clock.advance(60_000);
  // Pages that were being rendered elsewhere are invalidated, too.
  expect(cache.tags).toEqual([cache.tags[0], cache.tags[0]]);
  return cache.tags[0];
}

describe('the article that a body names', () => {
  test.each([
    [{ id: 'a1' }],
    [{ id: 'a1', title: 'T', content: 'C', cover_image: null }],
    [{ article_id: 'a1', id: 'event-7' }],
    [{ articleId: 'a1' }],
    [{ event: 'published', article: { id: 'a1', title: 'T' } }],
    [{ id: 'event-7', article: { id: 'a1' } }],
    [{ id: 'event-7', type: 'article.published', data: { id: 'a1' } }],
    [{ id: 'event-7', data: { article_id: 'a1' } }],
    [{ type: 'article.published', data: { article: { id: 'a1' } } }],
    [{ payload: { data: { id: 'a1' } } }],
    [[{ id: 'a1' }]],
    [{ articles: [{ id: 'a1' }, { id: 'a1' }] }],
  ])('%j', async (body) => {
    expect(await tagsFor(body)).toEqual(['articles:a1', 'articles/list']);
  });

  test('a number', async () => {
    expect(await tagsFor({ id: 42 })).toEqual(['articles:42', 'articles/list']);
  });

  test('an id with characters that tags cannot contain', async () => {
    expect(await tagsFor({ id: 'a, b/é' })).toEqual([
      'articles:a%2C%20b%2F%C3%A9',
      'articles/list',
    ]);
  });

  test('an id that is too long for a tag', async () => {
    const id = 'é'.repeat(400);
    const [tag = ''] = (await tagsFor({ id })) ?? [];
    expect(tag).toMatch(/^sha256\/[0-9a-f]{64}$/);
    expect(await cacheTags('articles', id)).toEqual(['articles', tag]);
  });

  test('several', async () => {
    const body = { data: [{ id: 'a' }, { id: 'b' }] };
    expect(await tagsFor(body)).toEqual(['articles:a', 'articles:b', 'articles/list']);
  });
});

test.each([
  [undefined],
  [null],
  ['a1'],
  [42],
  [{}],
  [[]],
  [{ id: '' }],
  [{ id: null }],
  [{ id: { nested: true } }],
  [{ id: '\ud800' }],
  [{ id: 'event-7', data: { slug: 'x' } }],
  [{ data: { data: { data: { data: { data: { data: { id: 'deep' } } } } } } }],
  [Array.from({ length: 101 }, (_, id) => ({ id }))],
  // JSON rounds it.
  [{ id: 12345678901234567000 }],
  [{ articles: [{ id: 'a' }, { id: 1.5 }] }],
  [{ id: 'x'.repeat(513) }],
  [{ articles: [{ id: 'a' }, { id: 'b\n' }] }],
])('all pages of the collection, since no article is named: %j', async (body) => {
  expect(await tagsFor(body)).toEqual(['articles']);
});

test('all pages of the collection, for lists nested thousands of levels deep', async () => {
  const body: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  expect(await tagsFor(body)).toEqual(['articles']);
});

test('another collection', async () => {
  expect(await tagsFor({ id: 'a' }, { collection: 'news' })).toEqual(['news:a', 'news/list']);
  expect(await tagsFor({}, { collection: 'news' })).toEqual(['news']);
});

test('the cache of the request is used, unless another one is passed', async () => {
  const requestCache = createCache();
  const otherCache = createCache();
  const context = { cache: requestCache };
  await purge().run({ body: {}, context, signal });
  await purge(otherCache).run({ body: {}, context, signal });
  expect(requestCache.tags).toHaveLength(1);
  expect(otherCache.tags).toHaveLength(1);
});

test('there is nothing to do while Astro’s cache is off', async () => {
  const cache = createCache({ enabled: false });
  await purge().run({ body: {}, context: { cache }, signal });
  expect(cache.tags).toEqual([]);
});

test.each([[undefined], [{}], [{ cache: {} }], [new Request('https://site.example')]])(
  'fails with a hint where there is no cache',
  async (context) => {
    await expect(purge().run({ body: {}, context, signal })).rejects.toThrow(/cache of Astro/);
  },
);

test('any body leads to tags that hosts accept', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.string({ unit: 'binary' }), async (value, id) => {
      for (const body of [value, { id }, { data: { id, value } }]) {
        for (const tag of (await tagsFor(body)) ?? []) expect(tag).toMatch(/^[!-+\--~]{1,128}$/);
      }
    }),
    { numRuns: 15 },
  );
});
