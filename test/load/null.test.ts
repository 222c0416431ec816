import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import { describe, expect, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { articleSchema } from '../../src/content/schema.ts';
import { liveArticlesLoader } from '../../src/live/index.ts';
import type { Transform } from '../../src/options/options.ts';
import { key, offline, useSite } from '../helpers/use-site.ts';

const site = useSite({ articles: () => makeArticles(1, { words: [20, 40] }) });

const schemaOf = (fields: z.ZodRawShape) => (context: SchemaContext) =>
  articleSchema(context).extend(fields);
const same: Transform = (article) => article;

test.each<[string, z.ZodType, unknown]>([
  ['z.coerce.date().optional()', z.coerce.date().optional(), undefined],
  ['z.null()', z.null(), null],
  [
    'z.string().nullable().transform()',
    z
      .string()
      .nullable()
      .transform((text) => text ?? 'none'),
    'none',
  ],
])(
  'a field that is null is given to %s as one that is missing, or as null',
  async (_, field, value) => {
    // Another field that is null must not become 1970, because the first one needs null.
    const schema = schemaOf({ field, date: z.coerce.date().optional() });
    site.service.change(1, { field: null, date: null });
    for (const options of [{}, { transform: same }, { rows: 'whole' as const }]) {
      for (const more of [{}, { inMemory: true }, offline]) {
        const { entries, failure } = await site.load(options, { schema, ...more });
        expect(failure).toBeUndefined();
        expect(entries.get('1')?.data.field).toEqual(value);
        expect(entries.get('1')?.data.date).toBeUndefined();
      }
    }
  },
);

test.each<[string, z.ZodType, unknown]>([
  ['z.coerce.date().optional()', z.coerce.date().optional(), undefined],
  ['z.coerce.date().nullable()', z.coerce.date().nullable(), null],
  ['z.string()', z.string(), ''],
])(
  'a field that is an empty text is given to %s like null, unless it accepts texts',
  async (_, field, value) => {
    const schema = schemaOf({ field, author: z.string(), editor: z.string().nullable() });
    site.service.change(1, { field: '', author: '', editor: null });
    for (const more of [{}, offline]) {
      const { entries, failure } = await site.load({}, { schema, ...more });
      expect(failure).toBeUndefined();
      expect(entries.get('1')?.data).toMatchObject({ author: '', editor: null });
      expect(entries.get('1')?.data.field).toEqual(value);
    }
  },
);

test('`transform` replaces a field that is null, in builds and on live pages', async () => {
  const schema = schemaOf({ author: z.string() });
  const transform: Transform = (article) => ({ ...article, author: article.author ?? 'Editors' });
  site.service.change(1, { author: null });
  const { entries, failure } = await site.load({ transform }, { schema });
  expect(failure).toBeUndefined();
  expect(entries.get('1')?.data.author).toBe('Editors');
  const { loadEntry } = liveArticlesLoader({ baseUrl: site.service.url, apiKey: key, transform });
  const entry = await loadEntry({ filter: { id: '1' }, collection: 'articles' });
  expect(Object(entry).data.author).toBe('Editors');
});

test.each<[string, z.ZodType, unknown, string]>([
  ['a text', z.string(), null, 'field: Required, received null'],
  ['a date', z.coerce.date(), null, 'field: Expected type `"date"`, received null'],
  ['a list', z.array(z.string()), [null], 'field.0: Expected type `"string"`, received null'],
  ['an object', z.object({ a: z.string() }), { a: null }, 'field.a: Required, received null'],
])('a schema that refuses %s says what the service sends', async (_, field, value, reason) => {
  site.service.change(1, { field: value });
  const { message } = await site.loadFails({}, { schema: schemaOf({ field }) });
  expect(message).toContain(reason);
  expect(message).not.toContain('received `"object"`');
});

describe('a cover that is null', () => {
  type Image = ReturnType<SchemaContext['image']>;
  const load = (cover: (image: Image) => z.ZodType) => {
    site.service.change(1, { cover_image: null, field: null });
    const schema = ({ image }: SchemaContext) =>
      z.object({
        slug: z.string(),
        cover_image: cover(image()),
        field: z.string().nullable(),
      });
    return site.load({ failOn: ['service', 'articles'] }, { schema });
  };

  test.each<[string, (image: Image) => z.ZodType, unknown]>([
    ['.nullable()', (image) => image.nullable(), null],
  ])('is accepted by image()%s', async (_, cover, value) => {
    const { failure, entries } = await load(cover);
    expect(failure).toBeUndefined();
    expect(entries.get('1')?.data).toMatchObject({ field: null });
    expect(entries.get('1')?.data.cover_image).toBe(value);
  });

  test.each<[string, (image: Image) => z.ZodType]>([
    ['image()', (image) => image],
    ['a default, which is not a local file', (image) => image.default('./none.jpg' as never)],
  ])('is refused by %s, and the message says what to write', async (_, cover) => {
    const { failure } = await load(cover);
    expect(failure?.message).toContain(
      'cover_image: Expected type `"string"`, received null: write `image().nullable()`',
    );
  });
});

test('a field that becomes null, or a value again, is shown with the next load', async () => {
  const schema = schemaOf({ author: z.string().optional() });
  for (const rows of ['compare', { changedBy: 'updated_at' }, 'whole'] as const) {
    for (const author of ['Ada', null, 'Bo']) {
      site.service.change(1, { author, updated_at: `2020-01-01T00:00:00.${author?.length ?? 0}Z` });
      const { entries } = await site.load({ rows }, { schema });
      expect(entries.get('1')?.data.author).toBe(author ?? undefined);
    }
  }
});
