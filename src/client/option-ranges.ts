import { ArticlesOptionsError } from '../errors.ts';

const hour = 3_600_000;
const mostBytes = 512 * 2 ** 20;

/** The least and the most that each numeric option may be; both ends count. */
export const ranges = {
  /** Contract, section 8. */
  pageSize: [1, 500],
  offset: [0, Number.MAX_SAFE_INTEGER],
  concurrency: [1, 64],
  timeout: [1, hour],
  totalTimeout: [1, 24 * hour],
  'retry.limit': [0, 10],
  'retry.maxDelay': [0, hour],
  'maxBytes.page': [1, mostBytes],
  'maxBytes.article': [1, mostBytes],
} as const satisfies Record<string, readonly [number, number]>;

/** Says what a number ought to be; for messages. */
export function rangeFault(
  [min, max]: readonly [number, number],
  value: unknown,
  why = '',
): string {
  return `expected a whole number from ${min} to ${max}${why}, got ${JSON.stringify(value)}`;
}

/** @throws {ArticlesOptionsError} naming the option, or what it is `called`, its range and the value */
export function checkRange(name: keyof typeof ranges, value: number, called: string = name): void {
  const [min, max] = ranges[name];
  if (Number.isInteger(value) && value >= min && value <= max) return;
  const message = `\`${called}\`: ${rangeFault(ranges[name], value)}.`;
  throw new ArticlesOptionsError('invalid-options', message, {
    hint: 'The README says what each option may be.',
  });
}
