import { describe, expect, it } from 'vitest';
import { type Fault, startService } from '../../../fixtures/service.ts';
import { createArticlesClient } from '../../../src/client/index.ts';
import { createHastyClock } from '../../helpers/sync.ts';
import { always, key, useFaultBench } from './harness.ts';

const bench = useFaultBench();
const status = (code: number, more: object = {}): Fault => ({
  kind: 'status',
  status: code,
  ...more,
});

describe('bodies', () => {
  it('row 21: a web page is named by its type, and not quoted', async () => {
    bench.strike('list', { kind: 'html' }, always);
    const error = await bench.fails();
    expect(error).toMatchObject({ code: 'not-json' });
    expect(error.message).toContain('text/html');
    expect(error.message).not.toMatch(/</);
    expect(bench.service.count('list')).toBe(2);
  });

  it.each([
    ['an empty body', { kind: 'empty' }],
    ['a 204', status(204)],
    ['a 205', status(205)],
  ] as [string, Fault][])('row 22: %s is no answer', async (_, fault) => {
    bench.strike('list', fault, always);
    expect(await bench.fails()).toMatchObject({ code: 'empty-body' });
    expect(bench.service.count('list')).toBe(3);
  });

  it.each([
    ['invalid JSON', '{"results": [}'],
    ['NaN', '{"results": [], "count": NaN}'],
    ['a trailing comma', '{"results": [],}'],
    ['a truncated text', '{"results": [{"id": "secret te'],
  ])('row 47: %s is refused without a word of it', async (_, body) => {
    bench.strike('list', { kind: 'body', body }, always);
    const error = await bench.fails();
    expect(error).toMatchObject({ code: 'bad-json' });
    expect(error.message).toContain('it is no JSON');
    expect(error.message).not.toContain('secret');
    expect(bench.service.count('list')).toBe(3);
  });

  it('row 48: a byte order mark is no fault', async () => {
    const page = {
      count: 0,
      next: null,
      results: [{ id: 6, title: 't', content: 'c', cover_image: null }],
    };
    bench.strike('list', { kind: 'body', body: `\uFEFF${JSON.stringify(page)}` });
    const client = createArticlesClient({ baseUrl: bench.service.url, apiKey: key });
    expect((await client.listPage()).rows).toEqual(page.results);
  });

  it.each([
    ['latin-1', Buffer.from('{"title":"caf\xe9 x"}', 'latin1')],
    ['UTF-16', Buffer.from('\uFEFF{"title":"t"}', 'utf16le')],
    ['a stray byte', Buffer.from([0x22, 0xff, 0x22])],
  ])('row 48: %s is refused, and never becomes replacement characters', async (_, body) => {
    bench.strike('article', { kind: 'body', body }, always);
    const error = await bench.fails();
    expect(error.message).toContain('bytes that are not UTF-8');
    expect(bench.service.count('article')).toBe(1);
  });

  it('row 49: a hundred thousand brackets are refused without overflowing anything', async () => {
    const body = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    bench.strike('article', { kind: 'body', body }, always);
    expect((await bench.fails()).message).toContain('nested deeper than 64 levels');
    expect(bench.service.count('article')).toBe(1);
  });

  it('row 50: of duplicate keys the last counts, and another id is noticed', async () => {
    const body = '{"id":6,"id":2,"title":"t","content":"c","cover_image":null}';
    bench.strike('article', { kind: 'body', body }, always);
    expect((await bench.fails()).message).toContain('answered with the article "2"');
    expect(bench.service.count('article')).toBe(2);
  });

  it('row 51: keys that reach a prototype are dropped, wherever they stand', async () => {
    const extra =
      '"deep":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"fine":1}';
    const body = `{"id":6,"title":"t","content":"c","cover_image":null,"__proto__":{"polluted":1},${extra}}`;
    bench.strike('article', { kind: 'body', body });
    const { mirror } = await bench.sync();
    const { extra: kept } = await mirror.readArticle(mirror.index.articles[0]?.object ?? '');
    expect(kept).toEqual({ deep: { fine: 1 } });
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it.each([
    ['a text', '"x"'],
    ['null', 'null'],
    ['a number', '7'],
    ['{}', '{}'],
    ['a detail', '{"detail":"no"}'],
  ])('row 52: %s for a listing is refused, naming what is there', async (_, body) => {
    bench.strike('list', { kind: 'body', body }, always);
    expect(await bench.fails()).toMatchObject({ code: 'unexpected-shape' });
    expect(bench.service.count('list')).toBe(2);
  });

  it.each([
    ['another article', { id: 2, title: 't', content: 'c', cover_image: null }],
    ['the listing', { count: 1, next: null, previous: null, results: [] }],
    ['a list', []],
  ] as [string, unknown][])('row 58: %s for an article is refused', async (_, value) => {
    bench.strike('article', { kind: 'json', value }, always);
    expect(await bench.fails()).toMatchObject({
      code: 'invalid-articles',
      problems: [{ id: '6' }],
    });
    expect(bench.service.count('article')).toBe(2);
  });
});

describe('statuses', () => {
  it.each([
    [23, 206, 'unexpected-status', 5],
    [24, 304, 'unexpected-status', 2],
    [32, 400, 'refused', 1],
    [32, 405, 'refused', 1],
    [32, 406, 'refused', 1],
    [32, 410, 'not-found', 1],
    [32, 422, 'refused', 1],
    [33, 401, 'unauthorized', 1],
    [33, 403, 'unauthorized', 1],
    [35, 404, 'not-found', 1],
    [37, 408, 'refused', 5],
    [37, 425, 'refused', 5],
    [37, 409, 'refused', 3],
    [37, 423, 'refused', 3],
    [38, 414, 'refused', 1],
    [38, 431, 'refused', 1],
    [45, 501, 'server-error', 1],
    [45, 505, 'server-error', 1],
    [45, 511, 'server-error', 1],
  ])('row %i: %i for the listing ends in %s', async (_, code, expected, attempts) => {
    bench.strike('list', status(code), always);
    expect(await bench.fails()).toMatchObject({ code: expected, status: code, attempts });
    expect(bench.service.count('list')).toBe(attempts);
  });

  it.each([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 527])(
    'rows 37, 39, 43 and 45: %i once costs one more request',
    async (code) => {
      bench.strike('any', status(code), 2);
      await bench.succeeds();
      expect(bench.service.count()).toBe(4);
    },
  );

  it.each([500, 502, 503, 504])('row 43: %i for ever ends the run early', async (code) => {
    bench.strike('any', status(code), always);
    const error = await bench.fails();
    expect(error).toMatchObject({ status: code });
    expect(bench.service.count()).toBeLessThan(30);
  });

  it('row 32: what the service says is shown, without the key and without control characters', async () => {
    const detail = `You sent ${key}\u0007 and \u001b[31m${Buffer.from(key).toString('base64')} ${'x'.repeat(900)}`;
    bench.strike('list', status(400, { body: JSON.stringify({ detail }) }), always);
    const { message } = await bench.fails();
    expect(message).toContain('You sent [the API key]');
    expect(message).not.toContain(Buffer.from(key).toString('base64'));
    expect(message).toMatch(/^\P{Cc}+$/u);
    expect(message.length).toBeLessThan(500);
  });

  it('row 33: a wrong key is met with where to make another', async () => {
    const error = await bench.fails({ apiKey: 'some-other-key-0815' });
    expect(error).toMatchObject({ code: 'unauthorized' });
    expect(error.hint).toContain('Settings → Integrations → REST API');
    expect(error.hint).toContain('ARTICLES_API_KEY');
    expect(error.message).not.toContain('0815');
    expect(bench.service.count()).toBe(1);
  });

  it('row 34: a key that is revoked half-way ends everything at once', async () => {
    for (const { id } of bench.service.articles) bench.service.change(id, { content: 'all new' });
    bench.strike('article', status(403), always, 2);
    expect(await bench.fails({ concurrency: 1 })).toMatchObject({ code: 'unauthorized' });
    expect(bench.service.count('article')).toBe(3);
  });

  it('row 36: a listed article that is gone is left out, once a second answer says so', async () => {
    bench.strike('article', status(404), always);
    const { mirror } = await bench.sync();
    expect(mirror.index.articles.map(({ id }) => id)).toEqual(['5', '4', '3', '2', '1']);
    expect(bench.service.count('article')).toBe(2);
  });

  it('row 36: one 404 alone proves nothing', async () => {
    bench.strike('article', status(404));
    await bench.succeeds();
  });

  it('row 38: 413 makes the page smaller', async () => {
    bench.strike(({ kind, limit = 0 }) => kind === 'list' && limit > 200, status(413), always);
    await bench.succeeds();
    expect(bench.service.requests.map(({ limit }) => limit).slice(0, 3)).toEqual([500, 250, 125]);
  });

  it('row 34: a refused key is told as such, also where a smaller page meets it', async () => {
    bench.strike(({ kind, limit = 0 }) => kind === 'list' && limit > 200, status(413), always);
    bench.strike(({ kind, limit = 0 }) => kind === 'list' && limit <= 200, status(401), always);
    expect(await bench.fails()).toMatchObject({ code: 'unauthorized' });
  });

  it('row 46: a page that is too large for the service is asked for in smaller ones', async () => {
    bench.strike(({ kind, limit = 0 }) => kind === 'list' && limit > 200, status(500), always);
    await bench.succeeds();
  });

  it('row 44: one article that only ever fails is named, or keeps its last version', async () => {
    bench.strike('article', status(500), always);
    expect(await bench.fails()).toMatchObject({ problems: [{ id: '6' }] });
    const { mirror, report } = await bench.sync({ onInvalid: 'keep' });
    expect(report.problems).toMatchObject([{ id: '6' }]);
    expect(mirror.index.articles).toHaveLength(6);
  });
});

describe('throttling', () => {
  it('row 39: without a time makes everybody wait, and then go on', async () => {
    bench.strike('any', status(429), 3);
    const { report } = await bench.succeeds();
    expect(report.traffic).toMatchObject({ retries: 3 });
    expect(report.traffic.pauses).toBeGreaterThan(0);
  });

  it('rows 40 and 41: a time in seconds, or a date against the answer’s own clock, is waited for', async () => {
    for (const headers of [
      { 'retry-after': '60' },
      { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' },
    ]) {
      const clock = createHastyClock();
      let now = 0;
      const skipping = {
        ...clock,
        now: () => now,
        after: (delay: number, callback: () => void) => {
          clock.waits.push(delay);
          now += delay >= 1_000 && delay !== 30_000 ? delay : 0;
          return delay === 30_000 ? () => undefined : clock.after(0, callback);
        },
      };
      bench.strike('list', status(429, { headers }));
      await bench.sync({ timeout: 30_000 }, { clock: skipping });
      const longest = Math.max(...clock.waits.filter((wait) => wait !== 30_000));
      expect(longest).toBeGreaterThanOrEqual(60_000);
      expect(longest).toBeLessThanOrEqual(66_000);
    }
  });

  it.each([
    ['a past date', 'Wed, 01 Jan 2020 00:00:00 GMT'],
    ['junk', 'soon'],
    ['less than nothing', '-60'],
  ])('row 41: %s is no time to wait for', async (_, value) => {
    bench.strike('list', status(503, { headers: { 'retry-after': value } }));
    await bench.succeeds();
  });

  it('row 41: a time beyond the cap ends the run at once, and says how long it was', async () => {
    bench.strike('list', status(429, { headers: { 'retry-after': '1000000000' } }), always);
    const error = await bench.fails();
    expect(error).toMatchObject({ code: 'throttled', retryAfter: 1_000_000_000_000 });
    expect(error.message).toContain('the service asks to wait 1000000000 s');
    expect(bench.service.count()).toBe(1);
  });

  it('row 42: for ever ends with the time for the whole sync', async () => {
    bench.strike('any', status(429), always);
    const error = await bench.fails({ totalTimeout: 500 });
    expect(error.message).toContain('`totalTimeout`');
  });
});

describe('redirects', () => {
  const path = '/api/integrations/project/articles/';

  it('row 26: one to the same origin is followed, and a base without its slash needs none', async () => {
    bench.strike('list', { kind: 'redirect', location: `${path}?limit=500&offset=0`, status: 301 });
    await bench.succeeds({ baseUrl: bench.service.url.replace(/\/$/, '') });
    expect(
      bench.service.requests.every(({ path: asked }) =>
        new URL(asked, 'http://x').pathname.endsWith('/'),
      ),
    ).toBe(true);
  });

  it('row 27: a loop ends after five', async () => {
    bench.strike('list', { kind: 'redirect', location: path }, always);
    expect(await bench.fails()).toMatchObject({ code: 'redirect' });
    expect(bench.service.count()).toBe(6);
  });

  it.each([301, 302, 303, 307, 308])(
    'row 28: %i to another origin is refused, and the key goes nowhere',
    async (code) => {
      const other = await startService({ articles: [] });
      for (const location of [
        `${other.url}${path}`,
        `//127.0.0.1:${other.port}/`,
        other.url.replace('127.0.0.1', 'localhost'),
      ]) {
        bench.strike('list', { kind: 'redirect', location, status: code });
        const error = await bench.fails();
        expect(error).toMatchObject({ code: 'redirect' });
        expect(error.message).toContain(bench.service.origin);
        expect(error.message).toContain(String(other.port));
      }
      expect(other.count()).toBe(0);
      await other.close();
    },
  );

  it.each([
    '',
    'http://',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://user:pw@127.0.0.1/',
  ])('row 30: to %j is refused', async (location) => {
    bench.strike('list', { kind: 'redirect', location }, always);
    expect(await bench.fails()).toMatchObject({ code: 'redirect' });
    expect(bench.service.count()).toBe(1);
  });

  it.each([303, 307, 308])('row 31: %i to the same origin is followed', async (code) => {
    bench.strike('list', {
      kind: 'redirect',
      location: `${path}?limit=500&offset=0`,
      status: code,
    });
    await bench.succeeds();
  });
});

it('row 25: no validator is sent to the service, since the rows themselves prove what is unchanged', async () => {
  await bench.sync();
  await bench.sync();
  expect(bench.service.requests.some(({ headers }) => 'if-none-match' in headers)).toBe(false);
  expect(bench.service.count('article')).toBe(1);
});
