import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../src/client/http/failure.ts';
import { decide, retryAfter } from '../../../src/client/http/retry.ts';

const standing = {
  attempt: 1,
  counted: 1,
  limit: 4,
  maxDelay: 120_000,
  countThrottled: false,
  timeLeft: 600_000,
  budget: true,
  random: 0.5,
};
const network: Fault = { code: 'network', reason: 'x' };
const throttled: Fault = { code: 'throttled', reason: 'x', status: 429 };

describe('what follows a failed attempt', () => {
  it.each([
    [1, 250],
    [2, 500],
    [3, 1000],
    [4, 2000],
  ])('after attempt %i is a wait of up to twice %i ms', (attempt, wait) => {
    const decided = decide(network, { ...standing, attempt, counted: attempt });
    expect(decided).toEqual({ wait, throttled: false, counted: true });
  });

  it('is the end after the last retry', () => {
    expect(decide(network, { ...standing, attempt: 5, counted: 5 })).toEqual({});
  });

  it('is a wait that goes on growing while the service throttles, without using up retries', () => {
    const decided = decide(throttled, { ...standing, attempt: 30, counted: 1 });
    expect(decided).toEqual({ wait: 10_000, throttled: true, counted: false });
  });

  it('is the end after the last retry while the service throttles, too, where nobody may wait', () => {
    const impatient = { ...standing, limit: 1, countThrottled: true };
    expect(decide(throttled, impatient)).toMatchObject({ counted: true });
    expect(decide(throttled, { ...impatient, attempt: 2, counted: 2 })).toEqual({});
  });

  it('is the time that the service names, and a little more', () => {
    const decided = decide({ ...throttled, retryAfter: 60_000 }, standing);
    expect(decided).toMatchObject({ wait: 63_000 });
  });

  it('is the end when the service names too long a time, or none is left', () => {
    expect(decide({ ...throttled, retryAfter: 121_000 }, standing)).toEqual({
      stop: 'the service asks to wait 121 s, longer than `retry.maxDelay`',
    });
    expect(decide({ ...throttled, retryAfter: 60_000 }, { ...standing, timeLeft: 5_000 })).toEqual({
      stop: '`totalTimeout` leaves no time for another',
    });
  });

  it('is the end when the whole run fails, except for throttling', () => {
    const broke = { ...standing, budget: false };
    expect(decide(network, broke)).toMatchObject({ code: 'unavailable' });
    expect(decide(throttled, broke)).toHaveProperty('wait');
  });

  it.each([
    ['unauthorized', 401, 0],
    ['not-found', 404, 0],
    ['refused', 400, 0],
    ['refused', 408, 4],
    ['refused', 409, 2],
    ['server-error', 500, 4],
    ['server-error', 501, 0],
    ['server-error', 522, 4],
    ['unexpected-status', 304, 1],
    ['bad-json', 200, 2],
    ['body-too-large', 200, 0],
    ['tls', undefined, 0],
    ['redirect', 302, 0],
  ] as const)('after %s (%s) is tried again %i times', (code, status, retries) => {
    const fault: Fault = { code, reason: 'x', ...(status ? { status } : {}) };
    const counts = [1, 2, 3, 4, 5].filter(
      (attempt) => 'wait' in decide(fault, { ...standing, attempt, counted: attempt }),
    );
    expect(counts).toHaveLength(retries);
  });

  it('is the end at once where retries are turned off', () => {
    for (const fault of [network, throttled])
      expect(decide(fault, { ...standing, limit: 0 })).toEqual({});
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    ['60', undefined, 60_000],
    ['0', undefined, 0],
    ['Thu, 01 Jan 2026 00:00:30 GMT', undefined, 30_000],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 'Thu, 01 Jan 2026 00:00:20 GMT', 10_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', undefined, 0],
    ['1000000000', undefined, 1_000_000_000_000],
    ['-5', undefined, undefined],
    ['soon', undefined, undefined],
    ['10, 20', undefined, undefined],
    ['1.5', undefined, undefined],
    ['', undefined, undefined],
  ])('%j, answered at %j, is %s ms', (value, date, wait) => {
    const headers = new Headers({ 'retry-after': value, ...(date ? { date } : {}) });
    expect(retryAfter(headers, now).retryAfter).toBe(wait);
  });
});
