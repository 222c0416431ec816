import type { RequestListener } from 'node:http';
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import {
  type Api,
  createArticlesClient,
  numberedPages,
  type Translation,
  translateApi,
} from '../../../src/client/index.ts';
import { temporaryServer } from '../../helpers/temporary.ts';

const key = 'key-of-another-api-4711';

/** A client of a service with another API, and the requests that it received. */
async function clientOf(translation: Partial<Translation>, reply: RequestListener) {
  const requests: string[] = [];
  const { url } = await temporaryServer((request, response) => {
    requests.push(request.url ?? '');
    expect(request.headers['x-project-api-key']).toBeUndefined();
    reply(request, response);
  });
  const fetch = translateApi({
    listRows: async () => ({ rows: [] }),
    getArticle: async () => ({}),
    ...translation,
  });
  const options = { apiKey: key, fetch, retries: 0, query: { tag: 'sea' } };
  return { client: createArticlesClient({ baseUrl: `${url}/blog`, ...options }), requests };
}

const article = (id: unknown) => ({ id, title: 't', content: 'c', cover_image: null });
const getArticle: Translation['getArticle'] = async (id, { get, key }) => {
  const { body } = await get<object>(`posts/${encodeURIComponent(id)}`, { authorization: key });
  return body;
};

test('a translation requests paths below `baseUrl`, with its own headers, and gets ranges, ids and `query`', async () => {
  const ranges: object[] = [];
  const { client, requests } = await clientOf(
    {
      getArticle,
      async listRows(range, { get }) {
        ranges.push(range);
        const { body, headers } = await get<object[]>('posts?x=1');
        return { rows: body, count: Number(headers.get('x-total')) };
      },
    },
    ({ url, headers }, response) => {
      expect(headers['user-agent']).toContain('astro-articles/');
      if (url?.endsWith('?x=1'))
        return response.setHeader('x-total', '7').end('[{"id":12345678901234567890}]');
      expect(headers.authorization).toBe(key);
      response.end(JSON.stringify(article('a/b ü')));
    },
  );
  expect(await client.listPage({ limit: 5, offset: 3 })).toMatchObject({
    rows: [{ id: '12345678901234567890' }],
    count: 7,
  });
  expect(ranges).toEqual([{ limit: 5, offset: 3, query: { tag: 'sea' } }]);
  expect(await client.getArticle('a/b ü')).toMatchObject({ id: 'a/b ü', title: 't' });
  expect(requests).toEqual(['/blog/posts?x=1', '/blog/posts/a%2Fb%20%C3%BC']);
});

const fails = (get: (api: Api) => Promise<object>) => ({
  getArticle: (_: string, api: Api) => get(api),
});

it.each<[string, Partial<Translation>, RequestListener, object]>([
  [
    'a status',
    { getArticle },
    (_, response) => response.writeHead(429, { 'retry-after': '7' }).end('{"message":"slow down"}'),
    { code: 'throttled', status: 429, message: expect.stringContaining('slow down') },
  ],
  ['a connection', { getArticle }, (_, response) => response.destroy(), { code: 'network' }],
  [
    'a redirect to another origin',
    { getArticle },
    (_, response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
    { code: 'redirect' },
  ],
  [
    'a translation that expects another shape',
    fails(async ({ get }) => (await get<{ posts: [object] }>('')).body.posts[0]),
    (_, response) => response.end('{}'),
    { code: 'unexpected-shape', message: expect.stringMatching(/cannot translate \(.*undefined/) },
  ],
  [
    'a translation that requests another origin',
    fails(async ({ get }) => (await get<object>('//elsewhere.example/')).body),
    (_, response) => response.end('{}'),
    { code: 'unexpected-shape', message: expect.stringContaining('must not receive the API key') },
  ],
])('the failure of %s is that of any service', async (_, translation, reply, expected) => {
  const { client } = await clientOf(translation, reply);
  await expect(client.getArticle('1')).rejects.toMatchObject(expected);
});

it('an error of a translation that contains the key does not show it, also not as the cause', async () => {
  const { client } = await clientOf(
    fails(async ({ key }) => Promise.reject(new TypeError(`wrong: ${key}`))),
    () => {},
  );
  const error = await client.getArticle('1').catch((reason) => reason);
  expect(error).toMatchObject({ code: 'unexpected-shape', cause: { name: 'TypeError' } });
  expect(error.cause.stack).toContain('translate.test.ts');
  const texts = [error.message, error.cause.message, error.cause.stack].join();
  expect(texts).toContain('wrong: [the API key]');
  expect(texts).not.toContain(key);
});

/** Requests a range of an API that numbers its pages, and sends at most `largest` rows on each. */
async function rangeOf(
  all: object[],
  range: { offset: number; limit: number },
  api: { perPage: number; largest: number; hasCount: boolean },
) {
  const pages: number[] = [];
  const listRows = numberedPages(api.perPage, async ({ page, perPage }) => {
    pages.push(page);
    const size = Math.min(perPage, api.largest);
    return {
      rows: all.slice((page - 1) * size, page * size),
      ...(api.hasCount && { count: all.length }),
    };
  });
  const found = await listRows({ ...range, query: {} }, {} as Api);
  return { ...found, pages };
}

const numbered = {
  total: fc.nat(40),
  offset: fc.nat(45),
  limit: fc.integer({ min: 1, max: 50 }),
  perPage: fc.integer({ min: 1, max: 20 }),
  largest: fc.oneof(fc.constant(50), fc.integer({ min: 1, max: 20 })),
  hasCount: fc.boolean(),
};

test('numbered pages give the rows of every range, or an error where they are smaller than expected', async () => {
  const reached = { ends: 0, errors: 0 };
  await fc.assert(
    fc.asyncProperty(fc.record(numbered), async ({ total, offset, limit, ...api }) => {
      const all = Array.from({ length: total }, (_, id) => ({ id }));
      const isSmaller = api.largest < api.perPage;
      const range = isSmaller ? { offset: 0, limit: 50 } : { offset, limit };
      const found = await rangeOf(all, range, api).catch((error: Error) => error.message);
      if (typeof found === 'string') {
        expect(isSmaller).toBe(true);
        expect(found).toBe(`its pages do not have the ${api.perPage} rows of \`numberedPages()\``);
        reached.errors += 1;
        return;
      }
      const { rows, isEnd, pages } = found;
      expect(rows).toEqual(all.slice(range.offset, range.offset + range.limit));
      if (isEnd) expect(range.offset + rows.length).toBeGreaterThanOrEqual(total);
      if (isEnd) reached.ends += 1;
      expect(new Set(pages).size).toBe(pages.length);
      expect(pages.length).toBeLessThanOrEqual(Math.ceil(range.limit / api.perPage) + 2);
    }),
    { numRuns: 200 },
  );
  expect(Math.min(...Object.values(reached))).toBeGreaterThan(10);
});
