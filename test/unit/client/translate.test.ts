import type { IncomingMessage, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  type Api,
  createArticlesClient,
  numberedPages,
  type Translation,
  translateApi,
} from '../../../src/client/index.ts';
import { readListing } from '../../../src/client/listing/reading.ts';
import { temporaryServer } from '../../helpers/temporary.ts';

const key = 'key-of-another-api-4711';

/** A client of a service with another API, and the requests that it received. */
async function clientOf(
  translation: Partial<Translation>,
  reply: RequestListener,
  more: { timeout?: number } = {},
) {
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
  const options = { apiKey: key, fetch, retries: 0, query: { tag: 'sea' }, ...more };
  return { client: createArticlesClient({ baseUrl: `${url}/blog`, ...options }), requests };
}

const article = (id: unknown) => ({ id, title: 't', content: 'c', cover_image: null });
const getArticle: Translation['getArticle'] = async (id, { get, key }) => {
  const { body } = await get<object>(`posts/${encodeURIComponent(id)}`, { authorization: key });
  return body;
};

test('a translation may replace a header of the package', async () => {
  const accept = 'application/vnd.api+json';
  const { client } = await clientOf(
    { getArticle: async (_, { get }) => (await get<object>('one', { accept })).body },
    ({ headers }, response) => response.end(JSON.stringify(article(headers.accept))),
  );
  expect(await client.getArticle(accept)).toMatchObject({ id: accept });
});

test('a translation gets ranges, ids and `query`, and sends its headers to paths below `baseUrl`', async () => {
  const ranges: object[] = [];
  const { client, requests } = await clientOf(
    {
      getArticle,
      async listRows(range, { get, query }) {
        ranges.push({ ...range, query });
        const { body, headers } = await get<object[]>('posts?x=1');
        return { rows: body, count: Number(headers.get('x-total')) };
      },
    },
    ({ url, headers }, response) => {
      expect(headers['user-agent']).toContain('astro-articles/');
      if (url?.endsWith('?x=1'))
        return response.setHeader('x-total', '7').end('[{"id":12345678901234567890}]');
      expect(headers.authorization).toBe(key);
      response.end(JSON.stringify(article('A/b ü')));
    },
  );
  expect(await client.listPage({ limit: 5, offset: 3 })).toMatchObject({
    rows: [{ id: '12345678901234567890' }],
    count: 7,
  });
  expect(ranges).toEqual([{ limit: 5, offset: 3, query: { tag: 'sea' } }]);
  expect(await client.getArticle('A/b ü')).toMatchObject({ id: 'A/b ü', title: 't' });
  expect(requests).toEqual(['/blog/posts?x=1', '/blog/posts/A%2Fb%20%C3%BC']);
});

test('a translation gets `query` for an article, too', async () => {
  const { client } = await clientOf(
    { getArticle: async (id, { query }) => article(id + query.tag) },
    () => {},
  );
  await expect(client.getArticle('a')).rejects.toThrow('another article: "asea"');
});

test('a translation may send a method and a body, and read a text', async () => {
  const sent: object[] = [];
  const { client } = await clientOf(
    {
      async listRows(_, { send, key }) {
        const request = {
          method: 'POST',
          headers: { authorization: key },
          body: '{ posts { id } }',
        };
        return { rows: (await send<{ posts: object[] }>('graphql', request)).body.posts };
      },
      async getArticle(id, { send }) {
        const request = { method: 'POST', body: `<get>${id}</get>`, isText: true };
        return { ...article(id), content: (await send<string>('rpc', request)).body };
      },
    },
    async (request, response) => {
      const { method, url } = request;
      sent.push({ method, url, body: await text(request) });
      response.end(url?.endsWith('rpc') ? '<text>ü</text>' : '{"posts":[{"id":1}]}');
    },
  );
  expect(await client.listPage()).toMatchObject({ rows: [{ id: 1 }] });
  expect(await client.getArticle('a')).toMatchObject({ content: '<text>ü</text>' });
  expect(sent).toEqual([
    { method: 'POST', url: '/blog/graphql', body: '{ posts { id } }' },
    { method: 'POST', url: '/blog/rpc', body: '<get>a</get>' },
  ]);
});

const fails = (get: (api: Api) => Promise<object>) => ({
  getArticle: (_: string, api: Api) => get(api),
});

