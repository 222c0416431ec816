import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import type { Fault } from '../../../fixtures/service.ts';
import { type ArticlesClientOptions, createArticlesClient } from '../../../src/client/index.ts';
import { ArticlesError } from '../../../src/errors.ts';
import { type ClockOptions, createClock, type TestClock } from '../../helpers/clock.ts';
import { temporaryServer } from '../../helpers/temporary.ts';
import { speedUp } from '../../helpers/time.ts';
import { always } from '../../helpers/use-site.ts';
import { key, status, useFaultSite } from './harness.ts';

const site = useFaultSite();
const minute = 60_000;
const throttled = (wait: string, more = {}): Fault =>
  status(429, { headers: { 'retry-after': wait, ...more } });

type Waits = Partial<ArticlesClientOptions> & { totalTimeout?: number };

/** Requests the listing and its newest article, with a simulated clock. */
async function read(
  { totalTimeout = 600_000, ...options }: Waits = {},
  clockOptions: Partial<ClockOptions> = {},
) {
  const { timeout = 30_000 } = options;
  const clock = createClock({ timeout, totalTimeout, ...clockOptions });
  const service = { baseUrl: site.service.url, apiKey: key };
  const client = createArticlesClient({ ...service, timeout, ...options }, { clock });
  const deadline = clock.now() + totalTimeout;
  await client.listPage({}, { deadline });
  await client.getArticle('6', { deadline });
  return { clock, traffic: client.traffic() };
}

async function failing(options: Waits = {}) {
  const error = await read(options).then(
    () => expect.fail('the requests succeeded'),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(ArticlesError);
  return error;
}

/** Records the time of each request on the client's clock. */
function timesOn(clock: TestClock): number[] {
  const times: number[] = [];
  site.service.beforeResponse = () => void times.push(clock.now());
  return times;
}

/** Requests the listing and many articles, all through one client. */
async function fetchMany(clock: TestClock, count = 40) {
  site.service.replace(makeArticles(count));
  const client = createArticlesClient({ baseUrl: site.service.url, apiKey: key }, { clock });
  await client.listPage();
  const ids = site.service.articles.map(({ id }) => String(id));
  const articles = await Promise.all(ids.map((id) => client.getArticle(id)));
  expect(articles.map((article) => article?.id)).toEqual(ids);
  return client.traffic();
}

describe('a throttled response', () => {
  it('holds back every request for as long as the service says', async () => {
    const clock = createClock();
    const times = timesOn(clock);
    site.strike('article', throttled('60'), 1, 5);
    const { requests } = await fetchMany(clock);
    expect(requests).toBe(42);
    // No request is sent during the pause, which is at most a tenth longer than requested.
    expect(times.filter((time) => time > 0 && time < minute)).toEqual([]);
    expect(times.filter((time) => time >= minute).length).toBeGreaterThan(20);
    expect(Math.max(...times)).toBeLessThanOrEqual(1.1 * minute);
  });

  const now = 'Thu, 01 Jan 2026 00:00:00 GMT';
  const later = 'Thu, 01 Jan 2026 00:01:00 GMT';
  const longAgo = () => Date.parse('2001-01-01T00:00:00Z');
  it.each([
    ['seconds', '60', {}, 63_000],
    ['a date, compared with the response’s own', later, { date: now }, 63_000],
    ['a date that is past for the service', now, { date: later }, 250],
    ['a date in the past', 'Wed, 01 Jan 2020 00:00:00 GMT', {}, 250],
    ['seconds with spaces around', ' 60 ', {}, 63_000],
    ['nothing', '0', {}, 250],
    ['less than nothing', '-60', {}, 250],
    ['a word', 'soon', {}, 250],
    ['a word and a number', 'soon 2099', {}, 250],
    ['a fraction', '1.5', {}, 250],
    ['an empty text', '', {}, 250],
    ['two values', '60, 90', {}, 250],
  ])('with a `Retry-After` of %s is waited for', async (_, value, headers, wait) => {
    for (const code of [429, 503]) {
      // A failure is repeated after a random part of the wait.
      const expected = code === 429 && wait === 250 ? 525 : wait;
      site.strike('list', status(code, { headers: { 'retry-after': value, ...headers } }), 1);
      // This machine's clock is years slow.
      const { clock } = await read({}, { date: longAgo });
      expect(clock.waits).toEqual([expected]);
    }
  });

  it.each([
    ['ratelimit-reset', '60'],
    ['x-ratelimit-reset', String(Date.parse(later) / 1000)],
  ])('with `%s: %s`, and no `Retry-After`, holds back every request', async (name, value) => {
    const clock = createClock({ date: longAgo });
    const times = timesOn(clock);
    const headers = { [name]: value, date: now };
    site.strike('article', status(429, { headers }), 1, 5);
    await fetchMany(clock);
    expect(times.filter((time) => time > 0 && time < minute)).toEqual([]);
    expect(times.filter((time) => time >= minute).length).toBeGreaterThan(20);
  });

  it.each([
    ['seconds', '121', {}],
    ['a huge number', '9'.repeat(30), {}],
    ['a date', 'Thu, 01 Jan 2026 00:02:01 GMT', { date: now }],
  ])('with a `Retry-After` that is too long, in %s, fails at once', async (_, value, headers) => {
    site.strike('list', throttled(value, headers));
    const error = await failing();
    expect(error).toMatchObject({ code: 'throttled', status: 429, attempts: 1 });
    expect(error.message).toContain('longer than 120 s');
    expect(site.service.count()).toBe(1);
  });
});

it.each([{ kind: 'stall' }, { kind: 'never' }, status(500), throttled('60')] as const)(
  'a call that is aborted ends at once, during any fault: %j',
  async (fault) => {
    site.strike('any', fault);
    const patient = { timeout: 3_600_000 };
    const client = createArticlesClient({ baseUrl: site.service.url, apiKey: key, ...patient });
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error('enough')), 30);
    await expect(client.listPage({}, { signal: abort.signal })).rejects.toThrow('enough');
    const requests = site.service.count();
    await expect.poll(() => site.service.activeRequests).toBe(0);
    expect(site.service.count()).toBe(requests);
  },
);

