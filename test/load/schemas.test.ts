import type { SchemaContext } from 'astro/content/config';
import type { Loader } from 'astro/loaders';
import { z } from 'astro/zod';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ArticlesLoaderOptions, articlesLoader } from '../../src/content/articles-loader.ts';
import { articleSchema } from '../../src/content/schema.ts';
import { runs } from '../helpers/runs.ts';
import { importedFiles, useSite } from '../helpers/use-site.ts';

// A schema may return any data that Astro can store. Astro's store changes the data that it receives.

const site = useSite({
  articles: () => [
    {
      id: 1,
      title: 'Tides',
      content: 'The sea.',
      cover_image: '/media/tides.jpg',
      list: ['a', { b: ['c'] }],
    },
    { id: 2, title: 'Ridges', content: 'The land.', cover_image: null, list: [] },
  ],
});

type Fields = Record<string, unknown>;

/** Changes that a schema makes to the data, at its end. */
const endings: Record<string, (data: Fields) => Fields> = {
  'freezes it': Object.freeze,
  'makes read-only fields': (data) =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        Object.entries(data).map(([name, value]) => [name, { value, enumerable: true }]),
      ),
    ),
  'repeats a part': (data) => ({ ...data, again: data.list, nested: { list: data.list } }),
  'repeats the cover': (data) => ({ ...data, cover: data.cover_image }),
  'has no prototype': (data) => Object.assign(Object.create(null), data),
  'has gaps in a list': (data) => Object.assign({}, data, { gaps: new Array(2) }),
};

describe('the data that a schema returns', () => {
  it('is stored with its cover and never changed, also if it is frozen', async () => {
    const seen = new Map<string, number>();
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...Object.keys(endings)), { maxLength: 3 }),
        async (names) => {
          // An entry whose article is unchanged is not parsed again.
          const title = `Tides ${round++}`;
          site.service.change(1, { title });
          const returned: [data: Fields, copy: Fields][] = [];
          const end = (data: Fields) => {
            const changed = names.reduce((each, name) => endings[name]?.(each) ?? each, data);
            returned.push([changed, structuredClone(changed)]);
            return changed;
          };
          const schema = (context: SchemaContext) =>
            articleSchema(context)
              .extend({ list: z.array(z.unknown()).readonly() })
              .transform(end)
              .readonly();
          const { failure, entries } = await site.load({}, { schema });
          expect(failure).toBeUndefined();
          const entry = entries.get('1');
          if (!entry) return expect.fail('the article is not in the collection');
          expect(importedFiles(site.root, entry)).toHaveLength(1);
          expect(entry.data).toMatchObject({ title, description: 'The sea.' });
          expect(entries.get('2')?.data).toMatchObject({ cover_image: null, list: [] });
          for (const [data, copy] of returned) expect(data).toEqual(copy);
          for (const name of names) seen.set(name, (seen.get(name) ?? 0) + returned.length);
        },
      ),
      { ...runs(15), examples: Object.keys(endings).map((name) => [[name]]) },
    );
    for (const name of Object.keys(endings)) expect(seen.get(name)).toBeGreaterThan(0);
  });
});