it.each<[string, Partial<Translation>, RequestListener, object]>([
  [
    'a part of a response',
    { getArticle },
    (_, response) => response.writeHead(206).end(JSON.stringify(article('1'))),
    { code: 'unexpected-status', status: 206 },
  ],
  [
    'a redirect to another origin',
    { getArticle },
    (_, response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
    { code: 'redirect' },
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

const pathOf = (path: string) => ({ url: expect.stringMatching(new RegExp(`/blog/${path}$`)) });
const hasReason = (reason: string) => ({ message: expect.stringContaining(reason) });

it.each<[string, Partial<Translation>, RequestListener, object]>([
  [
    'a status',
    fails(async ({ get, key }) => (await get<object>(`posts?key=${key}`)).body),
    (_, response) => response.writeHead(403).end('{"errors":[{"message":"no rights"}]}'),
    {
      ...{ code: 'unauthorized', status: 403, ...hasReason('responded 403: no rights') },
      url: expect.stringMatching(/\/blog\/posts\?key=\[the API key\]$/),
    },
  ],
  [
    'a page instead of JSON',
    { getArticle },
    (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hi'),
    {
      ...{ code: 'not-json', status: 200, ...pathOf('posts/1') },
      ...hasReason('with text/html instead of JSON; it begins "<p>Hi"'),
    },
  ],
  [
    'a body that is not gzip',
    { getArticle },
    (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('{}'),
    { code: 'network', status: 200, ...pathOf('posts/1'), ...hasReason('Z_DATA_ERROR') },
  ],
  [
    'a connection',
    { getArticle },
    (_, response) => response.destroy(),
    { code: 'network', status: undefined, ...pathOf('posts/1') },
  ],
  [
    'a time limit',
    { getArticle },
    () => undefined,
    { code: 'timeout', status: undefined, ...pathOf('posts/1') },
  ],
  [
    'a redirect to a login page',
    { getArticle },
    ({ url }, response) => {
      if (url?.endsWith('login')) response.end('<title>Log in</title>');
      else response.writeHead(302, { location: '/blog/login' }).end();
    },
    { code: 'bad-json', ...pathOf('login'), ...hasReason('its title is "Log in"') },
  ],
  [
    'a shape',
    fails(async ({ get }) => (await get<{ posts: [object] }>('all')).body.posts[0]),
    (_, response) => response.end('{"post":1}'),
    {
      ...{ code: 'unexpected-shape', status: 200, ...pathOf('all') },
      message: expect.stringMatching(
        /`getArticle\(\)` of the translation cannot read \(.*undefined/,
      ),
      hint: expect.stringMatching(/^Correct the functions that translateApi\(\) received/),
    },
  ],
  [
    'a request with a body',
    fails(async ({ send }) => (await send<object>('graphql', { method: 'POST', body: '{}' })).body),
    (_, response) => response.writeHead(503, { 'retry-after': '7' }).end('{"message":"busy"}'),
    {
      ...{ code: 'server-error', status: 503, ...pathOf('graphql'), ...hasReason('busy') },
      message: expect.stringMatching(/^POST http/),
    },
  ],
  [
    'the first of two requests',
    fails(async ({ get }) => {
      const [first] = await Promise.all([get<object>('slow'), get<object>('fast')]);
      return first.body;
    }),
    ({ url }, response) => {
      if (url?.endsWith('fast')) response.end('{}');
      else setTimeout(() => response.writeHead(500).end(), 50);
    },
    { code: 'server-error', status: 500, ...pathOf('slow') },
  ],
])('an error of %s names the URL that was requested', async (_, translation, reply, expected) => {
  const { client } = await clientOf(translation, reply, { timeout: 1_000 });
  await expect(client.getArticle('1')).rejects.toMatchObject(expected);
});

it.each<[result: string, value: unknown, reason: string]>([
  ['text', 'no object', 'text instead of an article'],
  ['a list', [], 'a list instead of an article'],
  ['an object without an id', { title: 't' }, 'without a usable id'],
  ['another article', article(2), 'another article'],
])(
  'a translation that returns %s as an article gets the hint to correct its functions',
  async (_, value, reason) => {
    const { client } = await clientOf(
      fails(async ({ get }) => (await get<{ value: object }>('one')).body.value),
      (_, response) => response.end(JSON.stringify({ value })),
    );
    await expect(client.getArticle('1')).rejects.toMatchObject({
      ...{ code: 'unexpected-shape', message: expect.stringContaining(reason) },
      hint: expect.stringMatching(/^Correct the functions that translateApi\(\) received/),
    });
  },
);

it.each<[result: string, rows: unknown]>([
  ['text', 'no list'],
  ['an object', { 1: article(1) }],
  ['no rows', undefined],
])(
  'a translation that returns %s as the rows gets the hint to correct its functions',
  async (_, rows) => {
    const { client } = await clientOf(
      {
        async listRows(_, { get }) {
          return { rows: (await get<{ rows: object[] }>('all')).body.rows };
        },
      },
      (_, response) => response.end(JSON.stringify({ rows })),
    );
    await expect(client.listPage()).rejects.toMatchObject({
      ...{ code: 'unexpected-shape', message: expect.stringContaining('list of articles') },
      hint: expect.stringMatching(/^Correct the functions that translateApi\(\) received/),
    });
  },
);

test('a translation without an article removes it, and one without a listing fails', async () => {
  const { client, requests } = await clientOf(
    {
      getArticle: async (id, { get }) =>
        (await get<object[]>(`posts?id=${id}`)).body.find((post) => 'id' in post),
    },
    (_, response) => response.end('[]'),
  );
  expect(await client.getArticle('7')).toBeUndefined();
  expect(requests).toEqual(['/blog/posts?id=7', '/blog/posts?id=7']);
  const missing = await clientOf(
    { listRows: async ({ offset }, { get }) => ({ rows: (await get<[]>(`p?${offset}`)).body }) },
    (_, response) => response.writeHead(404).end(),
  );
  await expect(missing.client.listPage()).rejects.toMatchObject({
    ...{ code: 'not-found', url: expect.stringMatching(/\/blog\/p\?0$/) },
    hint: 'Check `baseUrl` or ARTICLES_BASE_URL, and the path that the translation requests.\nSee node_modules/astro-articles/docs/errors.md#not-found',
  });
});

test('a response of a translation is as old as the oldest one that it is made of', async () => {
  const times = [
    { date: 'Tue, 05 May 2026 10:00:00 GMT', age: '7' },
    { date: 'Tue, 05 May 2026 09:59:30 GMT' },
    { age: '31' },
  ];
  const { client } = await clientOf(
    {
      async listRows(_, { get }) {
        for (const index of times.keys()) await get(`page/${index}`);
        return { rows: [] };
      },
      async getArticle(id, { get }) {
        await Promise.all([get('page/0'), get('page/1'), get('page/2')]);
        return article(id);
      },
    },
    ({ url }, response) => {
      response.sendDate = false;
      const headers = times[Number(url?.split('/').at(-1))];
      response.writeHead(200, headers).end('{}');
    },
  );
  expect(await client.listPage()).toEqual({ rows: [], age: 31 });
  expect(await client.getArticle('a')).toMatchObject({
    respondedAt: Date.UTC(2026, 4, 5, 9, 58, 59),
  });
});

describe('a URL that is not of the listing', () => {
  const files: Pick<IncomingMessage, 'url' | 'headers'>[] = [];
  const requestFile = async (getFile?: Translation['getFile']) => {
    files.length = 0;
    const { url } = await temporaryServer((request, response) => {
      files.push({ url: request.url, headers: request.headers });
      response.writeHead(request.url?.includes('moved') ? 302 : 200, { location: '/b.png' });
      response.end(request.url?.startsWith('/blog') ? '[]' : 'a picture');
    });
    const fetch = translateApi({
      listRows: async (_, { get }) => ({ rows: (await get<[]>('posts')).body }),
      getArticle: async () => undefined,
      ...(getFile && { getFile }),
    });
    const client = createArticlesClient({ baseUrl: `${url}/blog`, apiKey: key, fetch, retries: 0 });
    await client.listPage();
    files.length = 0;
    const send = (path: string) =>
      fetch(url + path, { headers: { accept: 'image/*' }, redirect: 'manual' });
    return { send, url };
  };

  test('is requested unchanged', async () => {
    const { send } = await requestFile();
    expect(await (await send('/media/a.png?w=1')).text()).toBe('a picture');
    expect((await send('/moved')).status).toBe(302);
    expect(files[0]).toMatchObject({ url: '/media/a.png?w=1', headers: { accept: 'image/*' } });
    expect(JSON.stringify(files)).not.toContain(key);
  });

  test('is requested by `getFile()` also before any article', async () => {
    const { url } = await requestFile();
    const fetch = translateApi({
      listRows: async () => ({ rows: [] }),
      getArticle: async () => undefined,
      getFile: (path, api) => api.fetch(path, { 'x-key': `of ${api.key.length} characters` }),
    });
    const response = await fetch(`${url}/media/a.png`, { headers: { accept: 'image/*' } });
    expect(await response.text()).toBe('a picture');
    expect(files).toMatchObject([{ url: '/media/a.png', headers: { 'x-key': 'of 0 characters' } }]);
  });

  test('is requested with the key of its own service', async () => {
    const first = await requestFile();
    const second = await requestFile();
    const fetch = translateApi({
      listRows: async (_, { get }) => ({ rows: (await get<[]>('posts')).body }),
      getArticle: async () => undefined,
      getFile: (path, api) => api.fetch(path, { 'x-key': api.key }),
    });
    for (const [apiKey, { url }] of Object.entries({ first, second }))
      await createArticlesClient({ baseUrl: `${url}/blog`, apiKey, fetch }).listPage();
    files.length = 0;
    for (const { url } of [first, second]) await fetch(`${url}/a.png`, {});
    expect(files.map(({ headers }) => headers['x-key'])).toEqual(['first', 'second']);
  });

  test('is requested by `getFile()`, which may add the key, and only on the same origin', async () => {
    const { send, url } = await requestFile((path, api) =>
      path.endsWith('elsewhere.png')
        ? api.fetch('https://elsewhere.example/a.png')
        : api.fetch(path, { authorization: `Bearer ${api.key}` }),
    );
    expect(await (await send('/media/a.png')).text()).toBe('a picture');
    expect((await send('/moved')).status).toBe(302);
    const sent = { headers: { accept: 'image/*', authorization: `Bearer ${key}` } };
    expect(files).toMatchObject([
      { url: '/media/a.png', ...sent },
      { url: '/moved', ...sent },
    ]);
    await expect(send('/elsewhere.png')).rejects.toThrow('must not receive the API key');
    expect(url).not.toContain(key);
  });
});

it('an error of a translation does not contain the key, nor does its cause', async () => {
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
  api: { perPage: number; largest: number; counts: 'each' | 'first' | 'none' },
) {
  const pages: number[] = [];
  const listRows = numberedPages(api.perPage, async ({ page, perPage }) => {
    pages.push(page);
    const size = Math.min(perPage, api.largest);
    return {
      rows: all.slice((page - 1) * size, page * size),
      ...((api.counts === 'each' || (api.counts === 'first' && page === 1)) && {
        count: all.length,
      }),
    };
  });
  const found = await listRows(range, {} as Api);
  return { ...found, pages };
}

const numbered = {
  total: fc.nat(40),
  offset: fc.nat(45),
  limit: fc.integer({ min: 1, max: 50 }),
  perPage: fc.integer({ min: 1, max: 20 }),
  largest: fc.oneof(fc.constant(50), fc.integer({ min: 1, max: 20 })),
  counts: fc.constantFrom('each' as const, 'first' as const, 'none' as const),
};

test('numbered pages give the rows of every range, or an error if a page is too small', async () => {
  const reached = { ends: 0, errors: 0, full: 0 };
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
      const { rows, count, isEnd, pages } = found;
      const isCounted = api.counts === 'each' || (api.counts === 'first' && pages[0] === 1);
      expect(count).toBe(isCounted ? total : undefined);
      expect(rows).toEqual(all.slice(range.offset, range.offset + range.limit));
      if (isEnd) expect(range.offset + rows.length).toBeGreaterThanOrEqual(total);
      if (isEnd) reached.ends += 1;
      expect(new Set(pages).size).toBe(pages.length);
      expect(pages.length).toBeLessThanOrEqual(Math.ceil(range.limit / api.perPage) + 2);
      const skipped = range.offset % api.perPage;
      const needed = Math.ceil((skipped + range.limit) / api.perPage);
      const areAllFull = !isSmaller && range.offset - skipped + needed * api.perPage <= total;
      if (areAllFull) expect(pages).toHaveLength(needed);
      if (areAllFull) reached.full += 1;
    }),
    { numRuns: 200 },
  );
  expect(Math.min(...Object.values(reached))).toBeGreaterThan(10);
});

test.each([
  ['with', 100, 100],
  ['without', 100, 100],
  ['with', 500, 100],
  ['with', 500, 500],
])(
  'a listing %s a count, and pages of %i rows made of pages of %i, requests each once',
  async (signs, pageSize, perPage) => {
    const all = Array.from({ length: 1_000 }, (_, id) => ({ id }));
    const count = signs === 'with' ? { count: all.length } : {};
    const pages: number[] = [];
    const listRows = numberedPages(perPage, async ({ page }) => {
      pages.push(page);
      return { rows: all.slice((page - 1) * perPage, page * perPage), ...count };
    });
    const { client } = await clientOf({ listRows }, () => {});
    const { ids, incomplete } = await readListing(client, { pageSize, apiKey: key, call: {} });
    expect([ids, incomplete]).toEqual([all.map(({ id }) => String(id)), undefined]);
    // Without a count, an empty page shows the end.
    const last = all.length / perPage + (signs === 'with' ? 0 : 1);
    expect(pages).toEqual(Array.from({ length: last }, (_, index) => index + 1));
  },
);
