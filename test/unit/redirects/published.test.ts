import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import type { Addresses } from '../../../src/redirects/history.ts';
import { addressesOf, readPublished, writePublished } from '../../../src/redirects/published.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { temporaryFolder, temporaryServer } from '../../helpers/temporary.ts';

const path = '/docs/_articles/addresses.jsonl';
const head = '{"format":"astro-articles addresses 1"}';

const collection = (articles: Record<string, Record<string, number>>): Addresses =>
  new Map(Object.entries(articles).map(([id, each]) => [id, new Map(Object.entries(each))]));

const articles = collection({ a1: { 'old-a1': 1, 'new-a1': 3 }, b2: { b2: 1 } });
const news = collection({ 'a/1 %': { 'other-a1': 2 } });

/** Writes a file of addresses, and returns its text. */
async function publish(collections: Record<string, Addresses>): Promise<string> {
  const folder = await temporaryFolder();
  const dir = pathToFileURL(`${folder}/`);
  await writePublished(new Map(Object.entries(collections)), dir);
  return readFile(new URL('_articles/addresses.jsonl', dir), 'utf8');
}

/**
 * Runs a site that responds like this, and reads its addresses. Pauses between attempts take a hundredth of their
 * time.
 *
 * @param timeLimit the time limit of an attempt in ms
 */
async function read(listener: RequestListener, { isBestEffort = false, timeLimit = 10_000 } = {}) {
  const requests: { url: string | undefined; headers: IncomingHttpHeaders }[] = [];
  const { url: site } = await temporaryServer((request, response) => {
    requests.push({ url: request.url, headers: request.headers });
    listener(request, response);
  });
  const { after } = systemClock;
  vi.spyOn(systemClock, 'after').mockImplementation((delay, call) =>
    after(delay < 5_000 ? delay / 100 : timeLimit, call),
  );
  const info: string[] = [];
  const warnings: string[] = [];
  const logger = {
    info: (line: string) => void info.push(line),
    warn: (line: string) => void warnings.push(line),
  };
  const result = await readPublished({ site, base: '/docs' }, { isBestEffort, logger })
    .finally(() => vi.restoreAllMocks())
    .catch((error: unknown) => error);
  return { result, info, warnings, requests, file: site + path };
}

const respond =
  (body: string | Buffer, status = 200, headers = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(body);

test('a published file is read with one request, also compressed, and contains each collection by itself', async () => {
  const text = await publish({ articles, news, 'blog/posts %': news });
  const body = gzipSync(text.replaceAll('\n', '\r\n'));
  const listener = respond(body, 200, { 'content-encoding': 'gzip' });
  const { result, requests, info, warnings } = await read(listener);
  const published = result as Addresses;
  expect(addressesOf(published, 'articles')).toEqual(articles);
  expect(addressesOf(published, 'news')).toEqual(news);
  expect(addressesOf(published, 'blog/posts %')).toEqual(news);
  expect(addressesOf(published, 'blog')).toEqual(new Map());
  expect(requests.map(({ url }) => url)).toEqual([path]);
  expect([...info, ...warnings]).toEqual([]);
});

test('the request contains neither a key nor a cookie, and makes caches check their copy', async () => {
  const { requests } = await read(respond('', 404));
  expect(requests[0]?.headers).toMatchObject({
    accept: 'application/json',
    'cache-control': 'no-cache',
    'user-agent': expect.stringContaining('astro-articles'),
  });
  expect(Object.keys(requests[0]?.headers ?? {})).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/key|auth|cookie/i)]),
  );
});

describe('a site without a history', () => {
  test.each([404, 410])('responds %i, which the load says in one line', async (status) => {
    const { result, requests, info, warnings, file } = await read(respond('not found', status));
    expect(result).toEqual(new Map());
    expect(requests).toHaveLength(1);
    expect(info).toEqual([`No build has published a history of slugs at ${file} yet.`]);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['https://soon.page', 1],
    [undefined, 0],
    ['https://site.example', 0],
    ['https://www.example.com', 0],
    ['http://localhost:4321', 0],
    ['https://blog.localhost', 0],
    ['https://blog.test', 0],
    ['https://blog.invalid', 0],
  ])('has an address that does not exist, %s: %i requests', async (site, count) => {
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const fetch = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('', { cause }));
    const [info, warn, after] = [vi.fn(), vi.fn(), vi.spyOn(systemClock, 'after')];
    after.mockImplementation((_, call) => setImmediate(call) && (() => {}));
    const options = { isBestEffort: false, logger: { info, warn } };
    const result = await readPublished({ site, base: '/' }, options);
    const requests = fetch.mock.calls.map(([url]) => url);
    vi.restoreAllMocks();
    expect(result).toEqual(new Map());
    expect(new Set(requests).size).toBe(count);
    expect(info).toHaveBeenCalledTimes(count);
    expect(warn).not.toHaveBeenCalled();
  });
});

const html = { 'content-type': 'text/html' };

describe('addresses that cannot be read', () => {
  test.each<[string, RequestListener, string]>([
    ['a page for each path', respond('<!doctype html>', 200, html), 'not a whole history of slugs'],
    ['another version', respond(head.replace('1', '2')), 'not a whole history'],
    ['the beginning of a file', respond(`${head}\n["a/1",[["x",1]]],\n["a/2"`), 'not a whole'],
    ['an error', respond('', 500), '500'],
    ['a refusal', respond('', 403), 'jsonl: responded 403.'],
    ['an explained error', respond('{"detail":"\\u001b\\u202e##["}', 400), ': \\u{202e}#\\u{23}['],
    ['a file beyond the limit', respond('x'.repeat(64_000_001)), 'larger than 64000000 bytes'],
    ['no response', (request) => request.socket.destroy(), 'connection to 127.0.0.1'],
    [
      'a redirect to another host',
      respond('', 301, { location: 'https://evil.example/x' }),
      'its redirect could not be followed',
    ],
  ])(
    'because of %s fail the build, or are a warning with best effort',
    async (_, listener, reason) => {
      const { result, file, warnings } = await read(listener);
      expect(result).toMatchObject({
        code: 'history-unavailable',
        message: expect.stringContaining(reason),
        hint: expect.stringContaining('ARTICLES_REDIRECTS=best-effort'),
      });
      const { message } = result as Error;
      expect(message).toContain(`The history of slugs could not be read from ${file}: `);
      expect(warnings).toEqual([]);
      const allowed = await read(listener, { isBestEffort: true });
      expect(allowed).toMatchObject({ result: new Map(), info: [] });
      expect(allowed.warnings).toEqual([expect.stringContaining(reason)]);
      expect(allowed.warnings[0]).toContain('have no redirects from now on');
    },
  );

  test('because of a response that never ends fail the build after some attempts', async () => {
    const listener: RequestListener = (_, response) => void response.write(head);
    const { result, requests } = await read(listener, { timeLimit: 100 });
    expect(result).toMatchObject({
      code: 'history-unavailable',
      message: expect.stringContaining('no complete response within 10000 ms'),
    });
    expect(requests).toHaveLength(3);
  });
});
