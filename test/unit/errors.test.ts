import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import type { Fault } from '../../fixtures/service.ts';
import { type ClientLimits, createArticlesClient } from '../../src/client/client.ts';
import { readListing } from '../../src/client/listing/reading.ts';
import { withBody } from '../../src/content/with-body.ts';
import {
  ArticlesError,
  type ArticlesErrorCode,
  ArticlesInvalidError,
  ArticlesRequestError,
  articleNotice,
} from '../../src/errors.ts';
import { scanForKeys } from '../../src/integration/key-scan.ts';
import { checkPaths, checkSlugs } from '../../src/integration/site-checks.ts';
import { optionsSchema } from '../../src/options/options.ts';
import { resolveOptions } from '../../src/options/resolve-options.ts';
import { readPublished } from '../../src/redirects/published.ts';
import { checkOptions } from '../../src/shared/check-options.ts';
import { requireSite } from '../../src/shared/page-values.ts';
import { watchFiles } from '../helpers/file-faults.ts';
import { route } from '../helpers/routes.ts';
import { key, type LoadFailure, offline, useSite } from '../helpers/use-site.ts';
import { shownSlugs } from './integration/shown-slugs.ts';

const page = 'node_modules/astro-articles/docs/errors.md';
const site = useSite({ articles: () => makeArticles(3), options: { retries: 0 } });

const resolved = (loader = {}, environment = {}) =>
  resolveOptions({ loader, integration: {}, environment, command: 'build' });

function client(
  options: Partial<Parameters<typeof createArticlesClient>[0]> = {},
  limits: Partial<ClientLimits> = {},
) {
  const { url } = site.service;
  const settings = { timeout: 2_000_000, retries: 0, ...options };
  return createArticlesClient({ baseUrl: url, apiKey: key, ...settings }, { limits });
}

const survey = (of = client()) => readListing(of, { pageSize: 500, apiKey: key, call: {} });

const listing = (fault: Fault) => () => {
  site.strike('any', fault);
  return client().listPage();
};
const body = (text: string | Buffer) => listing({ kind: 'body', body: text });
const status = (code: number, headers = {}) => listing({ kind: 'status', status: code, headers });
const failingFetch = (code: string) => () =>
  client({
    fetch: async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
    },
  }).listPage();

/** Loads the collection, and throws the error if it fails. */
async function load(...args: Parameters<typeof site.load>): Promise<void> {
  const { failure } = await site.load(...args);
  if (failure) throw failure;
}

/** The codes, except for that in test/unit/images/missing-sharp.test.ts, which needs a process of its own. */
type Code = Exclude<ArticlesErrorCode, 'sharp-missing'>;

/** By code, how a user causes the error. Some codes have several causes. */
const ways: Record<Code | `${Code}, for ${string}`, () => unknown> = {
  'invalid-options': () =>
    checkOptions(optionsSchema, { pagesize: 5, images: { maxBytes: 'many' } }, 'articles()'),
  'key-missing': () => resolved({ baseUrl: site.service.url }),
  'key-malformed': () => client({ apiKey: 'two words' }),
  'base-url-missing': () => resolved({}, { ARTICLES_API_KEY: key }),
  'site-missing': () => requireSite('feedItems()', undefined),
  unauthorized: () => client({ apiKey: 'another-key' }).listPage(),
  'not-found': status(404),
  refused: status(400),
  throttled: status(429, { 'retry-after': '999' }),
  'server-error': status(503),
  unavailable: async () => {
    site.service.replace(makeArticles(60));
    site.strike('article', { kind: 'status', status: 502 });
    const { getArticle, traffic } = client({ retries: 4 });
    const results = await Promise.allSettled(
      site.service.articles.map(({ id }) => getArticle(String(id))),
    );
    const errors = results.map((result) => result.status === 'rejected' && result.reason);
    expect(traffic().retries).toBe(20);
    throw errors.find(({ code }) => code === 'unavailable');
  },
  'unexpected-status': status(206),
  network: listing({ kind: 'close' }),
  dns: failingFetch('ENOTFOUND'),
  tls: failingFetch('DEPTH_ZERO_SELF_SIGNED_CERT'),
  'network, for a response that is not HTTP': listing({
    kind: 'raw',
    bytes: 'hello there\r\n\r\n',
  }),
  timeout: () => {
    site.strike('any', { kind: 'never' });
    return client({ timeout: 8_000 }).listPage();
  },
  'total-timeout': () => {
    site.strike('any', { kind: 'never' });
    return client({}, { totalTimeout: 4_000 }).listPage();
  },
  redirect: listing({ kind: 'redirect', location: 'https://elsewhere.example/' }),
  'bad-json, for an empty body': listing({ kind: 'empty' }),
  'not-json': listing({ kind: 'html' }),
  'bad-json': body('{"results": [NaN]}'),
  'bad-text': () => {
    site.strike('article', { kind: 'body', body: Buffer.from('{"title":"é"}', 'latin1') });
    return client().getArticle('1');
  },
  'body-too-large': () => client({}, { pageBytes: 100 }).listPage(),
  'unexpected-shape': body('{"detail":"no"}'),
  'unexpected-shape, for another article': () => {
    site.strike('any', { kind: 'body', body: '{"id":5,"title":"t","content":"c"}' });
    return client().getArticle('1');
  },
  'listing-unusable': () => {
    site.strike('any', { kind: 'body', body: '{"results":[{"id":6},{"id":7}],"count":9}' });
    return survey();
  },
  'listing-unusable, for missing rows': () => {
    const rewrite = (page: unknown) => ({ ...Object(page), count: 9, next: undefined });
    site.strike('any', { kind: 'rewrite', rewrite });
    return survey();
  },
  'mass-removal': async () => {
    await load();
    site.service.replace([]);
    return load();
  },
  'invalid-articles': () => {
    site.service.change(1, { title: 7 });
    site.service.change(2, { title: 7 });
    site.service.change(3, { content: ['c'] });
    return load();
  },
  'mirror-empty': () => load({}, offline),
  'mirror-unreadable': async () => {
    await load();
    const before = ({ path }: { path: string }) =>
      path.endsWith('index.json') ? ({ kind: 'fail', code: 'EACCES' } as const) : undefined;
    const { stop } = watchFiles(await site.mirror(), { before });
    return load().finally(stop);
  },
  'mirror-unwritable': async () => {
    await load();
    await writeFile(join(await site.mirror(), 'index.json'), '{"name":"of another program"}');
    return load();
  },
  'body-missing': () => withBody({ id: 'one', collection: 'articles', digest: '0'.repeat(48) }),
  'key-in-output': async () => {
    await writeFile(join(site.root, 'page.html'), `<p>${key}`);
    return scanForKeys([site.root], [key]);
  },
  'history-unavailable': () => {
    const logger = { info: () => undefined, warn: () => undefined };
    const published = { site: 'http://127.0.0.1:1', base: '/' };
    return readPublished(published, { isBestEffort: false, logger });
  },
  'id-unreadable': () => {
    const slugs = shownSlugs({ '2f61e5bc-1': 'tides-kmgao3uroy' }, { isNewestOnly: true });
    checkSlugs(new Map([['articles', slugs]]), {
      pages: [{ pathname: 'articles/tides-kmgao3uroy/' }],
    });
  },
  'path-taken': () => {
    const shown = new Map([['articles', shownSlugs({ 7: 'login' })]]);
    checkPaths(shown, { pages: [{ pathname: 'login/' }], routes: [route('/login')] });
  },
};

