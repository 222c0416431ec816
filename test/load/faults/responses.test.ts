import { z } from 'astro/zod';
import { describe, expect, it } from 'vitest';
import { type Fault, startService } from '../../../fixtures/service.ts';
import { createArticlesClient } from '../../../src/client/index.ts';
import { articleSchema } from '../../../src/content/article-schema.ts';
import { isLargerThan, key, status, useFaultSite } from './harness.ts';

const site = useFaultSite();

describe('bodies', () => {
  it('a web page is named by its type, and not quoted', async () => {
    site.strike('list', { kind: 'html' });
    const failure = await site.loadFails();
    expect(failure).toMatchObject({ code: 'not-json' });
    expect(failure.message).toContain('text/html');
    expect(failure.message).not.toMatch(/</);
    expect(site.service.count('list')).toBe(2);
  });

  it.each([
    ['an empty body', { kind: 'empty' }],
    ['a 204', status(204)],
    ['a 205', status(205)],
  ] as [string, Fault][])('%s is not a usable response', async (_, fault) => {
    site.strike('list', fault);
    expect(await site.loadFails()).toMatchObject({
      code: 'bad-json',
      message: expect.stringMatching(/empty body|without a body/),
    });
    expect(site.service.count('list')).toBe(3);
  });

  it.each([
    ['invalid JSON', '{"results": [}'],
    ['NaN', '{"results": [], "count": NaN}'],
    ['a trailing comma', '{"results": [],}'],
    ['a truncated text', '{"results": [{"id": "secret te'],
  ])('%s is refused without quoting it', async (_, body) => {
    site.strike('list', { kind: 'body', body });
    const failure = await site.loadFails();
    expect(failure).toMatchObject({ code: 'bad-json' });
    expect(failure.message).not.toContain('secret');
    expect(site.service.count('list')).toBe(3);
  });

  it('a byte order mark is ignored', async () => {
    const page = {
      count: 0,
      next: null,
      results: [{ id: 6, title: 't', content: 'c', cover_image: null }],
    };
    site.strike('list', { kind: 'body', body: `\uFEFF${JSON.stringify(page)}` });
    const client = createArticlesClient({ baseUrl: site.service.url, apiKey: key });
    expect((await client.listPage()).rows).toEqual(page.results);
  });

  it.each([
    ['Latin-1', Buffer.from('{"title":"caf\xe9 x"}', 'latin1')],
    ['UTF-16', Buffer.from('\uFEFF{"title":"t"}', 'utf16le')],
    ['a stray byte', Buffer.from([0x22, 0xff, 0x22])],
  ])('%s is refused, and never becomes replacement characters', async (_, body) => {
    site.strike('article', { kind: 'body', body });
    const failure = await site.loadFails();
    expect(failure).toMatchObject({ code: 'invalid-articles', problems: [{ id: '6' }] });
    expect(failure.message).toContain('UTF-8');
    expect(site.service.count('article')).toBe(1);
  });

  const brackets = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  it.each([
    [brackets, 'responded with a list'],
    [
      `{"id":6,"title":"t","content":"c","more":${brackets}}`,
      'field more: expected at most 64 levels',
    ],
  ])('a hundred thousand brackets are refused without a stack overflow', async (body, message) => {
    site.strike('article', { kind: 'body', body });
    expect((await site.loadFails()).message).toContain(message);
  });

  it('of duplicate keys the last one counts, and another id is noticed', async () => {
    const body = '{"id":6,"id":2,"title":"t","content":"c","cover_image":null}';
    site.strike('article', { kind: 'body', body });
    expect((await site.loadFails()).message).toContain('"2"');
    expect(site.service.count('article')).toBe(2);
  });

  it('keys that reach a prototype are dropped at every level', async () => {
    const extra =
      '"deep":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"fine":1}';
    const body = `{"id":6,"title":"t","content":"c","cover_image":null,"__proto__":{"polluted":1},${extra}}`;
    site.strike('article', { kind: 'body', body }, 1);
    const { entries } = await site.load(
      {},
      { schema: (context) => articleSchema(context).extend({ deep: z.unknown().optional() }) },
    );
    expect(entries.get('6')?.data.deep).toEqual({ fine: 1 });
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it.each([
    ['a text', '"x"'],
    ['null', 'null'],
    ['a number', '7'],
    ['{}', '{}'],
    ['a detail', '{"detail":"no"}'],
  ])('%s for a listing is refused', async (_, body) => {
    site.strike('list', { kind: 'body', body });
    expect(await site.loadFails()).toMatchObject({ code: 'unexpected-shape' });
    expect(site.service.count('list')).toBe(2);
  });

  it.each([
    ['another article', { id: 2, title: 't', content: 'c', cover_image: null }],
    ['the listing', { count: 1, next: null, previous: null, results: [] }],
    ['a list', []],
  ] as [string, unknown][])('%s for an article is refused', async (_, value) => {
    site.strike('article', { kind: 'json', value });
    expect(await site.loadFails()).toMatchObject({
      code: 'invalid-articles',
      problems: [{ id: '6' }],
    });
    expect(site.service.count('article')).toBe(2);
  });
});

describe('statuses', () => {
  it.each([
    [206, 'unexpected-status', 5],
    [304, 'unexpected-status', 2],
    [400, 'refused', 1],
    [405, 'refused', 1],
    [406, 'refused', 1],
    [410, 'not-found', 1],
    [422, 'refused', 1],
    [401, 'unauthorized', 1],
    [403, 'unauthorized', 1],
    [404, 'not-found', 1],
    [408, 'refused', 5],
    [425, 'refused', 5],
    [409, 'refused', 5],
    [423, 'refused', 5],
    [414, 'refused', 1],
    [431, 'refused', 1],
    [501, 'server-error', 1],
    [505, 'server-error', 1],
    [511, 'server-error', 1],
  ])('%i for the listing ends in %s', async (code, expected, attempts) => {
    site.strike('list', status(code));
    expect(await site.loadFails()).toMatchObject({ code: expected, status: code, attempts });
    expect(site.service.count('list')).toBe(attempts);
  });

  it.each([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 527])(
    '%i costs one more request each time',
    async (code) => {
      site.strike('any', status(code), 2);
      await site.loadExactly();
      expect(site.service.count()).toBe(4);
    },
  );

  it('the reason of the service is shown, without the key and without control characters', async () => {
    const encoded = Buffer.from(key).toString('base64');
    const detail = `You sent ${key}\u0007 and \u001b[31m${encoded} ${'x'.repeat(900)}`;
    site.strike('list', status(400, { body: JSON.stringify({ detail }) }));
    const { message } = await site.loadFails();
    expect(message).toContain('You sent [the API key]');
    expect(message).not.toContain(encoded);
    const [line = ''] = message.split('\n');
    expect(line).toMatch(/^\P{Cc}+$/u);
    expect(line.length).toBeLessThan(500);
  });

  it('a wrong key is an error that says where to create another', async () => {
    const failure = await site.loadFails({ apiKey: 'some-other-key-0815' });
    expect(failure).toMatchObject({ code: 'unauthorized' });
    expect(failure.hint).toContain('Settings → Integrations → REST API');
    expect(failure.hint).toContain('ARTICLES_API_KEY');
    expect(failure.message).not.toContain('0815');
    expect(site.service.count()).toBe(1);
  });

  it('a key that is refused for smaller pages is reported as refused', async () => {
    site.strike(isLargerThan(200), status(413));
    site.strike('list', status(401));
    expect(await site.loadFails()).toMatchObject({ code: 'unauthorized' });
  });

  it('413 makes the page smaller', async () => {
    site.strike(isLargerThan(200), status(413));
    await site.loadExactly();
    expect(site.service.requests.map(({ limit }) => limit).slice(0, 3)).toEqual([500, 250, 125]);
  });

  it('a page that is too large for the service is requested in smaller ones', async () => {
    site.strike(isLargerThan(200), status(500));
    await site.loadExactly();
  });
});

describe('redirects', () => {
  const path = '/api/integrations/project/articles/';

  it('one to the same origin is followed, and a base without its slash needs none', async () => {
    site.strike(
      'list',
      { kind: 'redirect', location: `${path}?limit=500&offset=0`, status: 301 },
      1,
    );
    await site.loadExactly({ baseUrl: site.service.url.replace(/\/$/, '') });
    for (const { path: requested } of site.service.requests) {
      expect(new URL(requested, 'http://x').pathname).toMatch(/\/$/);
    }
  });

  it('a loop ends after five redirects', async () => {
    site.strike('list', { kind: 'redirect', location: path });
    expect(await site.loadFails()).toMatchObject({ code: 'redirect' });
    expect(site.service.count()).toBe(6);
  });

  it.each([301, 302, 303, 307, 308])(
    '%i to another origin is refused, and the key is not sent there',
    async (code) => {
      const other = await startService({ articles: [] });
      for (const location of [
        `${other.url}${path}`,
        `//127.0.0.1:${other.port}/`,
        other.url.replace('127.0.0.1', 'localhost'),
      ]) {
        site.strike('list', { kind: 'redirect', location, status: code }, 1);
        const failure = await site.loadFails();
        expect(failure).toMatchObject({ code: 'redirect' });
        expect(failure.message).toContain(site.service.origin);
        expect(failure.message).toContain(String(other.port));
      }
      expect(other.count()).toBe(0);
      await other.close();
    },
  );

  it.each([303, 307, 308])('%i to the same origin is followed', async (code) => {
    const location = `${path}?limit=500&offset=0`;
    site.strike('list', { kind: 'redirect', location, status: code }, 1);
    await site.loadExactly();
  });
});

it('no validator is sent to the service, since rows prove what is unchanged', async () => {
  await site.loadExactly();
  await site.loadExactly();
  expect(site.service.requests.some(({ headers }) => 'if-none-match' in headers)).toBe(false);
  expect(site.service.count('article')).toBe(1);
});
