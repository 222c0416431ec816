import { expect, test } from 'vitest';
import { schemaFor } from '../../../src/report/field-schema.ts';

test.each<[unknown[], string]>([
  [['Ada', 'Bob'], 'z.string()'],
  [['2024-05-01', '2024-05-01T10:00:00Z'], 'z.coerce.date()'],
  [['2024-05-01', 'soon'], 'z.string()'],
  [['2024-13-01'], 'z.string()'],
  [[1, 2.5], 'z.number()'],
  [[true], 'z.boolean()'],
  [['a', ['a']], 'z.unknown()'],
  [['a', 1], 'z.unknown()'],
  [[['a'], []], 'z.array(z.string())'],
  [[['2024-05-01']], 'z.array(z.string())'],
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
    'z.object({ name: z.string().nullable() })',
  ],
  ['a key that is null in all', [{ name: null }], 'z.object({ name: z.unknown() })'],
  [
    'names of which some need quotes',
    [{ Name: 1, _id: 1, $ref: 1, a$1: 1, 'a-b': 1, '1a': 1, '': 1 }],
    'z.object({ Name: z.number(), _id: z.number(), $ref: z.number(), a$1: z.number(), ' +
      '"a-b": z.number(), "1a": z.number(), "": z.number() })',
  ],
  ['objects in them', [{ a: { b: 1 } }], 'z.object({ a: z.object({ b: z.number() }) })'],
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
