/** A time, as a field of an article says it. */
export interface Time {
  /** In ms since 1970. */
  date: number;
  /** The unit in which it is written, in ms: at least a second, the unit of the header `Date`. */
  unit: number;
}

/** The unit of most times. All units are in ms. */
export const second = 1_000;
const minute = 60 * second;
/** The days of a service may end twelve hours later than days of UTC. */
const longestDay = 36 * 60 * minute;

const isoTime =
  /^(?<day>\d{4}-\d\d-\d\d)(?:[T ](?<clock>\d\d:\d\d)(?<seconds>:\d\d(?:\.\d+)?)?(?<zone>Z|[+-]\d\d:?\d\d)?)?$/;

/** Returns whether a number may be a time in seconds since 1970: from 2001 to 2128. */
export function isSeconds(value: unknown): boolean {
  return typeof value === 'number' && value >= 1e9 && value < 5e9;
}

/** Reads a time in ISO 8601, or in seconds or milliseconds since 1970. Undefined for any other value. */
export function timeOf(value: unknown): Time | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const number = Number(value);
  if (isSeconds(number)) return { date: number * second, unit: second };
  if (number >= 1e12 && number < 5e12) return { date: number, unit: second };
  return isoTimeOf(String(value));
}

/** Reads a time in ISO 8601. Without a zone it is in UTC, on each machine. Undefined for any other text. */
export function isoTimeOf(text: string): Time | undefined {
  const { day, clock, seconds = '', zone = 'Z' } = isoTime.exec(text)?.groups ?? {};
  if (day === undefined) return undefined;
  const time = `T${clock}${seconds}${zone.replace(/(\d\d)(\d\d)/, '$1:$2')}`;
  const date = Date.parse(clock === undefined ? day : day + time);
  if (Number.isNaN(date)) return undefined;
  if (clock === undefined) return { date, unit: longestDay };
  return { date, unit: seconds ? second : minute };
}

/** Returns a text with a `Z` if it is a date and time of ISO 8601 without a zone. */
export function withZone(text: string): string {
  const { clock, zone } = isoTime.exec(text)?.groups ?? {};
  return clock !== undefined && zone === undefined ? `${text}Z` : text;
}

/**
 * Matches a clock, a date with a year of two digits, a year with other text, and the digits of a date. Few hashes
 * contain one of them.
 */
const likeTime =
  /\b\d\d?:\d\d|\b\d\d?[-./]\d\d?[-./]\d\d\b|^(?!\d+$).*\b(?:19|20)\d\d\b|\b(?:19|20)\d{6}(?:\d{4,6}\b|T|\b)/s;

/** Returns whether a value may be a time that {@link timeOf} cannot read, and not the number or name of a version. */
export function isUnclearTime(value: unknown): boolean {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return timeOf(value) === undefined && likeTime.test(text);
}
