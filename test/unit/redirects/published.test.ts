import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  encodeHistory,
  readPublishedHistory,
  type SiteHistory,
} from '../../../src/redirects/published-history.ts';
import { slugOf } from '../../../src/render/slug.ts';
import { createClock } from '../../helpers/clock.ts';

const home = new URL('https://site.example/docs');
const address = 'https://site.example/docs/_articles/addresses.json';

/** Reads the history from a site that responds like this, and collects the requests. */
async function read(...responses: (() => Response | Promise<Response>)[]) {
  const requests: { url: string; init: RequestInit }[] = [];
  const result = await readPublishedHistory(
    home,
    async (url, init) => {
      const respond = responses[Math.min(requests.length, responses.length - 1)];
      requests.push({ url, init });
      if (!respond) throw new Error('there is no response');
      return respond();
    },
    createClock({ timeout: 10_000 }),
  ).catch((error: unknown) => error);
  return { result, requests };
}

const unavailable = (reason: unknown = expect.any(String)) => ({
  code: 'history-unavailable',
  message: reason,
});

function file(collections: unknown, version: unknown = 1): () => Response {
  return () => new Response(JSON.stringify({ version, collections }));
}

function historyOf(...collections: [string, [string, string[]][]][]): SiteHistory {
  return new Map(collections.map(([name, articleSlugs]) => [name, new Map(articleSlugs)]));
}

test('a published history is read again', async () => {
  const history = historyOf(
    [
      'articles',
      [
        ['a1', ['old-a1', 'new-a1']],
        ['__proto__', [await slugOf({ id: '__proto__', title: 'Tides' })]],
      ],
    ],
    ['news', [['7', ['7']]]],
  );
  const { result, requests } = await read(() => new Response(encodeHistory(history)));
  expect(result).toEqual(history);
  expect(requests.map(({ url }) => url)).toEqual([address]);
});

test('equal histories are published as equal bytes', () => {
  const one: [string, string[]] = ['1', ['x-1', '1']];
  const two: [string, string[]] = ['2', ['2']];
  const text = '{"version":1,"collections":[["a",[["1",["x-1","1"]],["2",["2"]]]],["b",[]]]}\n';
  expect(encodeHistory(historyOf(['b', []], ['a', [two, one]]))).toBe(text);
  expect(encodeHistory(historyOf(['a', [one, two]], ['b', []]))).toBe(text);
});

test('older articles are left out of a file that would be too large', () => {
  const history = historyOf(['a', [['1', ['x-1']]]]);
  const withOther = (slug: string) => encodeHistory(history, historyOf(['a', [['2', [slug]]]]));
  expect(withOther('y-2')).toContain('[["1",["x-1"]],["2",["y-2"]]]');
  expect(withOther('y'.repeat(16_000_000))).toBe(encodeHistory(history));
});

test('the request contains neither a key nor a cookie', async () => {
  const { requests } = await read(file([]));
  expect(requests[0]?.init).toMatchObject({
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      'cache-control': 'no-cache',
      'user-agent': expect.stringContaining('astro-articles'),
    },
  });
  expect(Object.keys(requests[0]?.init.headers ?? {})).toHaveLength(3);
});

test.each([404, 410])('a site without a history (status %i)', async (status) => {
  const { result, requests } = await read(() => new Response('not found', { status }));
  expect(result).toBeUndefined();
  expect(requests).toHaveLength(1);
});

test.each<[string, () => Response]>([
  [
    'a page instead of the file',
    () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } }),
  ],
  ['an empty file', () => new Response('')],
  ['a list', () => new Response('[]')],
  ['another version', file([], 2)],
  ['another field', () => new Response('{"version":1,"collections":[],"more":1}')],
  ['slugs that are not a list', file([['articles', [['a1', 'old-a1']]]])],
  ['a slug that is not a text', file([['articles', [['a1', [1]]]]])],
  ['an error of the server', () => new Response('', { status: 500 })],
  ['a login', () => new Response('', { status: 401 })],
  ['a file that is too large', () => new Response('x'.repeat(16_000_001))],
  ['deep nesting', () => new Response('['.repeat(100_000) + ']'.repeat(100_000))],
])('%s is unreadable, for a reason that is named', async (_, respond) => {
  const { result } = await read(respond);
  expect(result).toMatchObject(unavailable(expect.stringMatching(/: \S.{5,}\.$/)));
  expect(result).toHaveProperty('message', expect.stringContaining(`from ${address}: `));
});

test('a host that does not exist yet has no history', async () => {
  const { result } = await read(() => {
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    throw new TypeError('fetch failed', { cause });
  });
  expect(result).toBeUndefined();
});

test('a history without any response is unreadable', async () => {
  const { result, requests } = await read(() => {
    throw new TypeError('fetch failed');
  });
  expect(result).toMatchObject(unavailable());
  expect(requests).toHaveLength(3);
});

test('a request to a site that never responds has a time limit', async () => {
  const { result } = await read(() => new Promise<Response>(() => {}));
  expect(result).toMatchObject(unavailable());
});

test('redirects are followed within the site only', async () => {
  const to = (location: string) => () => new Response('', { status: 301, headers: { location } });
  const inside = await read(to('/other.json'), file([['articles', [['a1', ['a1']]]]]));
  expect(inside.result).toEqual(historyOf(['articles', [['a1', ['a1']]]]));
  for (const location of [
    'https://evil.example/x',
    '//evil.example/x',
    'http://site.example/x',
    'file:///etc/passwd',
  ]) {
    const { result, requests } = await read(to(location), file([]));
    const reason = expect.stringContaining(': its redirect could not be followed.');
    expect(result).toMatchObject(unavailable(reason));
    expect(requests).toHaveLength(1);
  }
});

test('any file yields only safe path segments', async () => {
  let checked = 0;
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('old-a1', 'a1', 'x-7', '7', 'old-b2'),
  );
  const id = fc.oneof(fc.string(), fc.constantFrom('a1', '7', 'b2', '__proto__'));
  const collections = fc.array(fc.tuple(text, fc.array(fc.tuple(id, fc.array(text)))));
  await fc.assert(
    fc.asyncProperty(fc.oneof(collections, fc.jsonValue()), async (value) => {
      const { result } = await read(file(value));
      if (!(result instanceof Map)) return;
      checked += 1;
      for (const [, articleSlugs] of result) {
        for (const slug of [...articleSlugs.values()].flat()) {
          expect(slug).toMatch(/^(?!\.)[\p{L}\p{M}\p{N}._~-]+(?<!\.)$/u);
        }
      }
    }),
  );
  expect(checked).toBeGreaterThan(0);
});

test('at most 100 slugs of an article are read, the newest ones', async () => {
  const slugs = Array.from({ length: 5_000 }, (_, at) => `x${at}-a1`);
  const { result } = await read(file([['articles', [['a1', slugs]]]]));
  expect(result).toEqual(historyOf(['articles', [['a1', slugs.slice(-100)]]]));
});

test('what an error of the site says is printed as text', async () => {
  const detail = JSON.stringify({ detail: 'a\u001b[31m\u202e##[error]b' });
  const { result } = await read(() => new Response(detail, { status: 400 }));
  const reason = expect.stringContaining('[31m\\u{202e}#\\u{23}[error]b');
  expect(result).toMatchObject(unavailable(reason));
});
