import { describe, expect, it, test } from 'vitest';
import type { Failure } from '../../../src/http/failure.ts';
import { decide } from '../../../src/http/retry.ts';
import { read } from '../../helpers/readme.ts';

const retry = { limit: 4, maxDelay: 120_000 };
const situation = { attempts: 1, retry, timeLeft: 600_000, hasBudget: true, random: 0.5 };
const network: Failure = { code: 'network', reason: 'x' };
const throttled: Failure = { code: 'throttled', reason: 'x', status: 429 };

it('follows each status that the documentation names, and no other one', () => {
  const page = 'docs/reference/service.md';
  const [, named = ''] = /network error, ([\d, –x]*or [\d x]*)/.exec(read(page)) ?? [];
  const statuses = named.split(/, | or /).flatMap((part) => {
    const [first = 0, last = first] = part.includes('x')
      ? [0, 9].map((digit) => Number(part.replace('x', String(digit))))
      : part.split('–').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  expect(statuses.length).toBeGreaterThan(10);
  const retried = Array.from({ length: 400 }, (_, index) => index + 200).filter((status) => {
    const failure: Failure = { code: 'server-error', reason: 'x', status };
    return 'wait' in decide(failure, situation);
  });
  const firstOf = {
    onlyRetried: retried.filter((status) => !statuses.includes(status)).slice(0, 5),
    onlyNamed: statuses.filter((status) => !retried.includes(status)).slice(0, 5),
  };
  const difference = `the first statuses that only decide() retries, or only ${page} names`;
  expect(firstOf, difference).toEqual({ onlyRetried: [], onlyNamed: [] });
});

describe('the step after a failed attempt', () => {
  it('is a growing wait of more than a minute, and no failure, while the service throttles', () => {
    const waits = Array.from({ length: 8 }, (_, index) => {
      const throttledNow = { ...situation, attempts: index + 1, random: 0, hasBudget: false };
      return Object(decide(throttled, throttledNow)).wait;
    });
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000]);
  });

  test.each<[string, Failure, object, number]>([
    ['half a second at most, the first time', network, { random: 1 }, 500],
    ['four seconds at most, the fourth time', network, { attempts: 4, random: 1 }, 4_000],
    [
      'twenty seconds at most, in the end',
      network,
      { attempts: 20, retry: { ...retry, limit: 20 }, random: 1 },
      20_000,
    ],
    [
      'what the service requires, at least',
      { ...throttled, retryAfterMs: 10_000 },
      { random: 0 },
      10_000,
    ],
    [
      'two minutes, if the service requires them',
      { ...throttled, retryAfterMs: 120_000 },
      { random: 0 },
      120_000,
    ],
    [
      'a tenth longer than that, at most',
      { ...throttled, retryAfterMs: 10_000 },
      { random: 1 },
      11_000,
    ],
  ])('is a wait: %s', (_, failure, changes, wait) => {
    const decision = decide(failure, { ...situation, ...changes });
    expect(decision).toMatchObject({ wait: expect.closeTo(wait) });
  });

  const none = { ...retry, limit: 0 };
  test.each<[string, Failure, object, object]>([
    ['after the last retry', network, { attempts: 5 }, {}],
    ['without retries', network, { retry: none }, {}],
    ['without retries, if the service throttles', throttled, { retry: none }, {}],
    ['when a request was throttled twice as often as it may fail', throttled, { attempts: 9 }, {}],
    [
      'after the last retry, if the service requires a wait',
      { ...throttled, retryAfterMs: 1_000 },
      { attempts: 5 },
      {},
    ],
    [
      'when the service requires more than two minutes',
      { ...throttled, retryAfterMs: 120_001 },
      {},
      { note: 'the service requires a wait of 121 s, longer than 120 s' },
    ],
    [
      'when no time is left',
      { ...throttled, retryAfterMs: 60_000 },
      { timeLeft: 5_000 },
      { note: 'the time limit leaves no time for another attempt' },
    ],
  ])('is the end %s', (_, failure, changes, reported) => {
    const decision = decide(failure, { ...situation, ...changes });
    expect(decision).toEqual(reported);
  });
});
