import type { ArticlesErrorCode } from '../errors.ts';
import type { Failure } from './failure.ts';

const codes: Readonly<Record<number, ArticlesErrorCode>> = {
  204: 'bad-json',
  205: 'bad-json',
  401: 'unauthorized',
  403: 'unauthorized',
  404: 'not-found',
  410: 'not-found',
  429: 'throttled',
};

/**
 * Describes an unexpected status that is not a redirect.
 *
 * @param detail the explanation in the response, without the key and control characters
 * @param date the time of day, in milliseconds since 1970
 */
export function statusFailure(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  detail: string,
  date: number,
): Failure {
  const other = status >= 500 ? 'server-error' : status >= 400 ? 'refused' : 'unexpected-status';
  const code = codes[status] ?? other;
  const text = detail.replace(/\.+$/, '');
  let reason = `responded ${status}${text && `: ${text}`}`;
  if (code === 'bad-json') reason = `responded ${status}, without a body`;
  if (code === 'unauthorized') {
    reason = `the service refused the API key with ${status}${text && ` ("${text}")`}`;
  }
  return { code, status, reason, ...retryAfter(headers, date) };
}

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3): seconds or a date. The date is compared with the `Date` of the
 * same response, because the two clocks may differ. Other values are ignored.
 *
 * @returns the wait in milliseconds
 */
export function retryAfter(headers: Headers, date: number): { retryAfter?: number } {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(value)) return { retryAfter: Number(value) * 1000 };
  const until = /^[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(until)) return {};
  const sent = Date.parse(headers.get('date') ?? '');
  return { retryAfter: Math.max(0, until - (Number.isNaN(sent) ? date : sent)) };
}
