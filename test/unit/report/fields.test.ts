import { z } from 'astro/zod';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findFields, schemaFor } from '../../../src/report/fields.ts';
import { toJsonValue } from '../../../src/shared/json-value.ts';
import { runs } from '../../helpers/runs.ts';

/** Evaluates the code of fields as a site does that has pasted it. */
function schemaOf(codes: readonly string[]) {
  const read = new Function('z', `return z.object({ ${codes.join(', // a comment\n')} });`);
  return read(z) as z.ZodObject;
}

const dates = fc.constantFrom(
  ...['2024-05-01', '2024-05-01T10:00:00Z', '2024-05-01 10:00:00.123', '2024-02-30'],
  ...['2024-05-01T10:00+02:00', '2024-05-01T10:00:00-0330'],
);
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '2024', '2024-13-01', '2024-05-01T99:00', '20240501', 'May 1, 2024'),
);
const scalars = fc.oneof(dates, texts, fc.double(), fc.boolean(), fc.constant(null));
const anyObject = fc.dictionary(fc.string(), scalars, { maxKeys: 3 });
/** Objects with the same keys in each article, also in one another. */
const sameObject = fc.record({
  id: fc.integer(),
  name: fc.oneof(texts, fc.constant(null)),
  "it's": fc.record({ since: dates, tags: fc.array(fc.record({ slug: texts }), { maxLength: 2 }) }),
});
const objects = fc.oneof(anyObject, sameObject);
const lists = fc.oneof(
  ...[texts, dates, fc.integer(), fc.boolean(), objects, scalars].map((items) =>
    fc.array<unknown>(items as fc.Arbitrary<unknown>, { maxLength: 3 }),
  ),
);
/** The values of one field: of one kind in most fields. */
const kinds: fc.Arbitrary<unknown>[] = [
  ...[dates, texts, fc.integer(), fc.boolean(), objects, sameObject, lists],
  fc.array(sameObject, { maxLength: 2 }),
];
const anyValue = fc.oneof(scalars, objects, lists, fc.array(lists, { maxLength: 2 }));
const columns = fc
  .constantFrom(...kinds, anyValue)
  .chain((values) =>
    fc.array(fc.option(values, { nil: undefined, freq: 4 }), { minLength: 1, maxLength: 8 }),
  );
const names = fc.oneof(
  fc.constantFrom(
    'author',
    'reading-time',
    'class',
    "it's",
    '0',
    '*/',
    '\u2028',
    '\u001b[31m',
    '\\',
  ),
  fc.string({ unit: 'binary' }),
);
const tables = fc.dictionary(names, columns, { maxKeys: 5 });

/** Returns the articles of a table of fields, as the package stores them. */
function articlesIn(table: Record<string, unknown[]>): Record<string, unknown>[] {
  const length = Math.max(0, ...Object.values(table).map((values) => values.length));
  return Array.from({ length }, (_, at) => {
    const fields = Object.entries(table).map(([name, values]) => [name, values[at]]);
    const finite = (value: unknown) =>
      typeof value === 'number' && !Number.isFinite(value) ? 0 : value;
    const article = JSON.stringify(Object.fromEntries(fields), (_, value) => finite(value));
    return Object(toJsonValue(JSON.parse(article)));
  });
}

/** Returns a value with each date as text: a schema makes dates of some texts. */
const withTexts = (value: unknown) =>
  JSON.stringify(value, (_, part) =>
    typeof part === 'string' && !Number.isNaN(Date.parse(part)) ? Date.parse(part) : part,
  );

const acceptsText = (code = '') => /: z\.string\(\)(?:\.nullish\(\))?$/.test(code);

test('the schema of the fields that articles have accepts each of them, and keeps all of it', () => {
  let objectsWithKeys = 0;
  fc.assert(
    fc.property(tables, (table) => {
      const articles = articlesIn(table);
      const fields = findFields(articles);
      const schema = schemaOf(fields.map(({ code }) => code));
      for (const article of articles) {
        // A field that is null is left out before the schema, and an empty text that the schema refuses.
        const codeOf = new Map(fields.map(({ name, code }) => [name, code]));
        const isGiven = (name: string, value: unknown) =>
          value !== null && (value !== '' || acceptsText(codeOf.get(name)));
        const given = Object.entries(article).filter(
          ([name, value]) => isGiven(name, value) && !(name in Object.prototype),
        );
        const data = schema.parse(Object.fromEntries(given));
        for (const [name, value] of given) expect(withTexts(data[name])).toBe(withTexts(value));
      }
      for (const { name, count, code } of fields) {
        objectsWithKeys += code.includes('z.object') ? 1 : 0;
        const values = articles.map((each) => each[name] ?? null);
        const isCounted = (value: unknown) => value !== null && (value !== '' || acceptsText(code));
        expect(count).toBe(values.filter(isCounted).length);
        expect(code).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }
    }),
    { ...runs(300), seed: 7 },
  );
  expect(objectsWithKeys).toBeGreaterThan(20);
});

