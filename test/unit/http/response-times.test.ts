import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { ageOf, requiredWait, sentAt } from '../../../src/http/response-times.ts';

/** The time of the service, in its `Date` header. */
const sent = Date.parse('2026-01-01T00:00:00Z');
/** The time of this machine, whose clock is years slow. */
const localDate = Date.parse('2001-01-01T00:00:00Z');
const seconds = sent / 1000;

function waitOf(headers: Record<string, string>, status = 429): number {
  const all = { date: new Date(sent).toUTCString(), ...headers };
  return requiredWait(new Response('', { status, headers: all }), localDate);
}

describe('the wait of a response without `Retry-After`', () => {
  test.each<[string, Record<string, string>, number]>([
    ['is in seconds', { 'ratelimit-reset': '60' }, 60_000],
    ['ends at a time, as GitHub sends it', { 'x-ratelimit-reset': `${seconds + 60}` }, 60_000],
    ['ends at a time, as X sends it', { 'x-rate-limit-reset': `${seconds + 9}` }, 9_000],
    ['ends at a time of Symfony', { 'x-ratelimit-retry-after': `${seconds + 5}` }, 5_000],
    ['is in seconds of Symfony', { 'x-ratelimit-retry-after': '5' }, 5_000],
    ['ends at a time in milliseconds', { 'x-ratelimit-reset': `${sent + 7_000}` }, 7_000],
    ['is a fraction of a second', { 'x-ratelimit-reset': '0.5' }, 500],
    ['has ended', { 'x-ratelimit-reset': `${seconds - 60}` }, 0],
    [
      'is the first that can be read',
      { 'x-ratelimit-reset': 'soon', 'x-rate-limit-reset': '4' },
      4_000,
    ],
    ['is not known by a word', { 'x-ratelimit-reset': 'soon' }, 0],
    ['is not known by a date', { 'ratelimit-reset': 'Thu, 01 Jan 2026 00:01:00 GMT' }, 0],
    ['is not known by half a number', { 'x-ratelimit-reset': '5.' }, 0],
    ['is not known by two values', { 'ratelimit-reset': '60, 90' }, 0],
    ['is not known by a negative number', { 'ratelimit-reset': '-60' }, 0],
    [
      'is that of the limit without requests left',
      { 'x-ratelimit-reset': '60', 'x-ratelimit-remaining': '0' },
      60_000,
    ],
    [
      'is not that of a limit with requests left',
      { 'x-ratelimit-reset': '3000', 'x-ratelimit-remaining': '4999' },
      0,
    ],
    [
      'is not that of a limit of Symfony with requests left',
      { 'x-ratelimit-retry-after': '60', 'x-ratelimit-remaining': '1' },
      0,
    ],
    [
      'is not that of a limit of X with requests left',
      { 'x-rate-limit-reset': '60', 'x-rate-limit-remaining': '1' },
      0,
    ],
    [
      'is not known to be over by the requests that another limit has left',
      { 'ratelimit-reset': '60', 'x-ratelimit-remaining': '1' },
      60_000,
    ],
  ])('%s', (_, headers, wait) => {
    expect(waitOf(headers), JSON.stringify(headers)).toBe(wait);
  });

  it('is unknown after another status than 429, because services send the headers always', () => {
    for (const status of [200, 403, 500, 502, 503]) {
      expect(waitOf({ 'x-ratelimit-reset': '60' }, status), `after ${status}`).toBe(0);
    }
  });
});

it('prefers `Retry-After`, also one that cannot be read', () => {
  for (const [value, wait] of [
    [' 7 ', 7_000],
    ['0', 0],
    ['-60', 0],
    ['60, 90', 0],
    ['soon 2099', 0],
    ['soon', 0],
    ['', 0],
    ['1.5', 0],
    ['2026-01-01T00:01:00Z', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ] as const) {
    const headers = { 'retry-after': value, 'x-ratelimit-reset': '60' };
    expect(waitOf(headers), JSON.stringify(headers)).toBe(wait);
  }
});

it('is a number that is not negative, for any headers', () => {
  const names = fc.constantFrom(
    'retry-after',
    'ratelimit-reset',
    'x-ratelimit-reset',
    'x-ratelimit-remaining',
    'date',
    'age',
  );
  const values = fc.oneof(
    fc.stringMatching(/^[\x20-\x7e]{0,20}$/),
    fc.integer().map(String),
    fc.double().map(String),
    fc.date({ noInvalidDate: true }).map((each) => each.toUTCString()),
  );
  let waits = 0;
  fc.assert(
    fc.property(fc.dictionary(names, values), (headers) => {
      const wait = waitOf(headers);
      if (wait > 0) waits += 1;
      expect(wait).toBeGreaterThanOrEqual(0);
      const { headers: all } = new Response('', { headers });
      expect(Number.isFinite(sentAt(all, localDate))).toBe(true);
      expect(Number.isFinite(ageOf(all))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
  expect(waits).toBeGreaterThan(300);
});
