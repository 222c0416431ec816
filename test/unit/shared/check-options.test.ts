import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import {
  callback,
  checkOptions,
  merge,
  milliseconds,
  wholeNumber,
} from '../../../src/shared/check-options.ts';

const schema = z.strictObject({
  pageSize: z._default(wholeNumber({ min: 1, max: 9 }), 5),
  timeouts: z.optional(z.strictObject({ attempt: milliseconds({ min: 100 }) })),
  fetch: z.optional(callback()),
});
const check = (given: unknown) => checkOptions(schema, given, 'test()');

it('returns a copy with the defaults', () => {
  const given = { timeouts: { attempt: 100 } };
  expect(check(given)).toEqual({ pageSize: 5, ...given });
  expect(check(undefined)).toEqual({ pageSize: 5 });
  expect(check({ pageSize: 9, timeouts: { attempt: 3_600_000 }, fetch })).toHaveProperty('fetch');
});

it.each([
  [{ pageSize: 0 }, '`pageSize`: expected a whole number from 1 to 9.'],
  [{ pageSize: 10 }, '`pageSize`: expected a whole number from 1 to 9.'],
  [{ pageSize: 1.5 }, '`pageSize`: expected a whole number from 1 to 9.'],
  [{ pageSize: 'sk_secret' }, '`pageSize`: expected a whole number from 1 to 9.'],
  [{ timeouts: { attempt: 30 } }, '`timeouts.attempt`: expected milliseconds, from 100 to 3600000'],
  [{ timeouts: { attempt: 3_600_001 } }, '`timeouts.attempt`: expected milliseconds'],
  [{ fetch: 'sk_secret' }, '`fetch`: expected a function.'],
  [{ pagesize: 1 }, 'Unknown option `pagesize`.'],
  [{ timeouts: { attempt: 100, all: 1 } }, 'Unknown option `timeouts.all`.'],
  [null, 'The options: '],
  ['sk_secret', 'The options: '],
])('refuses %j: %s', (given, line) => {
  const failure = `test() received invalid options:\n  - ${line}`;
  expect(() => check(given)).toThrow(failure);
  expect(() => check(given)).not.toThrow('secret');
});

it('lists every option that is refused', () => {
  expect(() => check({ pageSize: 0, x: 1, y: 2 })).toThrow(/pageSize.*\n.*`x`.*\n.*`y`/);
});

it('merges groups of options, and ignores what is undefined', () => {
  const below = { a: 1, group: { b: 1, c: 1 }, list: [1], d: 1, n: 1 };
  const above = { a: undefined, group: { b: 2, c: undefined }, list: [2], d: { e: 1 }, n: null };
  const merged = { a: 1, group: { b: 2, c: 1 }, list: [2], d: { e: 1 }, n: null };
  expect(merge(below, above)).toEqual(merged);
  expect(below.group).toEqual({ b: 1, c: 1 });
});
