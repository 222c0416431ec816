import { ArticlesOptionsError } from '../errors.ts';

const hour = 3_600_000;
const mebibyte = 2 ** 20;

/** The smallest and the largest value of each numeric option. */
export const ranges = {
  /** Contract, section 8. */
  pageSize: [1, 500],
  limit: [1, 500],
  offset: [0, Number.MAX_SAFE_INTEGER],
  concurrency: [1, 64],
  timeout: [1, hour],
  totalTimeout: [1, 24 * hour],
  'retry.limit': [0, 10],
  'retry.maxDelay': [0, hour],
  'maxBytes.page': [1, 512 * mebibyte],
  'maxBytes.article': [1, 512 * mebibyte],
} as const satisfies Record<string, readonly [min: number, max: number]>;

export const clientDefaults = {
  pageSize: 500,
  concurrency: 8,
  timeout: 30_000,
  totalTimeout: 600_000,
  retry: { limit: 4, maxDelay: 120_000 },
  maxBytes: { page: 32 * mebibyte, article: 8 * mebibyte },
};

/**
 * Returns the value of a numeric option.
 *
 * @throws {ArticlesOptionsError} when it is out of range
 */
export function inRange(name: keyof typeof ranges, value: number): number {
  const [min, max] = ranges[name];
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  const message = `\`${name}\`: expected a whole number from ${min} to ${max}, got ${value}.`;
  throw new ArticlesOptionsError('invalid-options', message, {
    hint: 'The documentation lists the range of each option.',
  });
}
