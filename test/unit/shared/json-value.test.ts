import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxDepth, toJsonValue } from '../../../src/shared/json-value.ts';

const problem = `expected JSON with at most ${maxDepth} levels and 1000000 values`;

/** Values of programs: dates, maps, sets, bigints and gaps among them. */
const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withSparseArray: true,
  withNullPrototype: true,
  withTypedArray: true,
});

/** Returns the error for a value; undefined if it is accepted. */
function errorOf(value: unknown): unknown {
  try {
    toJsonValue(value);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('a value of a program', () => {
  it('is the same as the value in its file', () => {
    fc.assert(
      fc.property(anything, (value) => {
        const json = toJsonValue({ value });
        expect(JSON.parse(JSON.stringify(json))).toStrictEqual(json);
        expect(toJsonValue(json)).toStrictEqual(json);
      }),
      { numRuns: 2000 },
    );
  });

  it('may have a field with the name of a method that JSON or objects have', () => {
    const names = fc.constantFrom('toJSON', 'toString', 'valueOf', 'hasOwnProperty', 'then');
    const scalar = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null));
    const inner = fc.oneof(scalar, fc.array(scalar), fc.dictionary(names, scalar));
    fc.assert(
      fc.property(fc.dictionary(names, inner, { minKeys: 1 }), (value) => {
        const { nested } = Object(toJsonValue({ nested: value }));
        expect(nested).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('has one text, however its keys are ordered', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(JSON.stringify(toJsonValue(reversed))).toBe(JSON.stringify(toJsonValue(value)));
      }),
    );
  });

  it('has keys in an order that does not depend on the machine', () => {
    const value = { z: 1, ä: 1, Z: 1, a: 1 };
    expect(Object.keys(Object(toJsonValue(value)))).toEqual(['Z', 'a', 'z', 'ä']);
  });

  it.each([
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a URL', new URL('https://example.com/a'), 'https://example.com/a'],
    ['a bigint', 2n ** 60n, '1152921504606846976'],
    ['minus zero', -0, 0],
    ['half of a surrogate pair', 'a\ud800', 'a\ufffd'],
    ['half of a surrogate pair in a key', { '\udc00': 1 }, { '\ufffd': 1 }],
    ['a time without a zone', '2024-05-01T10:00:00', '2024-05-01T10:00:00Z'],
    ['an object of another realm', runInNewContext('({ a: 1 })'), { a: 1 }],
    ['an undefined field', { a: undefined, b: 1 }, { b: 1 }],
    ['a gap in a list', [undefined, 1], [null, 1]],
    ['a field that is a function', { a: () => 1, b: 1 }, { b: 1 }],
    ['what JSON has no number for', [Number.NaN, Number.POSITIVE_INFINITY], [null, null]],
    ['an invalid date', new Date('never'), null],
    ['a map', new Map([[1, 2]]), {}],
    [
      'keys of prototypes',
      JSON.parse('{"__proto__":{"a":1},"b":{"constructor":1,"prototype":1}}'),
      { b: {} },
    ],
  ])('is stored as JSON: %s', (_, value, json) => {
    expect(toJsonValue({ value })).toStrictEqual({ value: json });
  });
});

describe('the size of a value', () => {
  it.each([
    [maxDepth, undefined],
    [maxDepth + 1, problem],
    [100_000, problem],
  ])('is limited to levels: %i', (levels, message) => {
    const value: unknown = JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
    expect(Object(errorOf({ value })).message).toBe(message);
  });

  it('is limited to values, which are counted through repeated references', () => {
    let value: unknown = 'a';
    for (let level = 0; level < 40; level++) value = [value, value];
    expect(errorOf({ value })).toMatchObject({ message: problem });
  });

  it('is limited where a value refers to itself', () => {
    const value: unknown[] = [];
    value.push(value);
    expect(errorOf({ value })).toMatchObject({ message: problem });
  });
});
