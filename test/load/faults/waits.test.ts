import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import type { Fault } from '../../../fixtures/service.ts';
import { createArticlesClient } from '../../../src/client/index.ts';
import { ArticlesError } from '../../../src/errors.ts';
import type { ArticlesOptions } from '../../../src/options/options.ts';
import { createClock, type TestClock } from '../../helpers/clock.ts';
import { snapshot } from '../../helpers/sync.ts';
import { always, key, useFaultBench } from './harness.ts';

const bench = useFaultBench();
const minute = 60_000;

const status = (code: number, headers: Record<string, string | string[]> = {}): Fault => ({
  kind: 'status',
  status: code,
  headers,
});
const asking = (wait: string, more = {}) => status(429, { 'retry-after': wait, ...more });

/** Syncs on a clock of its own, whose limits are those of the options. */
async function sync(given: ArticlesOptions = {}, clockOptions = {}) {
  const { timeout = 30_000, totalTimeout = 600_000 } = given;
  const clock = createClock({ timeout, totalTimeout, ...clockOptions });
  const { report } = await bench.sync({ timeout, totalTimeout, ...given }, { clock: clock });
  return { clock, report };
}

async function failing(given: ArticlesOptions = {}) {
  const before = await snapshot(bench.folder);
  const error = await sync(given).then(
    () => expect.fail('the sync went well'),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(ArticlesError);
  expect(await snapshot(bench.folder)).toBe(before);
  return error;
}

/** Notes the time of each request, on the clock that the client goes by. */
function timesOn(clock: TestClock): number[] {
  const times: number[] = [];
  bench.service.beforeAnswer = () => void times.push(clock.now());
  return times;
}

/** A listing and many articles to fetch, all through one client. */
async function fetchMany(clock: TestClock, count = 40) {
  bench.service.replace(makeArticles(count));
  const client = createArticlesClient({ baseUrl: bench.service.url, apiKey: key }, clock);
  await client.listPage();
  const ids = bench.service.articles.map(({ id }) => String(id));
  const articles = await Promise.all(ids.map((id) => client.getArticle(id)));
  expect(articles.map((article) => article?.id)).toEqual(ids);
  return client.traffic();
}

describe('a throttled answer', () => {
  it('row 39: without a time is asked for again after waits that grow', async () => {
    bench.strike('list', status(429), 6);
    const { clock, report } = await sync();
    expect(clock.waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000]);
    expect(report.traffic).toMatchObject({ requests: 8, retries: 6, pauses: 6 });
  });

  it('row 39: lets one request go first, and then fewer at once than before', async () => {
    bench.service.options.latency = 50;
    bench.strike('article', status(429), 1, 8);
    const clock = createClock();
    const active: number[] = [];
    bench.service.beforeAnswer = () => void active.push(bench.service.activeRequests);
    await fetchMany(clock);
    bench.service.options.latency = 0;
    const times = bench.service.requests.map(({ status: answered }) => answered);
    const struck = times.indexOf(429);
    expect(Math.max(...active.slice(0, struck + 1))).toBe(8);
    // Those that were under way end; then one goes alone, and from then on at most four and more
    // only as successes come.
    expect(active.slice(struck + 8)).toContain(1);
    expect(Math.max(...active.slice(struck + 8))).toBeLessThanOrEqual(6);
  });

  it('row 40: holds back every worker for as long as the service asks', async () => {
    const clock = createClock();
    const times = timesOn(clock);
    bench.strike('article', asking('60'), 1, 5);
    const { requests, pauses } = await fetchMany(clock);
    expect(requests).toBe(42);
    expect(pauses).toBe(1);
    // Nobody asks during the pause, which is a tenth longer at most than what was asked for.
    expect(times.filter((time) => time > 0 && time < minute)).toEqual([]);
    expect(times.filter((time) => time >= minute).length).toBeGreaterThan(20);
    expect(Math.max(...times)).toBeLessThanOrEqual(1.1 * minute);
  });

  it('row 40: uses up no retries as long as time is left', async () => {
    bench.strike('list', asking('30'), 12);
    const { report } = await sync();
    expect(report.traffic).toMatchObject({ requests: 14, retries: 12 });
  });

  const now = 'Thu, 01 Jan 2026 00:00:00 GMT';
  const later = 'Thu, 01 Jan 2026 00:01:00 GMT';
  const longAgo = () => Date.parse('2001-01-01T00:00:00Z');
  it.each([
    ['seconds', '60', {}, 63_000],
    ['a date, against the answer’s own', later, { date: now }, 63_000],
    ['a date that is past for the service', now, { date: later }, 250],
    ['seconds with spaces around', ' 60 ', {}, 63_000],
    ['nothing', '0', {}, 250],
    ['less than nothing', '-60', {}, 250],
    ['junk', 'soon', {}, 250],
    ['a fraction', '1.5', {}, 250],
    ['an empty text', '', {}, 250],
    ['two values', '60, 90', {}, 250],
  ])('row 41: that asks for %s is waited out', async (_, value, headers, wait) => {
    for (const code of [429, 503]) {
      bench.strike('list', status(code, { 'retry-after': value, ...headers }));
      // This machine's clock is years slow.
      const { clock } = await sync({}, { date: longAgo });
      expect(clock.waits).toEqual([wait]);
    }
  });

  it.each([
    ['seconds', '121', {}],
    ['ages', '9'.repeat(30), {}],
    ['a date', 'Thu, 01 Jan 2026 00:02:01 GMT', { date: now }],
  ])('row 41: that asks for too long, in %s, ends the run at once', async (_, value, headers) => {
    bench.strike('list', asking(value, headers), always);
    const error = await failing();
    expect(error).toMatchObject({ code: 'throttled', status: 429, attempts: 1 });
    expect(error.message).toMatch(/asks to wait \d+(e\+\d+)? s, longer than `retry\.maxDelay`/);
    expect(bench.service.count()).toBe(1);
  });

  it('row 41: that asks for more than is left of the time ends the run at once', async () => {
    bench.strike('list', asking('90'), always);
    const error = await failing({ totalTimeout: minute });
    expect(error).toMatchObject({ code: 'throttled', attempts: 1 });
    expect(error.message).toContain('`totalTimeout` leaves no time');
  });

  it('row 42: for ever ends the run when its time is up, saying how often it was asked', async () => {
    bench.strike('any', asking('60'), always);
    const error = await failing();
    expect(error).toMatchObject({ code: 'throttled', status: 429, retryAfter: minute });
    const asked = bench.service.count();
    expect(asked).toBe(10);
    expect(error.message).toContain(`(${asked} attempts; `);
    expect(error.message).toContain('`totalTimeout`');
  });
});

