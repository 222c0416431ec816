import dns from 'node:dns';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import type { PathHistory } from '../../../src/redirects/history.ts';
import {
  ofCollection,
  readPublished,
  withCollection,
  writePublished,
} from '../../../src/redirects/published.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { afterRunTime, runTime } from '../../helpers/run-time.ts';
import { temporaryFolder, temporaryServer } from '../../helpers/temporary.ts';

const path = '/docs/_articles/paths.jsonl';
const head = '{"format":"astro-articles paths 1"}';

const historyOf = (articles: Record<string, Record<string, number>>): PathHistory =>
  new Map(Object.entries(articles).map(([key, pages]) => [key, new Map(Object.entries(pages))]));

const history = historyOf({
  'articles/a1': { '1 posts/old-a1': 1, '1 posts/new-a1': 3 },
  'articles/b2': { '1 posts/b2': 1 },
  'blog%2Fposts%20%25/a/1 %': { '0 other-a1': 2 },
});

/** Writes a history, and returns its text. */
async function publish(): Promise<string> {
  const folder = await temporaryFolder();
  const dir = pathToFileURL(`${folder}/`);
  await writePublished(history, dir);
  return readFile(new URL('_articles/paths.jsonl', dir), 'utf8');
}

/**
 * Lets pauses between attempts take a hundredth of their time.
 *
 * @param timeLimit the time limit of an attempt in ms
 */
function hurry(timeLimit = 10_000): void {
  vi.spyOn(systemClock, 'now').mockImplementation(runTime);
  vi.spyOn(systemClock, 'after').mockImplementation((delay, call) =>
    afterRunTime(delay < 5_000 ? delay / 100 : timeLimit, call),
  );
}

/** Runs a site that responds like this, and reads its history. */
async function read(
  listener: RequestListener,
  { isBestEffort = false, timeLimit }: { isBestEffort?: boolean; timeLimit?: number } = {},
) {
  const requests: { url: string | undefined; headers: IncomingHttpHeaders }[] = [];
  const { url: site } = await temporaryServer((request, response) => {
    requests.push({ url: request.url, headers: request.headers });
    listener(request, response);
  });
  hurry(timeLimit);
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

test('reads a published file in one request, also compressed', async () => {
  const body = gzipSync((await publish()).replaceAll('\n', '\r\n'));
  const listener = respond(body, 200, { 'content-encoding': 'gzip' });
  const { result, requests, info, warnings } = await read(listener);
  expect(result).toEqual(history);
  expect(requests.map(({ url }) => url)).toEqual([path]);
  expect([...info, ...warnings]).toEqual([]);
});

test('reads a file of the first released form', async () => {
  const text = await readFile(new URL('paths-1.jsonl', import.meta.url));
  const { result, warnings } = await read(respond(text));
  expect(result).toEqual(
    historyOf({
      'articles/1': { '1 posts/alpha': 1, '1 posts/beta': 4 },
      'articles/a/2': { '0 robots.txt': 3, '1 posts/über-uns': 2 },
      'news%20%26%20more/1': { '2 news/2026/n-1': 1, '2 news/2026/n-2': 0 },
    }),
  );
  expect(warnings).toEqual([]);
});

test('has the lines of each collection by its name, and no lines of another one', () => {
  const own = ofCollection(history, 'blog/posts %');
  expect(own).toEqual(historyOf({ 'a/1 %': { '0 other-a1': 2 } }));
  expect(ofCollection(history, 'articles').size).toBe(2);
  for (const name of ['article', 'articles/a', 'blog', ''])
    expect(ofCollection(history, name).size).toBe(0);
  const all = [...withCollection(own, 'blog/posts %')];
  expect(history.get(all[0]?.[0] ?? '')).toEqual(all[0]?.[1]);
});

test.each(['https://notexample.test.page', 'https://myexample.com', 'https://example.com.page'])(
  'is read of %s, which may exist',
  async (site) => {
    const fetch = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
      return new Response('', { status: 404 });
    });
    const logger = { info: vi.fn(), warn: vi.fn() };
    await readPublished({ site, base: '/' }, { isBestEffort: false, logger });
    expect(fetch).toHaveBeenCalledOnce();
    vi.restoreAllMocks();
  },
);

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
    expect(info).toEqual([
      `No build has published a history of paths at ${file} yet. If the site had another URL, run \`astro sync\` with that \`site\` and \`base\` once, and keep the cache.`,
    ]);
    expect(warnings).toEqual([]);
  });

  test.each([
    undefined,
    'https://site.example',
    'https://www.example.com',
    'https://example.net',
    'https://example.org',
    'http://localhost:4321',
    'https://blog.localhost',
    'https://blog.test',
    'https://blog.invalid',
  ])('has an address that no published site can have, %s, and is not requested', async (site) => {
    const fetch = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('not expected'));
    const logger = { info: vi.fn(), warn: vi.fn() };
    const result = await readPublished({ site, base: '/' }, { isBestEffort: false, logger });
    expect(result).toEqual(new Map());
    for (const call of [fetch, logger.info, logger.warn]) expect(call).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});

