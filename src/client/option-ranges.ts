import { ArticlesOptionsError } from '../errors.ts';

const hour = 3_600_000;
const mebibyte = 2 ** 20;

/** The range, which includes both ends, and the default of each numeric option. */
export const ranges = {
  /** Contract, section 8. */
  pageSize: { min: 1, max: 500, default: 500 },
  limit: { min: 1, max: 500, default: 500 },
  offset: { min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 },
  concurrency: { min: 1, max: 64, default: 8 },
  timeout: { min: 1, max: hour, default: 30_000 },
  totalTimeout: { min: 1, max: 24 * hour, default: 600_000 },
  'retry.limit': { min: 0, max: 10, default: 4 },
  'retry.maxDelay': { min: 0, max: hour, default: 120_000 },
  'maxBytes.page': { min: 1, max: 512 * mebibyte, default: 32 * mebibyte },
  'maxBytes.article': { min: 1, max: 512 * mebibyte, default: 8 * mebibyte },
};

/**
 * Returns the value of a numeric option, or its default.
 *
 * @throws {ArticlesOptionsError} when it is out of range
 */
export function inRange(name: keyof typeof ranges, value: number = ranges[name].default): number {
  const { min, max } = ranges[name];
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  const message = `\`${name}\`: expected a whole number from ${min} to ${max}, got ${value}.`;
  throw new ArticlesOptionsError('invalid-options', message, {
    hint: 'The documentation lists the range of each option.',
  });
}
