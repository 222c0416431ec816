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

test('redirects are followed within the origin only', async () => {
  const { client, requests } = await clientOf({ getArticle }, ({ url }, response) => {
    if (url === '/blog/posts/1') response.writeHead(301, { location: '/new' }).end();
    else if (url === '/new') response.end(JSON.stringify(article(1)));
    else response.writeHead(302, { location: 'https://elsewhere.example/' }).end();
  });
  expect(await client.getArticle('1')).toMatchObject({ id: '1' });
  await expect(client.getArticle('2')).rejects.toMatchObject({ code: 'redirect' });
  expect(requests).toEqual(['/blog/posts/1', '/new', '/blog/posts/2']);
});

const fails = (get: (api: Api) => Promise<object>) => ({
  getArticle: (_: string, api: Api) => get(api),
});

it.each<[string, Partial<Translation>, RequestListener, object]>([
  [
    'a status',
    { getArticle },
    (_, response) => response.writeHead(429, { 'retry-after': '7' }).end('{"message":"slow down"}'),
    {
      code: 'throttled',
      status: 429,
      retryAfter: 7000,
      message: expect.stringContaining('slow down'),
    },
  ],
  [
    'a web page',
    { getArticle },
    (_, response) => response.setHeader('content-type', 'text/html').end('<p>log in'),
    { code: 'not-json' },
  ],
  ['a connection', { getArticle }, (_, response) => response.destroy(), { code: 'network' }],
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
  hasCount: fc.boolean(),
};

test('numbered pages give the rows of every range, and no page is requested twice', async () => {
  let ends = 0;
  await fc.assert(
    fc.asyncProperty(fc.record(numbered), async ({ total, offset, limit, perPage, hasCount }) => {
      const all = Array.from({ length: total }, (_, id) => ({ id }));
      const { rows, isEnd, pages } = await rangeOf(
        all,
        { offset, limit },
        { perPage, largest: perPage, hasCount },
      );
      expect(rows).toEqual(all.slice(offset, offset + limit));
      if (isEnd) expect(offset + rows.length).toBeGreaterThanOrEqual(total);
      if (isEnd) ends += 1;
      expect(new Set(pages).size).toBe(pages.length);
      expect(pages.length).toBeLessThanOrEqual(Math.ceil(limit / perPage) + 2);
    }),
  );
  expect(ends).toBeGreaterThan(10);
});

test('numbered pages that are smaller than expected lose no row without an error', async () => {
  let errors = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record({ ...numbered, largest: fc.integer({ min: 1, max: 20 }) }),
      async ({ total, perPage, largest, hasCount }) => {
        const all = Array.from({ length: total }, (_, id) => ({ id }));
        const api = { perPage, largest, hasCount };
        const found = await rangeOf(all, { offset: 0, limit: 50 }, api).catch(
          (error: Error) => error.message,
        );
        if (typeof found !== 'string') {
          expect(found.rows).toEqual(all);
          return;
        }
        expect(found).toBe(`its pages do not have the ${perPage} rows of \`numberedPages()\``);
        errors += 1;
      },
    ),
  );
  expect(errors).toBeGreaterThan(10);
});
