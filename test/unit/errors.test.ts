import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { type Fault, type FixtureService, startService } from '../../fixtures/service.ts';
import { createArticlesClient } from '../../src/client/index.ts';
import { withBody } from '../../src/content/with-body.ts';
import { ArticlesError, type ArticlesErrorCode, errorCodes } from '../../src/errors.ts';
import { checkForKeys } from '../../src/integration/key-scan.ts';
import { openMirror } from '../../src/mirror/mirror.ts';
import { parseOptions } from '../../src/options/options.ts';
import { resolveOptions } from '../../src/options/resolve-options.ts';
import { siteFor } from '../../src/shared/site-url.ts';
import { update } from '../../src/sync/sync-or-keep.ts';
import { createHastyClock, syncOnce } from '../helpers/sync.ts';

const apiKey = 'key-of-the-error-tests';
let service: FixtureService;
let folder: string;

beforeAll(async () => {
  service = await startService({ apiKey });
});
afterAll(() => service.close());
let undo: (() => void)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'errors-'));
  service.replace(makeArticles(3));
});
afterEach(async () => {
  for (const each of undo) each();
  undo = [];
  Object.assign(service.options, { maxLimit: 500 });
  await rm(folder, { recursive: true, force: true });
});

function strike(fault: Fault, on: 'list' | 'article' | 'any' = 'any'): void {
  undo.push(service.fail({ on, fault, times: Number.POSITIVE_INFINITY }));
}

function client(options: Partial<Parameters<typeof createArticlesClient>[0]> = {}) {
  const given = { baseUrl: service.url, apiKey, timeout: 200, retry: { limit: 0 }, ...options };
  return createArticlesClient(given, createHastyClock(200));
}

const resolved = (loader = {}, environment = {}) =>
  resolveOptions({ loader, integration: {}, environment, command: 'build' });
const listing = (fault: Fault) => () => {
  strike(fault);
  return client().listPage();
};
const body = (text: string | Buffer) => listing({ kind: 'body', body: text });
const status = (code: number, headers = {}) => listing({ kind: 'status', status: code, headers });
const sync = () => syncOnce(folder, { baseUrl: service.url, apiKey, retry: { limit: 0 } });
const failingFetch = (code: string) => () =>
  client({
    fetch: async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
    },
  }).listPage();

