import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  JsonValueError,
  maxCharacters,
  maxDepth,
  toJsonValue,
} from '../../../src/shared/json-value.ts';

/** Values of programs: dates, maps, sets, bigints, functions, class instances and cycles among them. */
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
  it('is the same as the value in its file, or is refused', () => {
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(anything, (value) => {
        const error = errorOf(value);
        if (error) {
          expect(error).toBeInstanceOf(JsonValueError);
          refused += 1;
          return;
        }
        const json = toJsonValue(value);
        expect(JSON.parse(JSON.stringify(json))).toStrictEqual(json);
        expect(toJsonValue(json)).toStrictEqual(json);
        accepted += 1;
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(accepted, refused)).toBeGreaterThan(100);
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
    ['a time of SQL', '2024-05-01 10:00', '2024-05-01 10:00Z'],
    ['a time with a zone', '2024-05-01T10:00:00+02:00', '2024-05-01T10:00:00+02:00'],
    ['a date without a time', '2024-05-01', '2024-05-01'],
    ['a text with a time', 'at 2024-05-01T10:00:00', 'at 2024-05-01T10:00:00'],
    ['what depends on its own key', { toJSON: (key: string) => key }, 'value'],
    ['an object of another realm', runInNewContext('({ a: 1 })'), { a: 1 }],
    ['an undefined field', { a: undefined, b: 1 }, { b: 1 }],
    ['a gap in a list', [undefined, 1], [null, 1]],
    [
      'keys of prototypes',
      JSON.parse('{"__proto__":{"a":1},"b":{"constructor":1,"prototype":1}}'),
      { b: {} },
    ],
  ])('is stored as JSON: %s', (_, value, json) => {
    expect(toJsonValue({ value })).toStrictEqual({ value: json });
  });

  it.each([
    ['a map', new Map(), 'expected an object, a list or text, got an instance of Map'],
    ['a set', new Set([1]), 'expected an object, a list or text, got an instance of Set'],
    [
      'an instance of a class without a name',
      new (class {})(),
      'expected an object, a list or text, got an instance of a class',
    ],
    ['a function', () => 1, 'expected a value of JSON, got a function'],
    ['a symbol', Symbol('s'), 'expected a value of JSON, got a symbol'],
    ['NaN', Number.NaN, 'expected a number of JSON, got NaN'],
    ['an invalid date', new Date('never'), 'expected a valid date'],
  ])('is refused with its path: %s', (_, value, message) => {
    expect(errorOf({ seo: [{ rating: value }] })).toMatchObject({ path: 'seo.0.rating', message });
  });
});

describe('the size of a value', () => {
  it.each([
    [maxDepth, undefined],
    [maxDepth + 1, `expected at most ${maxDepth} levels of objects and lists`],
    [100_000, `expected at most ${maxDepth} levels of objects and lists`],
  ])('is limited to levels: %i', (levels, message) => {
    const value: unknown = JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
    expect(Object(errorOf({ value })).message).toBe(message);
  });

  it('is counted through repeated references', () => {
    let value: unknown = 'a';
    for (let level = 0; level < 40; level++) value = [value, value];
    expect(errorOf({ value })).toMatchObject({
      path: 'value',
      message: `expected at most ${maxCharacters} characters of JSON`,
    });
    const text = 'a'.repeat(2 ** 20);
    let empty: unknown[] = [];
    for (let level = 0; level < 40; level++) empty = [empty, empty];
    expect(errorOf({ empty })).toMatchObject({ path: 'empty' });
    expect(errorOf(Array.from({ length: 17 }, () => text))).toMatchObject({
      message: expect.stringContaining('characters'),
    });
  });
});
