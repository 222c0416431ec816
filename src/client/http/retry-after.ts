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