/** A way to each code, as a user might meet it. */
const ways: Record<ArticlesErrorCode, () => unknown> = {
  'invalid-options': () =>
    parseOptions({ pagesize: 5, images: { maxPixels: 'many' } }, 'articles()'),
  'key-missing': () => resolved({ baseUrl: service.url }),
  'key-malformed': () => client({ apiKey: 'two words' }),
  'base-url-missing': () => resolved({}, { ARTICLES_API_KEY: apiKey }),
  unauthorized: () => client({ apiKey: 'another-key' }).listPage(),
  'not-found': status(404),
  refused: status(400),
  throttled: status(429, { 'retry-after': '999' }),
  'server-error': status(503),
  unavailable: () => {
    service.replace(makeArticles(60));
    strike({ kind: 'status', status: 502 }, 'article');
    return syncOnce(folder, { baseUrl: service.url, apiKey });
  },
  'unexpected-status': status(206),
  network: listing({ kind: 'close' }),
  dns: failingFetch('ENOTFOUND'),
  tls: failingFetch('DEPTH_ZERO_SELF_SIGNED_CERT'),
  protocol: listing({ kind: 'raw', bytes: 'hello there\r\n\r\n' }),
  timeout: listing({ kind: 'never' }),
  'total-timeout': async () => {
    const { now } = createHastyClock();
    strike({ kind: 'status', status: 429, headers: { 'retry-after': '60' } });
    const asking = client({ retry: { limit: 4 } });
    const abort = new AbortController();
    const patient = { deadline: now() + 90_000, signal: abort.signal };
    const first = asking.getArticle('1', patient).catch(() => undefined);
    await expect.poll(() => asking.traffic().pauses).toBeGreaterThan(0);
    const second = asking.getArticle('2', { deadline: now() + 50 });
    await second.catch(() => undefined);
    abort.abort();
    await first;
    return second;
  },
  redirect: listing({ kind: 'redirect', location: 'https://elsewhere.example/' }),
  'empty-body': listing({ kind: 'empty' }),
  'not-json': listing({ kind: 'html' }),
  'bad-json': body('{"results": [NaN]}'),
  'bad-text': body(Buffer.from('{"results": ["é"]}', 'latin1')),
  'body-too-large': () => client({ maxBytes: { page: 100 } }).listPage(),
  'too-deep': body('['.repeat(100_000) + ']'.repeat(100_000)),
  'unexpected-shape': body('{"detail":"no"}'),
  'wrong-article': () => {
    strike({ kind: 'body', body: '{"id":5,"title":"t","content":"c"}' });
    return client().getArticle('1');
  },
  'offset-ignored': () => {
    strike({ kind: 'body', body: '{"results":[{"id":6}],"count":9}' });
    return client().survey();
  },
  'listing-incomplete': () => {
    strike({
      kind: 'rewrite',
      rewrite: (page) => ({ ...Object(page), count: 9, next: undefined }),
    });
    return client().survey();
  },
  'listing-endless': () => {
    let serial = 0;
    const rows = () => Array.from({ length: 500 }, () => ({ id: serial++ }));
    const answer = () => Response.json({ next: 'more', results: rows() });
    return client({ fetch: async () => answer(), totalTimeout: 600_000 }).survey();
  },
  'id-clash': () => {
    strike({ kind: 'body', body: '{"results":[{"id":1},{"id":"1"}]}' });
    return client().survey();
  },
  'articles-missing': () => {
    strike({ kind: 'status', status: 404 }, 'article');
    return sync();
  },
  'mass-removal': async () => {
    await sync();
    service.replace([]);
    return sync();
  },
  'invalid-articles': () => {
    service.change(1, { title: 7 });
    service.change(2, { title: 7 });
    service.change(3, { content: ['c'] });
    return sync();
  },
  'mirror-empty': async () => {
    const options = resolved({ baseUrl: service.url, apiKey, offline: true });
    const mirror = await openMirror(folder, { source: options.baseUrl, date: Date.now });
    const say = () => undefined;
    const logger = { info: say, warn: say, debug: say };
    return update(mirror, { options, logger, onProgress: say, dev: false });
  },
  'mirror-damaged': async () => {
    const { mirror } = await sync();
    const { object = '' } = mirror.index.articles[0] ?? {};
    await writeFile(join(folder, 'articles', `${object}.json`), '{}');
    return mirror.readArticle(object);
  },
  'mirror-unwritable': async () => {
    await writeFile(join(folder, 'articles'), '');
    return sync();
  },
  'site-missing': () => siteFor('feedItems()', undefined),
  'body-missing': () => withBody({ id: 'one', collection: 'articles', digest: '0'.repeat(48) }),
  'key-in-output': async () => {
    await writeFile(join(folder, 'page.html'), `<p>${apiKey}`);
    return checkForKeys([folder], [apiKey]);
  },
};

describe('the code', () => {
  it.each(errorCodes)('%s comes with a message and a hint', async (code) => {
    const error = await Promise.resolve()
      .then(ways[code])
      .then(
        () => undefined,
        (reason) => reason,
      );
    expect(ArticlesError.is(error)).toBe(true);
    expect(error.code).toBe(code);
    const text = `${error.message}\n${error.hint}`;
    expect(error.hint).toBeTruthy();
    expect(text).not.toContain(apiKey);
    expect(normal(text)).toMatchSnapshot();
  });
});

/** What differs from run to run. */
function normal(text: string): string {
  return text
    .replaceAll(folder, '<folder>')
    .replaceAll(String(service.port), '<port>')
    .replace(/[0-9a-f]{32}/g, '<hash>')
    .replace(/articles\/\d+\/: answered 502/, 'articles/<id>/: answered 502')
    .replace(/\(\d+ attempts; /, '(<some> attempts; ');
}

it('codes are all explained in the README, and no others', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const section = readme.split('### Error codes\n')[1]?.split('\n## ')[0] ?? '';
  const explained = [...section.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, code]) => code);
  expect(explained).toEqual([...errorCodes]);
});
