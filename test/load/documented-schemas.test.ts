import type { SchemaContext } from 'astro/content/config';
import { createReference } from 'astro/content/runtime';
import { z } from 'astro/zod';
import { expect, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { articleSchema } from '../../src/content/schema.ts';
import { codeBlocks, pages, read } from '../helpers/readme.ts';
import { useSite } from '../helpers/use-site.ts';

const site = useSite();

/**
 * The package's own fields, and one that `transform` sets: the service's values do not reach them. `schema` is the
 * schema of local files, and not a field.
 */
const own = ['title', 'description', 'cover_image', 'draft', 'schema'];

/** Returns the further fields that schemas in a text name, with the code of each. */
function fieldsIn(text: string): [string, string][] {
  const lines = text.matchAll(/^\+?\s+(\w+): ((?:z\.|reference\().*),$/gm);
  return Array.from(lines, ([, name = '', code = '']) => [name, code] as [string, string]).filter(
    ([name]) => !own.includes(name),
  );
}

const documented = new Map(
  [
    read('templates/blog/src/content.config.ts'),
    ...pages.flatMap(codeBlocks).map(({ code }) => code),
  ]
    .flatMap(fieldsIn)
    .map(([, code]) => [code, code]),
);

const epoch = new Date(0);
const refused = 'refused';
type Kind = 'missing' | 'empty' | 'zero' | 'wrong';

/** What a field is without a value, and with an empty text, 0, and a value of a wrong type. Null is as without a value. */
const expected: Record<string, Record<Kind, unknown>> = {
  'z.coerce.date().optional()': {
    missing: undefined,
    empty: undefined,
    zero: epoch,
    wrong: refused,
  },
  'z.coerce.date()': { missing: refused, empty: refused, zero: epoch, wrong: refused },
  'z.string().optional()': { missing: undefined, empty: '', zero: refused, wrong: refused },
  'z.array(z.string()).default([])': { missing: [], empty: [], zero: refused, wrong: refused },
  "z.enum(['en', 'de']).default('en')": {
    ...{ missing: 'en', empty: 'en', zero: refused, wrong: refused },
  },
  'z.coerce.string().optional()': {
    ...{ missing: undefined, empty: '', zero: '0', wrong: '[object Object]' },
  },
  "z.coerce.string().pipe(reference('authors')).optional()": {
    missing: undefined,
    empty: { id: '', collection: 'authors' },
    zero: { id: '0', collection: 'authors' },
    wrong: { id: '[object Object]', collection: 'authors' },
  },
};

test('the documented schemas and those of the template have only fields that are tested', () => {
  expect([...documented.keys()].sort()).toEqual(Object.keys(expected).sort());
});

test.each(Object.entries(expected))(
  '%s takes a field that is null as one that is missing, and names what it refuses',
  async (code, values) => {
    const field = new Function('z', 'reference', `return ${code}`)(z, createReference());
    const schema = (context: SchemaContext) => articleSchema(context).extend({ field });
    const kinds = { missing: {}, null: { field: null }, empty: { field: '' }, zero: { field: 0 } };
    const all = Object.entries({ ...kinds, wrong: { field: { a: 1 } } });
    const [article] = makeArticles(1, { words: [5, 9] });
    site.service.replace(all.map(([id, fields]) => ({ ...Object(article), ...fields, id })));
    const { entries, log } = await site.load({ failOn: [] }, { schema });
    const found = all.map(([id]) => {
      const entry = entries.get(id);
      const isNamed = log.includes(`"${id}"`) && log.includes('field: ');
      return [id, entry ? entry.data.field : isNamed && refused];
    });
    expect(Object.fromEntries(found)).toEqual({ ...values, null: values.missing });
  },
);
