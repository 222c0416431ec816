import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../src/http/failure.ts';
import { decide } from '../../../src/http/retry.ts';

const history = { attempts: 1, retries: 0, waited: 0 };
const retry = { limit: 4, maxDelay: 120_000 };
const situation = {
  history,
  retry,
  patience: Number.POSITIVE_INFINITY,
  timeLeft: 600_000,
  hasBudget: true,
  random: 0.5,
};
const network: Failure = { code: 'network', reason: 'x' };
const throttled: Failure = { code: 'throttled', reason: 'x', status: 429 };
/** The state after a number of failed attempts. */
const failedTimes = (attempts: number) => ({
  ...situation,
  history: { ...history, attempts, retries: attempts - 1 },
});
const giveUp = { action: 'give-up' };

describe('the step after a failed attempt', () => {
  it.each([
    [1, 250],
    [2, 500],
    [3, 1000],
    [4, 2000],
  ])('after attempt %i is a wait of up to twice %i ms', (attempts, wait) => {
    const decision = decide(network, failedTimes(attempts));
    expect(decision).toEqual({ action: 'retry', wait, pausesAll: false, isFree: false });
  });

  it('is the end after the last retry', () => {
    expect(decide(network, failedTimes(5))).toEqual(giveUp);
  });

  it('is a longer and longer wait while the service throttles, which uses up no retries', () => {
    const throttledLong = { ...history, attempts: 30, waited: 280_000 };
    const decision = decide(throttled, { ...situation, history: throttledLong });
    expect(decision).toEqual({ action: 'retry', wait: 10_000, pausesAll: true, isFree: true });
  });

  it('is the end after the last retry while the service throttles, if retries count', () => {
    const impatient = { retry: { ...retry, limit: 1 }, patience: 0 };
    expect(decide(throttled, { ...situation, ...impatient })).toMatchObject({ isFree: false });
    expect(decide(throttled, { ...failedTimes(2), ...impatient })).toEqual(giveUp);
  });

  it('is the end when the service requires too long a time, or none is left', () => {
    expect(decide({ ...throttled, retryAfter: 121_000 }, situation)).toEqual({
      action: 'give-up',
      note: 'the service requires a wait of 121 s, longer than 120 s',
    });
    const late = { ...situation, timeLeft: 5_000 };
    expect(decide({ ...throttled, retryAfter: 60_000 }, late)).toEqual({
      action: 'give-up',
      note: 'the time limit leaves no time for another attempt',
    });
  });

  it('is the end when the whole run fails, except for throttling', () => {
    const broke = { ...situation, hasBudget: false };
    expect(decide(network, broke)).toMatchObject({ action: 'give-up', code: 'unavailable' });
    expect(decide(throttled, broke)).toMatchObject({ action: 'retry' });
  });

  it('is the end at once without retries', () => {
    const none = { ...situation, retry: { ...retry, limit: 0 } };
    for (const failure of [network, throttled]) expect(decide(failure, none)).toEqual(giveUp);
  });

  it('is the end when one address has responded 429 for as long as it may', () => {
    const waited = { ...history, attempts: 3, waited: 126_000 };
    const ofArticle = { ...situation, history: waited, patience: 120_000 };
    expect(decide(throttled, ofArticle)).toEqual(giveUp);
    expect(decide(throttled, { ...ofArticle, patience: 130_000 }).action).toBe('retry');
  });
});
