import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../fixtures/service.ts';
import { createArticlesClient } from '../../../src/client/index.ts';
import { filesIn } from '../../helpers/mirror-folder.ts';
import { temporaryService } from '../../helpers/use-service.ts';
import { key, patience, status, useFaultSite } from './harness.ts';

const site = useFaultSite();

const body = (text: string | Buffer): Fault => ({ kind: 'body', body: text });
const redirect = (location: string): Fault => ({ kind: 'redirect', location });
const raw = (rest: string): Fault => ({
  kind: 'raw',
  bytes: `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${rest}`,
});
const marked = (encoding: string) =>
  raw(`content-encoding: ${encoding}\r\ncontent-length: 2\r\n\r\n[]`);

type Row = [name: string, fault: Fault, code: string, attempts: number];
const faults: Row[] = [
  ['has the status 401', status(401), 'unauthorized', 1],
  ['has the status 404', status(404), 'not-found', 1],
  ['has the status 400', status(400), 'refused', 1],
  ['has the status 503', status(503), 'server-error', 5],
  ['has the status 304', status(304), 'unexpected-status', 2],
  ['requires ten seconds', status(429, { headers: { 'retry-after': '10' } }), 'throttled', 5],
  ['requires a day', status(429, { headers: { 'retry-after': '86400' } }), 'throttled', 1],
  ['is closed at once', { kind: 'close' }, 'network', 5],
  ['is reset', { kind: 'reset' }, 'network', 5],
  ['never begins', { kind: 'never' }, 'timeout', 3],
  ['breaks off in the body', { kind: 'cut' }, 'network', 5],
  ['ends without its last chunk', { kind: 'cut', chunked: true }, 'network', 5],
  ['ends early with its connection', { kind: 'cut', closeDelimited: true }, 'bad-json', 3],
  ['sends its head a byte at a time', { kind: 'slowHeaders', every: 100 }, 'timeout', 3],
  ['never ends, byte after byte', { kind: 'drip' }, 'timeout', 3],
  ['is longer than its length', raw('content-length: 4\r\n\r\n{"results":[]}'), 'bad-json', 3],
  ['is not HTTP', { kind: 'raw', bytes: 'SSH-2.0-OpenSSH_9.6\r\n' }, 'network', 5],
  ['has a header of 70 KB', raw(`x: ${'y'.repeat(70_000)}\r\n\r\n`), 'network', 5],
  ['has chunks of no size', raw('transfer-encoding: chunked\r\n\r\nzz\r\n[]\r\n'), 'network', 5],
  ['is half a gzip', { kind: 'gzipCut' }, 'network', 5],
  ['is a corrupt gzip', { kind: 'gzipCorrupt' }, 'network', 5],
  ['is plain, but marked as br', marked('br'), 'network', 5],
  ['is a web page', { kind: 'html' }, 'not-json', 2],
  ['is empty', { kind: 'empty' }, 'bad-json', 3],
  ['is nested deep', body(`${'{"x":'.repeat(1e5)}1${'}'.repeat(1e5)}`), 'unexpected-shape', 2],
  ['has no articles', body('{"results":[],"count":0,"next":null}'), 'mass-removal', 1],
  ['lacks articles', body('{"results":[{"id":6}],"count":9}'), 'listing-unusable', 4],
  ['is a redirect to itself', redirect('?again'), 'redirect', 6],
  ['is a redirect to another origin', redirect('https://elsewhere.example/'), 'redirect', 1],
];

