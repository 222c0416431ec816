import { expect, test } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { runs } from '../../helpers/runs.ts';
import { useSite } from '../../helpers/use-site.ts';
import { status } from './harness.ts';

const site = useSite();
const perMinute = 60;
const scale = runs(1).numRuns;

test.each([
  ['with `Retry-After`', { 'retry-after': '1' }],
  ['without `Retry-After`', {}],
])(
  'a service of 60 requests a minute is loaded unattended, %s',
  { timeout: 300_000 },
  async (_, headers) => {
    const count = 150 * scale;
    site.service.replace(makeArticles(count, { words: [5, 9] }));
    // Another client has just used up the limit.
    let tokens = 0;
    let last = systemClock.now();
    const isEmpty = () => {
      const now = systemClock.now();
      tokens = Math.min(perMinute, tokens + ((now - last) / 60_000) * perMinute);
      last = now;
      if (tokens < 1) return true;
      tokens -= 1;
      return false;
    };
    const stop = site.service.fail({
      on: isEmpty,
      times: Number.POSITIVE_INFINITY,
      fault: status(429, { headers }),
    });
    await site.loadExactly();
    stop();
    const refused = site.service.requests.filter((request) => request.status === 429).length;
    expect(refused).toBeGreaterThan(0);
  },
);