describe('a value that a schema makes', () => {
  class Money {
    amount = 1;
  }
  const load = (make: () => unknown) => {
    const schema = (context: SchemaContext) =>
      articleSchema(context).transform((data) =>
        data.title === 'Tides' ? { ...data, made: make() } : data,
      );
    // A dev server parses all entries in each load.
    return site.load({ failOn: ['service'] }, { schema, command: 'dev' });
  };

  it.each<[string, () => unknown, string, field?: string]>([
    ['an instance of a class', () => new Money(), 'Money'],
    ['one in a map', () => new Map([['a', new Set([new Money()])]]), 'Money', '0'],
    ['one that has a text in JSON', () => Object.assign(new Money(), { toJSON: String }), 'Money'],
    ['a function', () => () => 1, 'function'],
    ['a symbol', () => Symbol('a'), 'symbol'],
  ])('is a problem of its article if it is %s', async (_, make, kind, field = 'made') => {
    const { failure, entries, warnings } = await load(make);
    expect(failure).toBeUndefined();
    expect([...entries.keys()]).toEqual(['2']);
    expect(warnings.join()).toContain(
      `article "1", field ${field}: the collection's schema made a ${kind} of it, which Astro cannot save`,
    );
  });

  it('is a problem of its article if it contains itself', async () => {
    const made: Record<string, unknown> = {};
    made.made = made;
    const { entries, warnings } = await load(() => made);
    expect([...entries.keys()]).toEqual(['2']);
    expect(warnings.join()).toContain('article "1": Maximum call stack size exceeded');
  });

  it.each<[string, (round: number) => unknown]>([
    ['a date', (round) => new Date(round)],
    ['a URL', (round) => new URL(`https://a.example/${round}`)],
    ['a regular expression', (round) => new RegExp(`a${round}`)],
    ['a map', (round) => new Map([['a', [{ b: round }]]])],
    ['a set', (round) => new Set([round])],
    ['a bigint', (round) => BigInt(round)],
    ['bytes', (round) => new Uint8Array([round])],
    ['an object without a prototype', (round) => Object.assign(Object.create(null), { round })],
  ])('changes the digest of its entry if it is %s', async (_, make) => {
    const digests = new Set();
    for (const round of [1, 2, 2]) {
      const { failure, warnings, entries } = await load(() => make(round));
      expect([failure, warnings]).toEqual([undefined, []]);
      digests.add(entries.get('1')?.digest);
    }
    expect(digests.size).toBe(2);
  });
});

