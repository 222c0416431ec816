import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slugOf } from '../../../src/render/slug.ts';

describe('slug', () => {
  it.each([
    ['How tides work', '42', 'how-tides-work-42'],
    ['Café, naïve & Ångström', '7', 'cafe-naive-angstrom-7'],
    ['日本の庭', '10', '日本の庭-10'],
    ['Ёлки и снег', '12', 'ёлки-и-снег-12'],
    ['Don’t panic', '3', 'dont-panic-3'],
    ['🎈', '13', '13'],
    ['', '13', '13'],
    ['<b>"x"</b>', '9', 'b-x-b-9'],
    ['Knots', '550e8400-e29b-41d4-a716-446655440000', 'knots-kmgao3uroy'],
  ])('of %j with id %j is %j', async (title, id, slug) => {
    expect(await slugOf({ id, title })).toBe(slug);
  });

  it('ends in a hash where the id is long or needs encoding', async () => {
    const slug = await slugOf({ id: '550e8400-e29b-41d4-a716-446655440000', title: 'Knots' });
    expect(slug).toMatch(/^knots-[0-9a-z]{10}$/);
    const [path, query] = [
      { id: 'a/b', title: 'Knots' },
      { id: 'a?b', title: 'Knots' },
    ];
    expect(await slugOf(path)).not.toBe(await slugOf(query));
  });

  it('ends at a word where the title is very long', async () => {
    const slug = await slugOf({ id: '1', title: 'word '.repeat(60) });
    expect(slug).toMatch(/^(word-)+1$/);
    expect(slug.length).toBeLessThanOrEqual(82);
  });

  it('is different for any two ids, even with equal titles', async () => {
    const article = fc.record({ id: fc.string({ minLength: 1 }), title: fc.string() });
    await fc.assert(
      fc.asyncProperty(article, article, async (a, b) => {
        fc.pre(a.id !== b.id);
        expect(await slugOf(a)).not.toBe(await slugOf(b));
      }),
    );
  });

  it('needs no escaping in a path, with any title', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        async (id, title) => {
          const slug = await slugOf({ id, title });
          expect(slug).toMatch(/^[\p{L}\p{M}\p{N}]+(-[\p{L}\p{M}\p{N}]+)*$/u);
          expect(new URL(encodeURI(slug), 'https://example.com/').pathname).toBe(
            `/${encodeURI(slug)}`,
          );
        },
      ),
    );
  });
});
