import type { ReplyHead } from './send.ts';

/** Returns the time of a response, in milliseconds since 1970: its `Date`, or else `date`. */
export function sentAt(headers: Headers, date: number): number {
  return Date.parse(headers.get('date') ?? '') || date;
}

/** Returns how long a cache has had a response, in seconds (RFC 9111, 5.1); 0 for a response of the service itself. */
export function ageOf(headers: Headers): number {
  return Number.parseInt(headers.get('age') ?? '', 10) || 0;
}

/**
 * Returns the wait that a response requires, in milliseconds: by `Retry-After` (RFC 9110, 10.2.3), or where a limit was
 * exceeded, by the headers of other services. Times are compared with the `Date` of the same response, because the two
 * clocks may differ. Other values are ignored.
 *
 * @param date the time of day, in milliseconds since 1970
 */
export function requiredWait({ status, headers }: ReplyHead, date: number): number {
  // Node keeps spaces behind the value of a header.
  const value = headers.get('retry-after')?.trim();
  const now = sentAt(headers, date);
  if (value === undefined) return status === 429 ? waitUntilReset(headers, now) : 0;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const until = /^[a-z].*:\d\d/i.test(value) ? Date.parse(value) || now : now;
  return Math.max(0, until - now);
}

/** The headers that say when a limit ends, and who sends them. Many services send them with every response. */
const resetHeaders = [
  'x-ratelimit-retry-after', // Symfony
  'ratelimit-reset', // the draft of the IETF, up to its version 7
  'x-ratelimit-reset', // GitHub
  'x-rate-limit-reset', // X
];

function waitUntilReset(headers: Headers, now: number): number {
  const name = resetHeaders.find((each) => /^\d+(?:\.\d+)?$/.test(headers.get(each) ?? ''));
  if (name === undefined) return 0;
  // If this limit has requests left, the service has another limit.
  const remaining = headers.get(name.replace(/reset|retry-after/, 'remaining'));
  if (Number(remaining) > 0) return 0;
  const reset = Number(headers.get(name));
  // Small numbers are seconds, and others are times since 1970, in seconds or milliseconds.
  if (reset < 1e9) return reset * 1000;
  return Math.max(0, (reset < 1e12 ? reset * 1000 : reset) - now);
}