it('a load that fails ends its other requests', async () => {
  // Time limits are far away.
  speedUp(1);
  site.service.change(5, { content: 'changed since' });
  site.strike((request) => request.id === '6', { kind: 'never' });
  // The failure of one article fails the load, because the listing fails by then, too.
  site.strike((request) => request.id === '5', status(403));
  site.strike('list', status(401), always, 1);
  await site.loadFails();
  await expect.poll(() => site.service.activeRequests).toBe(0);
});

it('an article that never responds is a problem of that article, however long it may take', async () => {
  speedUp(400);
  site.strike((request) => request.id === '6', { kind: 'never' });
  const { failure, warnings } = await site.load({ failOn: ['service'], timeout: 800_000 });
  expect(failure).toBeUndefined();
  expect(warnings).toEqual([
    expect.stringMatching(/article "6": .*no complete response within 800000 ms/),
  ]);
});

it('counts an article that cannot be read as a response', async () => {
  site.service.replace(makeArticles(6).map((each) => ({ ...each, title: 7 })));
  let time = 0;
  const clock = { ...createClock(), now: () => time };
  const client = createArticlesClient({ baseUrl: site.service.url, apiKey: key }, { clock });
  for (const id of ['1', '2', '3']) {
    const error = await client.getArticle(id, { deadline: 1e9 }).catch((reason) => reason);
    expect(error).toMatchObject({
      code: 'invalid-articles',
      notices: [{ ids: [id], field: 'title' }],
    });
    time += minute;
  }
  expect(client.traffic()).toEqual({ requests: 3, retries: 0 });
});

it('reports the status of an error response whose body never ends', async () => {
  const { url } = await temporaryServer((_, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).write('{"detail": "No');
  });
  const client = createArticlesClient({ baseUrl: url, apiKey: key }, { clock: createClock() });
  const error = await client.listPage().catch((reason) => reason);
  expect(error).toMatchObject({ code: 'unauthorized', status: 401, attempts: 1 });
});