test.each([
  ['2026-01-02T10:00:00Z', 'a: z.coerce.date().nullish()'],
  [7, 'a: z.number().nullish()'],
  [true, 'a: z.boolean().nullish()'],
  [['sea'], 'a: z.array(z.string()).default([])'],
  ['Ada', 'a: z.string()'],
])('a field that is %j in one article, and empty in another one, has the schema %s', (a, code) => {
  expect(findFields([{ a }, { a: '' }]).map((field) => field.code)).toEqual([code]);
});

test('a field that is empty in all articles is a text', () => {
  expect(findFields([{ a: '' }])).toEqual([{ name: 'a', code: 'a: z.string()', count: 1 }]);
});

test('a field that all articles have is not optional', () => {
  const fields = { author: 'Ada', tags: ['sea'] };
  const codes = (articles: Record<string, unknown>[]) =>
    findFields(articles).map(({ code }) => code);
  expect(codes([fields, fields])).toEqual(['author: z.string()', 'tags: z.array(z.string())']);
  const optional = ['author: z.string().nullish()', 'tags: z.array(z.string()).default([])'];
  expect(codes([fields, {}])).toEqual(optional);
  expect(codes([fields, { author: null, tags: null }])).toEqual(optional);
});

test.each([
  ['reading-time', '"reading-time": z.number()'],
  ["it's", '"it\'s": z.number()'],
  ['\u202e', '"\\u{202e}": z.number()'],
])('the field %j is the key of an object literal', (name, code) => {
  expect(findFields([{ [name]: 1 }])[0]?.code).toBe(code);
});

test('fields are in an order that does not depend on the machine', () => {
  const names = findFields([{ z: 1, ä: 1, Z: 1, a: 1 }]).map(({ name }) => name);
  expect(names).toEqual(['Z', 'a', 'z', 'ä']);
});

test.each<[unknown[], string]>([
  [['2024-05-01', '2024-05-01T10:00:00Z'], 'z.coerce.date()'],
  [['2024-05-01', 'soon'], 'z.string()'],
  [['2024-13-01'], 'z.string()'],
  [[1, 2.5], 'z.number()'],
  [[true], 'z.boolean()'],
  [['a', ['a']], 'z.unknown()'],
  [['a', 1], 'z.unknown()'],
  [[['a'], []], 'z.array(z.string())'],
  [[['2024-05-01']], 'z.array(z.coerce.date())'],
  [[[1]], 'z.array(z.number())'],
  [[['a', null]], 'z.array(z.unknown())'],
  [[[['a']]], 'z.array(z.array(z.string()))'],
  [[[]], 'z.array(z.unknown())'],
])('values such as %j have the schema %s', (values, schema) => {
  expect(schemaFor(values)).toBe(schema);
});

test.each<[string, unknown[], string]>([
  [
    'the same keys',
    [
      { id: 1, name: 'Ada' },
      { name: 'Bob', id: 2 },
    ],
    'z.object({ id: z.number(), name: z.string() })',
  ],
  [
    'a key that is null in some',
    [{ name: null }, { name: 'Ada' }],
    'z.object({ name: z.string().nullish() })',
  ],
  [
    'names of which some need quotes',
    [{ Name: 1, _id: 1, $ref: 1, a$1: 1, 'a-b': 1, '1a': 1, '': 1 }],
    'z.object({ "": z.number(), $ref: z.number(), "1a": z.number(), Name: z.number(), ' +
      '_id: z.number(), a$1: z.number(), "a-b": z.number() })',
  ],
  ['other keys', [{ id: 1 }, { id: 1, name: 'Ada' }], 'z.record(z.string(), z.unknown())'],
  ['as many keys, but others', [{ id: 1 }, { name: 1 }], 'z.record(z.string(), z.unknown())'],
  ['no key', [{}], 'z.record(z.string(), z.unknown())'],
  ['a key that all objects have', [{ valueOf: 1 }], 'z.record(z.string(), z.unknown())'],
  [
    'keys that fill a line',
    [{ ['k'.repeat(134)]: 1 }],
    `z.object({ ${'k'.repeat(134)}: z.number() })`,
  ],
  ['keys that no line can show', [{ ['k'.repeat(135)]: 1 }], 'z.record(z.string(), z.unknown())'],
])('objects with %s have a schema', (_, values, schema) => {
  expect(schemaFor(values)).toBe(schema);
  expect(schemaFor([values])).toBe(`z.array(${schema})`);
});

const dateOfSeconds = 'z.number().transform((seconds) => new Date(seconds * 1000))';

test.each<[string, unknown[], string]>([
  ...['published', 'updated_at', 'date', 'CreatedTime', 'modified', 'shown_on'].map(
    (name): [string, unknown[], string] => [name, [1_764_000_000, 1_764_003_600], dateOfSeconds],
  ),
  ['views', [1_764_000_000], 'z.number()'],
  ['on_sale', [1_764_000_000], 'z.number()'],
  ['published', [1_764_000_000_000], 'z.number()'],
  ['published', [1, 0], 'z.number()'],
  ['published', ['2026-11-29T10:00:00Z'], 'z.coerce.date()'],
  ['author', [{ created: 1_764_000_000 }], `z.object({ created: ${dateOfSeconds} })`],
])('a field %s with values such as %j has the schema of its dates', (name, values, schema) => {
  expect(findFields(values.map((value) => ({ [name]: value })))[0]?.code).toBe(
    `${name}: ${schema}`,
  );
});
