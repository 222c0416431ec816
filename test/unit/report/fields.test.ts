import { z } from 'astro/zod';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldsOf } from '../../../src/report/fields.ts';
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
const objects = fc.dictionary(fc.string(), scalars, { maxKeys: 3 });
const lists = fc.oneof(
  ...[texts, dates, fc.integer(), fc.boolean(), objects, scalars].map((items) =>
    fc.array<unknown>(items as fc.Arbitrary<unknown>, { maxLength: 3 }),
  ),
);
/** The values of one field: of one kind in most fields. */
const kinds: fc.Arbitrary<unknown>[] = [dates, texts, fc.integer(), fc.boolean(), objects, lists];
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

test('the schema of the fields that articles have accepts each of them', () => {
  fc.assert(
    fc.property(tables, (table) => {
      const articles = articlesIn(table);
      const fields = fieldsOf(articles);
      const schema = schemaOf(fields.map(({ code }) => code));
      for (const article of articles) {
        // A field that is null is left out before the schema.
        const given = Object.entries(article).filter(
          ([name, value]) => value !== null && !(name in Object.prototype),
        );
        const data = schema.parse(Object.fromEntries(given));
        for (const [name] of given) expect(Object.keys(data)).toContain(name);
      }
      for (const { name, count, code } of fields) {
        expect(count).toBe(articles.filter((each) => (each[name] ?? null) !== null).length);
        expect(code).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }
    }),
    runs(300),
  );
});

test.each<[unknown[], string, string]>([
  [['Ada', 'Bob'], 'z.string().optional()', 'text'],
  [['2024-05-01', '2024-05-01T10:00:00Z'], 'z.coerce.date().optional()', 'a date'],
  [['2024-05-01', 'soon'], 'z.string().optional()', 'a date or text'],
  [['2024-13-01'], 'z.string().optional()', 'text'],
  [[1, 2.5], 'z.number().optional()', 'a number'],
  [[true], 'z.boolean().optional()', 'true or false'],
  [[['a'], []], 'z.array(z.string()).default([])', 'a list'],
  [[['2024-05-01']], 'z.array(z.string()).default([])', 'a list'],
  [[[1]], 'z.array(z.number()).default([])', 'a list'],
  [[[{ id: 1 }]], 'z.array(z.record(z.string(), z.unknown())).default([])', 'a list'],
  [[['a', null]], 'z.array(z.unknown()).default([])', 'a list'],
  [[[['a']]], 'z.array(z.unknown()).default([])', 'a list'],
  [[[]], 'z.array(z.unknown()).default([])', 'a list'],
  [[{ name: 'Ada' }], 'z.record(z.string(), z.unknown()).optional()', 'an object'],
  [['a', ['a']], 'z.unknown().optional()', 'text or a list'],
  [['a', 1], 'z.unknown().optional()', 'text or a number'],
])('the field with the values %j is %s', (values, schema, words) => {
  const articles = [...values, null].map((field) => ({ field }));
  expect(fieldsOf([{}, ...articles])).toEqual([
    { name: 'field', code: `field: ${schema}`, count: values.length, kinds: words },
  ]);
});

test('a field that is null in all articles is not one', () => {
  expect(fieldsOf([{ author: null }])).toEqual([]);
});
