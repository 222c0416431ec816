import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { articleSchema } from '../../src/content/collection.ts';
import { runs } from '../helpers/runs.ts';
import { allowRemoval, servedBy, shownIn, useSite } from '../helpers/use-site.ts';

const site = useSite(allowRemoval);

// Astro's store leaves out an empty body, and an article without a title or content is a draft.
const text = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 40 })
  .filter((value) => value.trim() !== '');
const id = fc.oneof(
  fc.integer(),
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'index', '404', '0', '-1', 'a b'),
);
const extra = fc.dictionary(
  fc.string({ maxLength: 8 }).filter((name) => !/^(id|title|content|cover_image)$/.test(name)),
  fc.jsonValue({ maxDepth: 3 }),
  { maxKeys: 4, noNullPrototype: true },
);
const article = fc
  .record({ id, title: text, content: text, extra })
  .map(({ extra: others, ...fields }) => ({ ...others, ...fields, cover_image: null }));
const articles = fc.uniqueArray(article, {
  selector: (each) => String(each.id),
  minLength: 1,
  maxLength: 12,
});

const rowUses = fc.constantFrom('compare' as const, 'whole' as const);

/** A schema that passes every field of the service. */
const passing = (context: SchemaContext) => articleSchema(context).catchall(z.unknown());

describe('any articles', () => {
  it('are shown unchanged, and need no request, rendering or write while they are unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(articles, rowUses, async (all, rows) => {
        const usable = all.filter((each) => isUsableId(String(each.id)));
        site.service.replace(usable);
        const options = { rows, sanitize: true };
        const load = await site.load(options, { schema: passing });
        expect(load.failure).toBeUndefined();
        expect(shownIn(load)).toEqual(servedBy(site.service));
        const slugs = shownSlugs(load.entries.values());
        expect(new Set(slugs).size).toBe(usable.length);

        site.service.clearRequests();
        const again = await site.load(options, { schema: passing });
        expect(site.service.count('article')).toBe(0);
        expect(again.context.storeText()).toBe(load.context.storeText());
      }),
      runs(30),
    );
  });
});

function shownSlugs(entries: Iterable<{ data: Record<string, unknown> }>): string[] {
  return [...entries].map(({ data }) => String(data.slug));
}

/** Ids that cannot be a segment of a path are problems of their rows. */
function isUsableId(value: string): boolean {
  return value.isWellFormed() && !/\p{Cc}|^\.{1,2}$/u.test(value);
}

describe('the row and the article', () => {
  const one = { id: 1, title: 't', content: 'c', cover_image: null };
  const dated = (context: SchemaContext) =>
    articleSchema(context).extend({
      date: z.string().optional(),
      tags: z.array(z.string()).optional(),
      both: z.string().optional(),
    });
  const inRow = (fields: object) => (value: unknown) => {
    const page = Object(value);
    return { ...page, results: page.results.map((row: object) => ({ ...row, ...fields })) };
  };

  it('are merged: fields of the row reach the schema, and those of the article win', async () => {
    site.service.replace([{ ...one, tags: ['a'], both: 'article' }]);
    const rewrite = inRow({ date: '2030-01-01', tags: undefined, both: 'row' });
    site.strike('list', { kind: 'rewrite', rewrite });
    for (let build = 0; build < 2; build++) {
      const { failure, entries } = await site.load({}, { schema: dated });
      expect(failure).toBeUndefined();
      expect(entries.get('1')?.data).toMatchObject({
        date: '2030-01-01',
        tags: ['a'],
        both: 'article',
      });
    }
  });
});
