import { z } from 'astro/zod';
import { describe, expect, it, test } from 'vitest';
import { parseWithNulls, reasonOfSchema } from '../../../src/content/parse-data.ts';
import { withoutNulls } from '../../../src/shared/json-value.ts';

// With the errors of Astro itself, whose words the module reads.

type Data = Record<string, unknown>;

const root = import.meta.resolve('astro/package.json');
const { getEntryData } = await import(new URL('dist/content/utils.js', root).href);

/** Parses data as `parseData()` of a loader does. */
const parserOf = (shape: z.ZodRawShape) => (data: Data) =>
  getEntryData(
    { id: 'one', collection: 'articles', unvalidatedData: data, _internal: {} },
    { schema: z.object(shape), type: 'content_layer' },
    false,
  ) as Promise<Data>;

describe('a field that is null in the service', () => {
  const parse = (shape: z.ZodRawShape, extra: Data) => {
    const { cover_image } = extra;
    const own = cover_image === undefined ? {} : { cover_image };
    return parseWithNulls(parserOf(shape), { ...Object(withoutNulls(extra)), ...own }, extra);
  };
  const text = z.string();
  const author = { author: null };
  const inside = { seo: { title: null, list: [{ a: null, b: 1 }] } };
  const seoOf = (type: z.ZodType) =>
    z.object({ title: type, list: z.array(z.object({ a: type, b: z.number() })) });

  it.each([
    ['optional', { author: text.optional() }, author, {}],
    ['nullable', { author: text.nullable() }, author, author],
    ['nullish', { author: text.nullish() }, author, {}],
    ['an object', { author: z.object({ name: text }).nullable() }, author, author],
    ['a list with a default', { tags: z.array(text).default([]) }, { tags: null }, { tags: [] }],
    ['in an object', { seo: seoOf(text.optional()) }, inside, { seo: { list: [{ b: 1 }] } }],
    ['in one, nullable', { seo: seoOf(text.nullable()) }, inside, inside],
    ['the cover', { cover_image: text.optional() }, { cover_image: null }, {}],
    ['an empty text', { date: z.date().nullable() }, { date: '' }, { date: null }],
    [
      'in an object, empty',
      { a: z.object({ b: z.date().optional() }) },
      { a: { b: '' } },
      { a: {} },
    ],
  ] as [string, z.ZodRawShape, Data, Data][])(
    'is what the schema accepts: %s',
    async (_, shape, data, expected) => {
      expect(await parse(shape, data)).toStrictEqual(expected);
    },
  );

  it.each([
    ['a date', z.coerce.date()],
    ['a number', z.coerce.number()],
    ['a text', z.coerce.string()],
  ])('is not made %s', async (_, type) => {
    await expect(parse({ author: type }, { author: null })).rejects.toThrow('author');
    const shape = { seo: z.object({ author: type }) };
    await expect(parse(shape, { seo: { author: null } })).rejects.toThrow('author');
  });

  it('does not replace another field that is refused', async () => {
    const shape = { author: z.string(), date: z.date() };
    await expect(parse(shape, { author: 1, date: null })).rejects.toThrow('author');
  });
});

/** The words for what a schema refuses. */
async function reasonFor(shape: z.ZodRawShape, given: Data, extra: Data = {}): Promise<string> {
  const error = await parserOf(shape)(given).catch((thrown: unknown) => thrown);
  return reasonOfSchema(error, 'articles → one', given, extra);
}

const head = 'its data does not match collection schema. ';

test.each<[z.ZodRawShape, Data, string]>([
  [{ author: z.string() }, {}, 'author: Required'],
  [{ author: z.string() }, { author: 1 }, 'author: Expected type `"string"`, received a number'],
  [{ author: z.string() }, { author: null }, 'author: Expected type `"string"`, received null'],
  [
    { date: z.date() },
    { date: '2024-05-01' },
    'date: Expected type `"date"`, received text: write `z.coerce.date()`',
  ],
  [
    { date: z.date() },
    { date: 1_764_000_000 },
    'date: Expected type `"date"`, received a number: write `z.number().transform((seconds) => new Date(seconds * 1000))`',
  ],
  [{ date: z.date() }, { date: 7 }, 'date: Expected type `"date"`, received a number'],
  [{ date: z.coerce.date() }, {}, 'date: Required, but the field is missing'],
  [
    { id: z.number() },
    {},
    'id: `data` has no such field, because it is `entry.id`: remove it from the schema',
  ],
  [
    { id: z.coerce.number(), content: z.string().min(1) },
    {},
    'id: `data` has no such field, because it is `entry.id`: remove it from the schema; ' +
      'content: `data` has no such field, because it is `entry.body`: remove it from the schema',
  ],
  [{ section: z.object({ id: z.number() }) }, { section: {} }, 'section.id: Required'],
  [{ date: z.coerce.date() }, { date: '' }, 'date: Expected type `"date"`, received an empty text'],
  [
    { author: z.object({ name: z.string() }) },
    { author: { name: 1 } },
    'author.name: Expected type `"string"`, received a number',
  ],
])('the schema %j refuses %j with a reason', async (shape, given, reason) => {
  expect(await reasonFor(shape, given)).toBe(
    `${head}${reason}; the service sends no further field`,
  );
});

test('each field that is refused has its reason, and the fields of the service are named', async () => {
  const shape = { a: z.string(), b: z.number() };
  expect(await reasonFor(shape, { a: 1, b: 'x' }, { a: 1, b: 'x' })).toBe(
    `${head}a: Expected type \`"string"\`, received a number; b: Expected type \`"number"\`, received text; ` +
      'the service sends `a`, `b`',
  );
});

test('an error of a schema’s own code keeps its words', () => {
  const error = new Error('articles → one has no page.\n\n  Look at **it**');
  expect(reasonOfSchema(error, 'articles → one', {}, {})).toBe(
    'its has no page. Look at it; the service sends no further field',
  );
});