describe('the code', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each(Object.entries(ways))('%s comes with a message and a hint', async (name, way) => {
    const [code] = name.split(',');
    const error = await failureOf(way);
    expect(ArticlesError.is(error)).toBe(true);
    expect(error.code).toBe(code);
    expect(`${error.message}${error.hint}${error.stack}`).not.toContain(key);
    const [advice, notes] = error.hint?.split(`\nSee ${page}#${code}`) ?? [];
    expect(advice).toBeTruthy();
    expect(notes).toMatch(/^$|^\n/);
    expect(normal(`${error.message}\n${advice}${notes}`)).toMatchSnapshot();
  });
});

describe('an error', () => {
  it('counts an article with two problems once, and writes each as one line', () => {
    const reason = 'is\n  missing';
    const problems = ['title', 'content'].map((field) => articleNotice('1', reason, field));
    expect(new ArticlesInvalidError(problems).message).toBe(
      '1 article cannot be used:\n  - article "1", field title: is missing\n  - article "1", field content: is missing',
    );
  });

  it('lists fifty problems and twenty ids of each at most, and how many more there are', () => {
    const ids = Array.from({ length: 21 }, (_, index) => `${index}`);
    const notices = ids.map((id) => articleNotice(id, 'is missing', 'title'));
    const others = Array.from({ length: 50 }, (_, index) => articleNotice('0', `no ${index}`));
    const lines = new ArticlesInvalidError([...notices, ...others]).message.split('\n');
    expect(lines).toHaveLength(52);
    expect(lines[0]).toBe('21 articles cannot be used:');
    expect(lines[1]).toMatch(/"18", "19" and 1 more, field title: is missing$/);
    expect(lines[51]).toBe('  - and 1 more');
  });

  it('has no key in its texts, its notices and its causes once they are redacted', () => {
    const causes = [5, 4, 3, 2, 1].reduce<Error | undefined>(
      (cause, level) => Object.assign(new Error(`key ${level}`, { cause }), { code: 'key' }),
      undefined,
    );
    const details = { cause: causes, hint: 'the key', reason: 'no', headers: { 'x-a': 'key' } };
    const error = new ArticlesRequestError('network', 'the key', details);
    error.redact((text) => text.replaceAll('key', '…'));
    expect(error).toMatchObject({ message: 'the …', headers: { 'x-a': '…' } });
    expect(error.hint).toMatch(/^the …\n/);
    expect(inspect(error, { depth: 9 })).not.toContain('key');
    const messages: string[] = [];
    for (let at = error.cause; at instanceof Error; at = at.cause) messages.push(at.message);
    expect(messages).toEqual(['… 1', '… 2', '… 3', '… 4', '… 5']);
    const invalid = new ArticlesInvalidError([articleNotice('key', 'no key')]);
    invalid.redact((text) => text.replaceAll('key', '…'));
    expect(invalid.notices).toEqual([articleNotice('…', 'no …')]);
  });

  it('leads to its documentation also without a hint, and above all notes', () => {
    const error = new ArticlesError('network', 'no');
    expect(error.hint).toBe(`See ${page}#network`);
    error.addNote('One.');
    error.addNote('Two.');
    expect(error.hint).toBe(`See ${page}#network\nOne.\nTwo.`);
  });
});

async function failureOf(way: () => unknown): Promise<LoadFailure> {
  try {
    await way();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error(`No error was thrown by ${way}`);
}

/** Replaces what differs from run to run. */
function normal(text: string): string {
  return text
    .replaceAll(relative('', site.root), '<site>')
    .replaceAll(site.root, '<site>')
    .replaceAll(String(site.service.port), '<port>')
    .replace(/[0-9a-f]{32}/g, '<hash>')
    .replace(/-[0-9a-f]{12}\b/g, '-<hash>')
    .replace(/articles\/\d+\/: responded 502/, 'articles/<id>/: responded 502')
    .replace(/\(\d+ attempts; /, '(')
    .replace(/articles from .* GMT/, 'articles from <a date>');
}