const html = { 'content-type': 'text/html' };

describe('a history that cannot be read', () => {
  test.each<[string, RequestListener, string]>([
    ['a page for each path', respond('<!doctype html>', 200, html), 'not a whole history of paths'],
    ['another version', respond(head.replace('1', '2')), 'not a whole history'],
    [
      'another version with articles',
      respond(`${head.replace('1', '2')}\n["a/1",[["0 x",1]]]\n{"end":true}\n`),
      'not a whole history',
    ],
    ['the beginning of a file', respond(`${head}\n["a/1",[["0 x",1]]],\n["a/2"`), 'not a whole'],
    ['an error', respond('', 500), '500'],
    ['a refusal', respond('', 403), 'jsonl: responded 403.'],
    ['an explained error', respond('{"detail":"\\u001b\\u202e##["}', 400), ': \\u{202e}#\\u{23}['],
    ['a file beyond the limit', respond('x'.repeat(64_000_001)), 'larger than 64000000 bytes'],
    ['no response', (request) => request.socket.destroy(), 'connection to 127.0.0.1'],
    [
      'a redirect to another host',
      respond('', 301, { location: 'https://other.example/x' }),
      'to https://other.example, which is another origin',
    ],
    ['a redirect that never ends', respond('', 302, { location: path }), 'more than 5 times'],
  ])('because of %s fails the build, or warns with best effort', async (_, listener, reason) => {
    const { result, file, warnings } = await read(listener);
    expect(result).toMatchObject({
      code: 'history-unavailable',
      message: expect.stringContaining(reason),
      hint: expect.stringContaining('ARTICLES_REDIRECTS=best-effort'),
    });
    const { message } = result as Error;
    expect(message).toContain(`The history of paths could not be read from ${file}: `);
    expect(warnings).toEqual([]);
    const allowed = await read(listener, { isBestEffort: true });
    expect(allowed).toMatchObject({ result: new Map(), info: [] });
    expect(allowed.warnings).toEqual([expect.stringContaining(reason)]);
    expect(allowed.warnings[0]).toContain('have no redirects from now on');
  });

  test('because of a response that never ends fails the build after some attempts', async () => {
    const listener: RequestListener = (_, response) => void response.write(head);
    const { result, requests } = await read(listener, { timeLimit: 100 });
    expect(result).toMatchObject({
      code: 'history-unavailable',
      message: expect.stringContaining('no complete response within 10000 ms'),
    });
    expect(requests).toHaveLength(3);
  });

  test('because of a redirect to another origin fails the build without a request to it', async () => {
    const requests: unknown[] = [];
    const other = await temporaryServer(({ url }, response) => {
      requests.push(url);
      response.writeHead(404).end();
    });
    const { result } = await read(respond('', 302, { location: `${other.url}/missing` }));
    expect(result).toMatchObject({ code: 'history-unavailable' });
    expect(requests).toEqual([]);
  });

  test.each(['ENOTFOUND', 'EAI_AGAIN'])(
    'because of an unknown host name (%s) fails the build, or warns with best effort',
    async (code) => {
      const lookup = vi.spyOn(dns, 'lookup').mockImplementation((...given: unknown[]) => {
        const callback = given.at(-1) as (error: Error) => void;
        callback(Object.assign(new Error(`getaddrinfo ${code}`), { code }));
      });
      hurry();
      const logger = { info: vi.fn(), warn: vi.fn() };
      const load = (isBestEffort: boolean) =>
        readPublished({ site: 'https://www.soon.page', base: '/' }, { isBestEffort, logger });
      const failure = await load(false).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        code: 'history-unavailable',
        message: expect.stringContaining(code),
        hint: expect.stringContaining('first build for a new host'),
      });
      expect(logger.warn).not.toHaveBeenCalled();
      expect(await load(true)).toEqual(new Map());
      expect(logger.warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(code));
      expect(logger.info).not.toHaveBeenCalled();
      expect(lookup).toHaveBeenCalledTimes(6);
      vi.restoreAllMocks();
    },
  );
});
