import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { articleSchema } from '../../src/content/schema.ts';
import { filesBelow } from '../helpers/mirror-folder.ts';
import { runs } from '../helpers/runs.ts';
import { allowRemoval, offline, servedBy, shownIn, useSite } from '../helpers/use-site.ts';

const site = useSite(allowRemoval);

const frontMatter = '---\ntitle: other\n---\n';
const long = ['𐐷', '漢', 'a', '👩‍👩‍👧‍👦', 'é̂̃'].map((part) => part.repeat(500 / part.length));
// Astro's store leaves out an empty body, and an article without a title or content is a draft.
const text = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    fc.constantFrom(`${frontMatter}\nx`, '\ufeffBOM', 'U+2028 \u2028', '</script><!--', ...long),
  )
  .filter((value) => value.trim() !== '');
const names =
  '__proto__ constructor toString index 404 0 -1 CON %2e%2e%2f ../../etc a/b\\c:d*e?f"g<h>i|j';
/** Spellings that some file systems and hosts do not distinguish. */
const spellings = 'abc ABC Abc é e\u0301 É ß ss ﬁ fi Ⅷ viii';
const id = fc.oneof(
  fc.integer(),
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
  fc.constantFrom(...`${names} ${spellings}`.split(' '), ...long),
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
  it('are shown verbatim at safe paths, and cost no request, rendering or write while unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(articles, rowUses, async (all, rows) => {
        const usable = all.filter((each) => isUsableId(String(each.id)));
        site.service.replace(usable);
        const options = { rows, sanitize: true };
        const load = await site.load(options, { schema: passing });
        expect(load.failure).toBeUndefined();
        const served = servedBy(site.service).map((each) => {
          return { ...each, body: String(each.body).replace(frontMatter, '') };
        });
        expect(shownIn(load)).toEqual(served);
        const slugs = Array.from(load.entries.values(), ({ data }) => String(data.slug));
        for (const slug of slugs) {
          expect(slug).toMatch(/^[\p{L}\p{M}\p{N}_-]{1,250}$/u);
          expect(Buffer.byteLength(slug)).toBeLessThanOrEqual(250);
          expect(slug).toBe(slug.normalize('NFC'));
        }
        const folded = slugs.map((slug) => slug.normalize('NFKC').toLowerCase());
        expect(new Set(folded).size).toBe(usable.length);
        for (const name of await filesBelow(load.context.mirrors))
          expect(name).toMatch(/^articles-[0-9a-f]+\/(?!.*\.\.)[\w./-]+$/);

        site.service.clearRequests();
        const again = await site.load(options, { schema: passing });
        expect(site.service.count('article')).toBe(0);
        expect(again.context.storeText()).toBe(load.context.storeText());
        // As after Astro has cleared its store.
        const kept = await site.load(options, { schema: passing, inMemory: true, ...offline });
        expect(kept.entries).toEqual(load.entries);
      }),
      runs(20),
    );
  });
});

/** Ids that cannot be a segment of a path are problems of their rows. */
function isUsableId(value: string): boolean {
  return value.isWellFormed() && !/\p{Cc}|^\.{1,2}$/u.test(value);
}