describe('a failing answer', () => {
  it('row 43: is asked for again after waits that double', async () => {
    bench.strike('list', status(500), 4);
    const { clock, report } = await sync();
    expect(clock.waits).toEqual([250, 500, 1_000, 2_000]);
    expect(report.traffic).toMatchObject({ requests: 6, retries: 4 });
  });

  it.each([500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527])(
    'rows 43 and 45: %i for ever ends after five attempts',
    async (code) => {
      bench.strike('any', status(code), always);
      const error = await failing({ pageSize: 10 });
      expect(error).toMatchObject({ code: 'server-error', status: code, attempts: 5 });
      expect(error.message).toContain(`answered ${code}`);
      expect(bench.service.count()).toBe(5);
    },
  );

  it('row 43: of every request ends the run before every one has used up its retries', async () => {
    bench.service.replace(makeArticles(60));
    bench.strike('article', status(502), always);
    await failing();
    // The budget of retries for the run, and the first attempts that it bought.
    expect(bench.service.count('article')).toBeLessThan(60);
  });

  it('row 46: of a large page is followed by a smaller one, also when it is merely slow', async () => {
    const isLarge = ({ kind, limit = 0 }: { kind: string; limit?: number }) =>
      kind === 'list' && limit > 100;
    bench.strike(isLarge, { kind: 'never' }, always);
    await sync({}, { patience: 60 });
    const limits = bench.service.requests.flatMap(({ limit = [] }) => limit);
    expect(limits.filter((limit) => limit <= 100).length).toBeGreaterThan(0);
    expect(limits.length).toBeLessThan(16);
  });
});

describe('time', () => {
  it('row 65: is measured by a clock that never jumps', async () => {
    for (const date of [() => 0, () => 4e12, () => Math.random() * 4e12]) {
      bench.strike('any', status(500), 2);
      const { clock, report } = await sync({ totalTimeout: 2 * minute }, { date });
      expect(clock.waits).toHaveLength(2);
      expect(report.traffic.retries).toBe(2);
    }
  });

  it('row 65: for all of it ends a run whose every answer is slow', async () => {
    bench.strike('any', { kind: 'never' }, always);
    const error = await failing({ timeout: 30_000, totalTimeout: 50_000 });
    expect(error).toMatchObject({ code: 'total-timeout', attempts: 2 });
    expect(error.message).toContain('no time was left within `totalTimeout`');
    expect(bench.service.count()).toBe(2);
  });
});