describe('a schema of the site', () => {
  type Schema = (context: SchemaContext) => z.ZodType;
  const hero = ({ image }: SchemaContext) => image().optional();
  const refusals: Record<string, [schema: Schema, options: ArticlesLoaderOptions, text: string]> = {
    'keeps the cover as text': [
      () => z.object({ title: z.string(), slug: z.string(), cover_image: z.string().nullable() }),
      {},
      'keeps `cover_image` of article "1" as text',
    ],
    'leaves the slug out, as for `glob()`': [
      () => z.object({ title: z.string() }),
      {},
      'removes `slug` from article "1"',
    ],
  };

  it.each(Object.entries(refusals))(
    'that %s fails the load, which says what to write',
    async (_, [schema, options, text]) => {
      const failure = await site.loadFails(options, { schema });
      expect(failure).toMatchObject({ code: 'invalid-options' });
      expect(failure.message).toContain(`The schema of collection "articles" ${text}`);
      expect(failure.hint).toContain('`schema: (context) => articleSchema(context).extend({ … })`');
    },
  );

  it.each<[string, unknown, Schema, string]>([
    [
      'a field',
      '/media/beach.jpg',
      (context) => articleSchema(context).extend({ field: context.image() }),
      'the field "field" of article "1"',
    ],
    [
      'a field that it renames',
      './beach.jpg',
      (context) =>
        articleSchema(context)
          .extend({ field: context.image() })
          .transform(({ field, ...data }) => ({ ...data, hero: field })),
      'the field "field" of article "1"',
    ],
    [
      'texts in lists and objects',
      [{ src: 'https://a.example/beach.jpg' }],
      (context) =>
        articleSchema(context).extend({ field: z.array(z.object({ src: context.image() })) }),
      'the field "field.0.src" of article "1"',
    ],
  ])(
    'that uses `image()` for %s besides the cover fails the load, which says what to write',
    async (_, field, schema, name) => {
      site.service.change(1, { field });
      const failure = await site.loadFails({}, { schema });
      expect(failure).toMatchObject({ code: 'invalid-options' });
      expect(failure.message).toContain(`uses \`image()\` for ${name}`);
      expect(failure.message).toContain('only `cover_image` is downloaded');
      expect(failure.hint).toContain('Write `z.string()` in place of `image()`');
      expect(failure.hint).toMatch(/the local cover/i);
      // The path of a part of a field is not the name of a field.
      expect(failure.hint).not.toContain('data.field.');
    },
  );

  it.each<[string, (context: SchemaContext, added: z.ZodRawShape) => z.ZodObject]>([
    ['has the cover', (context) => articleSchema(context).extend({ hero: hero(context) })],
    [
      'lacks the cover',
      (context, added) => z.object({ slug: z.string(), hero: hero(context), ...added }),
    ],
  ])(
    'that uses `image()` for a text, and %s, shows the covers with the code that the error prints',
    async (_, schemaWith) => {
      site.service.change(1, { hero: 'https://a.example/beach.jpg' });
      site.service.change(2, { hero: 'https://a.example/beach.jpg' });
      const { hint = '' } = await site.loadFails({}, { schema: (each) => schemaWith(each, {}) });
      const [, name = '', added] = /`(cover_image): ([^`]+)`/.exec(hint) ?? [];
      const [, change] = /`\.transform\(([^`]+)\)`/.exec(hint) ?? [];
      const field = new Function('image', `return ${added};`);
      const toHero: (data: Fields) => Fields = new Function(`return ${change};`)();
      const schema = (context: SchemaContext) =>
        schemaWith(context, { [name]: field(context.image) }).transform(toHero);
      const { failure, entries } = await site.load({}, { schema });
      expect(failure).toBeUndefined();
      const [shown, without] = ['1', '2'].map((id) => entries.get(id)?.data ?? {});
      expect(shown?.hero).toMatch(/\.jpg$/);
      expect(shown?.hero).toBe(shown?.cover_image);
      expect(without).toMatchObject({ cover_image: null, hero: null });
      // A local file of the same collection has a picture of its own.
      expect(toHero({ hero: './own.jpg' })).toEqual({ hero: './own.jpg' });
    },
  );

  it.each<[string, Schema, ArticlesLoaderOptions]>([
    [
      'use the cover in another field of the service',
      (context) =>
        articleSchema(context)
          .extend({ list: z.unknown() })
          .transform((data) => ({ ...data, list: data.cover_image })),
      {},
    ],
    ['leave the cover out', () => z.object({ title: z.string(), slug: z.string() }), {}],
    ['leave the slug out, if it is the id', () => z.object({}), { entryId: 'slug' }],
    [
      'rename the cover',
      ({ image }) =>
        z
          .object({ slug: z.string(), cover_image: image().nullable() })
          .transform(({ slug, cover_image }) => ({ slug, heroImage: cover_image })),
      {},
    ],
    [
      'keep a cover that is a URL as text',
      () => z.object({ slug: z.string(), cover_image: z.string().nullable() }),
      { images: { covers: 'remote' } },
    ],
  ])('may %s', async (_, schema, options) => {
    const { failure, entries } = await site.load(options, { schema });
    expect(failure).toBeUndefined();
    expect(entries.size).toBe(2);
  });

  it('is needed next to another loader, and an error says so', async () => {
    const other: Loader = {
      name: 'other',
      async load({ parseData, store }) {
        const data = await parseData({ id: 'about', data: { title: 'About' } });
        store.set({ id: 'about', data });
      },
    };
    for (const each of [other, { name: 'empty', load: async () => undefined }]) {
      const failure = await site.loadFails({ with: each } as ArticlesLoaderOptions);
      expect(failure).toMatchObject({ code: 'invalid-options' });
      expect(failure.message).toContain('option `with` needs a schema of its own');
    }
  });

  it('is not an option of the loader, and an error says where to write it', () => {
    const wrong = { schema: z.object({}) } as ArticlesLoaderOptions;
    expect(() => articlesLoader(wrong)).toThrow('not an option of a loader but of its collection');
  });
});

describe('the schema of the loader', () => {
  it('makes the same entries as `articleSchema` does', async () => {
    const { failure, context } = await site.load();
    expect(failure).toBeUndefined();
    const store = context.storeText();
    expect(store).toContain('assetImports');
    // Another site, because unchanged entries are not parsed again.
    const again = await site.load({}, { schema: articleSchema, command: 'dev' });
    expect(again.context.store.values()).toEqual(context.store.values());
  });
});
