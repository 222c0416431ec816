import { describe, expect, it, test } from 'vitest';
import type { Failure } from '../../../src/http/failure.ts';
import { decide } from '../../../src/http/retry.ts';

const history = { attempts: 1, retries: 0, waited: 0 };
const retry = { limit: 4, maxDelay: 120_000, patience: 120_000 };
const situation = { history, retry, timeLeft: 600_000, hasBudget: true, random: 0.5 };
const network: Failure = { code: 'network', reason: 'x' };
const throttled: Failure = { code: 'throttled', reason: 'x', status: 429 };
/** The state after a number of failed attempts. */
const failedTimes = (attempts: number) => ({
  ...situation,
  history: { ...history, attempts, retries: attempts - 1 },
});

describe('the step after a failed attempt', () => {
  it('is a longer and longer wait while the service throttles, which uses up no retries', () => {
    const throttledLong = { ...history, attempts: 8, waited: 119_000 };
    const decision = decide(throttled, { ...situation, history: throttledLong });
    expect(decision).toEqual({ wait: 10_000, isFree: true });
    const later = { ...throttledLong, attempts: 20 };
    expect(decide(throttled, { ...situation, isVital: true, history: later })).toEqual(decision);
    expect(decide(throttled, { ...situation, hasBudget: false })).toEqual(
      decide(throttled, situation),
    );
  });

  const impatient = { ...retry, limit: 1, patience: 0 };
  const none = { ...retry, limit: 0 };
  test.each<[string, Failure, object, object]>([
    [
      'after the last retry, if throttling counts',
      throttled,
      { ...failedTimes(2), retry: impatient },
      {},
    ],
    ['without retries', network, { retry: none }, {}],
    ['without retries, if the service throttles', throttled, { retry: none }, {}],
    [
      'after guessing how long to wait for too often',
      throttled,
      { history: { ...history, attempts: 9 } },
      {},
    ],
    [
      'when no time is left',
      { ...throttled, retryAfter: 60_000 },
      { timeLeft: 5_000 },
      { note: 'the time limit leaves no time for another attempt' },
    ],
  ])('is the end %s', (_, failure, changes, reported) => {
    const decision = decide(failure, { ...situation, ...changes });
    expect(decision).toEqual({ failure: { ...failure, ...reported } });
  });
});
