import { ArticlesOptionsError } from '../errors.ts';

const hour = 3_600_000;
const half = 512 * 2 ** 20;

/** The least and the most that each numeric option may be; both ends count. */
export const ranges = {
  /** Contract, section 8. */
  pageSize: [1, 500],
  concurrency: [1, 64],
  timeout: [1, hour],
  totalTimeout: [1, 24 * hour],
  'retry.limit': [0, 10],
  'retry.maxDelay': [0, hour],
  'maxBytes.page': [1, half],
  'maxBytes.article': [1, half],
} as const satisfies Record<string, readonly [number, number]>;

/** Says what a number ought to be; for messages. */
export function rangeFault(
  [min, max]: readonly [number, number],
  value: unknown,
  why = '',
): string {
  return `expected a whole number from ${min} to ${max}${why}, got ${JSON.stringify(value)}`;
}

/** @throws {ArticlesOptionsError} naming the option, its range and the value */
export function checkRange(name: keyof typeof ranges, value: number): void {
  const [min, max] = ranges[name];
  if (Number.isInteger(value) && value >= min && value <= max) return;
  const message = `\`${name}\`: ${rangeFault(ranges[name], value)}.`;
  throw new ArticlesOptionsError('invalid-options', message, {
    hint: 'The README says what each option may be.',
  });
}
