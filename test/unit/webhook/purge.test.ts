import { createServer } from 'node:http';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { listen } from '../../../fixtures/listen.ts';
import { cacheTags } from '../../../src/live/index.ts';
import { type PurgeOptions, purge, webhook } from '../../../src/webhook/index.ts';
import { runs } from '../../helpers/runs.ts';
import { createManualClock } from './manual-clock.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

const site = 'https://site.example';

function createCache({ enabled = true } = {}) {
  const tags: string[][] = [];
  const invalidate = async (input: { tags: string[] }) => void tags.push(input.tags);
  return { tags, enabled, invalidate };
}

const post = (body: unknown, url = site) =>
  new Request(url, { method: 'POST', body: JSON.stringify(body) ?? '' });

/** Sends a webhook to a process without waitUntil(), and lets a minute pass. */
async function send(options: PurgeOptions, body: unknown, context: object = {}): Promise<Response> {
  const clock = createManualClock();
  const handler = webhook({ secret: false, actions: [purge(options)] }, clock);
  const request = post(body);
  const response = handler({ request, ...context });
  await clock.advance(60_000);
  return response;
}

async function tagsFor(body: unknown, options: PurgeOptions = {}): Promise<string[] | undefined> {
  const cache = createCache();
  await send({ ...options, cache }, body);
  // Pages that were being rendered are invalidated, too.
  expect(cache.tags).toEqual(Array(3).fill(cache.tags[0]));
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

  test.each<[string, unknown, string[]]>([
    ['a number', { id: 42 }, ['articles:42']],
    ['characters that tags cannot contain', { id: 'a, b/é' }, ['articles:a%2C%20b%2F%C3%A9']],
    ['several', { data: [{ id: 'a' }, { id: 'b' }] }, ['articles:a', 'articles:b']],
  ])('with %s', async (_, body, tags) => {
    expect(await tagsFor(body)).toEqual([...tags, 'articles/list']);
  });

  test('an id that is too long for a tag', async () => {
    const id = 'é'.repeat(400);
    const [tag = ''] = (await tagsFor({ id })) ?? [];
    expect(tag).toMatch(/^sha256\/[0-9a-f]{64}$/);
    expect(await cacheTags('articles', id)).toEqual(['articles', tag]);
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

test('another collection', async () => {
  expect(await tagsFor({ id: 'a' }, { collection: 'news' })).toEqual(['news:a', 'news/list']);
  expect(await tagsFor({}, { collection: 'news' })).toEqual(['news']);
});

test('the cache of the request is used, unless another one is passed', async () => {
  const requestCache = createCache();
  const otherCache = createCache();
  await send({}, {}, { cache: requestCache });
  await send({ cache: otherCache }, {}, { cache: requestCache });
  expect(requestCache.tags).toHaveLength(3);
  expect(otherCache.tags).toHaveLength(3);
});

test('there is nothing to do while Astro’s cache is off', async () => {
  const cache = createCache({ enabled: false });
  expect((await send({}, {}, { cache })).status).toBe(200);
  expect(cache.tags).toEqual([]);
});

test.each([[{}], [{ cache: {} }], [{ cache: null }]])(
  'fails with a hint where there is no cache: %j',
  async (context) => {
    const logger = { warn: vi.fn() };
    const response = await send({}, {}, { ...context, logger });
    const { actions } = await response.json();
    expect(actions).toMatchObject([
      { action: 'purge', ok: false, attempts: 1, error: expect.stringContaining('no cache of') },
    ]);
    expect(logger.warn).toHaveBeenCalled();
  },
);

test('any body leads to tags that hosts accept', async () => {
  let tags = 0;
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.string({ unit: 'binary' }), async (value, id) => {
      for (const body of [value, { id }, { data: { id, value } }]) {
        for (const tag of (await tagsFor(body)) ?? []) {
          expect(tag).toMatch(/^[!-+\--~]{1,128}$/);
          tags += 1;
        }
      }
    }),
    { numRuns: 15 },
  );
  expect(tags).toBeGreaterThan(15);
});

test('a process without waitUntil() purges at once for each request, and again after 1 and 12 seconds', async () => {
  const clock = createManualClock();
  const cache = createCache();
  const handler = webhook({ secret: false, actions: [purge({ cache })] }, clock);
  for (const id of ['a', 'b']) {
    const response = handler(post({ id }));
    await clock.advance(200);
    expect((await response).status).toBe(200);
  }
  const both = [
    ['articles:a', 'articles/list'],
    ['articles:b', 'articles/list'],
  ];
  expect(cache.tags).toEqual(both);
  await clock.advance(1_000);
  expect(cache.tags).toEqual([...both, ...both]);
  await clock.advance(10_000);
  expect(cache.tags).toHaveLength(4);
  await clock.advance(1_000);
  expect(cache.tags).toEqual([...both, ...both, ...both]);
});

describe('warm', () => {
  const enabled = createCache();

  /** Parts of ids that change a URL if they are not encoded. */
  const parts =
    '/ // \\ \\\\ ? # . .. ; : @ & = + % %2e %2F %5c $& ~ \' " < [ ] | ^ a b 7 é 😀 \t \n \0 \u0085 \u2028 evil.example http:';
  const ids = fc
    .array(fc.constantFrom(' ', ...parts.split(' ')), { minLength: 1, maxLength: 8 })
    .map((list) => list.join(''));
  /** What the page's path has before the id, as it is written and as URLs have it, and after the id. */
  const patterns = fc.record({
    before: fc.constantFrom(
      ...[
        ['/', '/'],
        ['/live/', '/live/'],
        ['live/', '/live/'],
        ['/articles/x-', '/articles/x-'],
        ['/a/../é/', '/%C3%A9/'],
        ['/live/.', '/live/.'],
        ['/live?id=', '/live?id='],
        ['//', undefined],
        ['https://evil.example/', undefined],
        ['/\\evil.example/', undefined],
      ],
    ),
    after: fc.constantFrom('', '/', '.html', '/amp/', '.'),
    encodes: fc.boolean(),
  });

  test('requests nothing but the page of the article, for any id and pattern of pages', async () => {
    const requested: string[] = [];
    vi.stubGlobal('fetch', async (url: URL) => {
      requested.push(String(url));
      return new Response();
    });
    const counts = { pages: 0, noPages: 0, refusedPatterns: 0 };
    await fc.assert(
      fc.asyncProperty(ids, patterns, async (id, { before: [written, path], after, encodes }) => {
        requested.length = 0;
        const warm = (text: string) =>
          `${written}${encodes ? encodeURIComponent(text) : text}${after}`;
        if (path === undefined) {
          expect(() => purge({ warm })).toThrow('`warm` has to return a path of the site');
          counts.refusedPatterns += 1;
          return;
        }
        await send({ cache: enabled, warm }, { id });
        // It is not the id of an article, so all pages are purged.
        const isNoId = /\p{Cc}/u.test(id) || id === '.' || id === '..';
        expect(requested).toHaveLength(isNoId ? 0 : 3);
        for (const url of requested) {
          expect(url.startsWith(site + path) && url.endsWith(after)).toBe(true);
          const rest = url.slice((site + path).length, url.length - after.length);
          expect(rest).not.toMatch(/[/\\?#]/);
          expect(decodeURIComponent(rest)).toBe(id);
        }
        counts[isNoId ? 'noPages' : 'pages'] += 1;
      }),
      runs(200),
    );
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(10);
  });

  test.each([() => '/live', () => 'http://[', (id: string) => id.toUpperCase()])(
    'refuses %s, which does not contain the id',
    (warm) => {
      expect(() => purge({ warm })).toThrow();
    },
  );

  test('follows redirects within the site, from a handler that gets a request', async () => {
    const seen: string[] = [];
    const start = async (answer: (url: string) => string | undefined) => {
      const server = createServer(({ url = '', headers }, response) => {
        seen.push(`${headers.host}${url}`);
        const location = answer(url);
        response.writeHead(location ? 302 : 200, location ? { location } : {}).end();
      });
      return listen(server, { port: 0, host: '127.0.0.1' });
    };
    const other = await start(() => undefined);
    const own = await start((url) => {
      if (url === '/live/1') return '/live/title-1';
      return url === '/live/2' ? `http://127.0.0.1:${other.port}/live/2` : undefined;
    });
    const host = `127.0.0.1:${own.port}`;
    const action = purge({ cache: enabled, warm: (id) => `/live/${id}` });
    const clock = createManualClock();
    const handler = webhook({ secret: false, actions: [action] }, clock);
    void handler(post([{ id: 1 }, { id: 2 }], `http://${host}/api/purge`));
    await clock.advance(200);
    const expected = ['/live/1', '/live/title-1', '/live/2'].map((path) => host + path);
    await expect.poll(() => seen.length).toBe(3);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(seen.toSorted()).toEqual(expected.toSorted());
    await Promise.all([own.close(), other.close()]);
  });
});