describe('a listing that', () => {
  it.each(faults)('%s fails the load, or is a warning, and changes nothing', async (...row) => {
    const [, fault, code, attempts] = row;
    site.strike('list', fault);
    const failure = await site.loadFails(patience(fault));
    expect(failure).toMatchObject({ code });
    expect(site.service.count('list')).toBe(attempts);
    expect(failure.hint).toContain('collection "articles"');
    const advice = "With `failOn: ['articles']`";
    if (code === 'unauthorized') expect(failure.hint).not.toContain(advice);
    else expect(failure.hint).toContain(advice);
    expect(failure.stack).toContain('\n    at ');
    const before = await site.state();
    const kept = await site.load({ failOn: ['articles'], retries: 0, ...patience(fault) });
    expect(kept.failure).toBeUndefined();
    expect(kept.warnings).toEqual([
      expect.stringMatching(
        /^Using articles from .* GMT, because the load from the service failed: .*$/,
      ),
    ]);
    // A line break in it would be shown as an escape.
    expect(kept.warnings.join()).not.toContain('\\u{a}');
    expect(kept.log).toMatch(/; [1-9]\d* requests?/);
    expect(kept.log).not.toContain(key);
    expect(await site.state()).toEqual(before);
    await expect.poll(() => site.service.activeRequests).toBe(0);
  });

  it('speaks no TLS on the port of `baseUrl` is an error of the configuration', async () => {
    const failure = await site.loadFails({ baseUrl: site.service.url.replace('http:', 'https:') });
    expect(failure).toMatchObject({ code: 'tls', attempts: 1 });
    expect(failure.hint).toContain('scheme and port');
    // The site is not built from the mirror of another service.
    expect(failure.hint).not.toContain('failOn');
  });
});

it.each([
  ['an article of', 'huge', 2 * 2 ** 20],
  ['a page of', 'huge', 32 * 2 ** 20],
  ['an article from a gzip of', 'gzipBomb', 2 * 2 ** 20],
] as const)('%s endless bytes is cut at its limit, and not retried', async (what, kind, limit) => {
  site.strike('any', { kind });
  // A busy machine may need seconds for the bytes of a page.
  const service = { baseUrl: site.service.url, apiKey: key, timeout: 600_000 };
  const client = createArticlesClient(service);
  const call = what === 'a page of' ? client.listPage() : client.getArticle('6');
  const error = await call.catch((reason) => reason);
  expect(error).toMatchObject({ code: 'body-too-large', attempts: 1 });
  expect(error.message).toContain(String(limit));
  await expect.poll(() => site.service.activeRequests).toBe(0);
});

it('a redirect is followed within the origin, and does not send the key to another one', async () => {
  const path = '/api/integrations/project/articles/';
  const other = await temporaryService({ articles: [] });
  for (const location of [
    `${other.url}${path}`,
    `//127.0.0.1:${other.port}/`,
    other.url.replace('127.0.0.1', 'localhost'),
  ]) {
    site.strike('list', { kind: 'redirect', location }, 1);
    const failure = await site.loadFails();
    expect(failure).toMatchObject({ code: 'redirect' });
    expect(failure.message).toContain(site.service.origin);
    expect(failure.message).toContain(String(other.port));
  }
  expect(other.count()).toBe(0);
  site.service.clearRequests();
  site.strike('list', { kind: 'redirect', location: `${path}?limit=500&offset=0` }, 1);
  await site.loadExactly();
  expect(site.service.count('list')).toBe(2);
});

it('no log line, error, file or entry has the key, even if responses and errors repeat it', async () => {
  const body = JSON.stringify({ detail: `${key} ${encodeURIComponent(key)} ${btoa(key)}` });
  const texts: string[] = [];
  for (const code of [400, 401, 403, 404, 418, 500]) {
    site.strike('any', status(code, { body }), 1);
    const { log, failure } = await site.load({ failOn: ['articles'] });
    texts.push(log, String(failure?.stack));
  }
  // A fetch whose errors contain the whole request, like those of some libraries.
  const telling = async (_: string, init: RequestInit) => {
    throw Object.assign(new Error(`failed: ${JSON.stringify(init)}`), { config: init });
  };
  const telltale = await site.loadFails({ fetch: telling });
  expect(telltale).toMatchObject({ code: 'network' });
  for (let error: unknown = telltale; error instanceof Error; error = error.cause) {
    texts.push(JSON.stringify(error, Object.getOwnPropertyNames(error)));
  }
  const { context, log } = await site.load();
  texts.push(context.storeText(), log);
  for (const file of await filesIn(site.root)) texts.push(...file);
  expect(texts.length).toBeGreaterThan(20);
  for (const form of [key, btoa(key), encodeURIComponent(key)]) {
    expect(texts.filter((text) => text.includes(form))).toEqual([]);
  }
});
