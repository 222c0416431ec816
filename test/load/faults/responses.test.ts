import { describe, expect, it } from 'vitest';
import { temporaryService } from '../../helpers/use-service.ts';
import { status, useFaultSite } from './harness.ts';

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

  it.each([
    ['list', '{"detail":"no"}', 'unexpected-shape'],
    ['article', '[]', 'invalid-articles'],
  ] as const)('another value in the %s is refused', async (on, body, code) => {
    site.strike(on, { kind: 'body', body });
    expect(await site.loadFails()).toMatchObject({ code });
    expect(site.service.count(on)).toBe(2);
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
    [413, 'refused', 1],
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
});

describe('redirects', () => {
  const path = '/api/integrations/project/articles/';

  it.each([301, 302, 303, 307, 308])('%i to the same origin is followed', async (code) => {
    const location = `${path}?limit=500&offset=0`;
    site.strike('list', { kind: 'redirect', location, status: code }, 1);
    await site.loadExactly();
    expect(site.service.count('list')).toBe(2);
  });

  it('a loop ends after five redirects', async () => {
    site.strike('list', { kind: 'redirect', location: path });
    expect(await site.loadFails()).toMatchObject({ code: 'redirect' });
    expect(site.service.count()).toBe(6);
  });

  it.each([301, 302, 303, 307, 308])(
    '%i to another origin is refused, and the key is not sent there',
    async (code) => {
      const other = await temporaryService({ articles: [] });
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
    },
  );
});

it('no validator is sent to the service, since rows prove what is unchanged', async () => {
  await site.loadExactly();
  await site.loadExactly();
  expect(site.service.requests.some(({ headers }) => 'if-none-match' in headers)).toBe(false);
  expect(site.service.count('article')).toBe(1);
});
