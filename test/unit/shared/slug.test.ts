import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idOf, isSlug, ownSlug, slugOf } from '../../../src/shared/slug.ts';

// Few words, so that an id often equals the title and the id of another article.
const words = fc
  .array(fc.constantFrom('a', 'b', '1', '9z', '٤', 'Ü', 'ü', '日', 'hello', 'é', ''), {
    maxLength: 4,
  })
  .map((parts) => parts.join('-'));
const plain = fc.stringMatching(/^[a-z]{0,4}\d[a-z\d]{0,6}$/);
const text = fc.oneof(words, words, plain, fc.nat().map(String), fc.uuid(), fc.string());

describe('slug', () => {
  it.each([
    ['How tides work', '42', 'how-tides-work-42'],
    ['Café, naïve & Ångström', '7', 'cafe-naive-angstrom-7'],
    ['日本の庭', '10', '日本の庭-10'],
    ['Don’t panic', '3', 'dont-panic-3'],
    ["Don't panic", '3', 'dont-panic-3'],
    ['Don‘t panic', '3', 'dont-panic-3'],
    ['❤\ufe0f Love letters', '6', 'love-letters-6'],
    ['1\ufe0f\u20e3 First step', '6', '1-first-step-6'],
    ['Donau\u00addampf\u00adschiff', '6', 'donaudampfschiff-6'],
    ['क्या है', '4', 'क्या-है-4'],
    ['𐐨'.repeat(60), '6', `${'𐐨'.repeat(39)}-6`],
    [`${'a'.repeat(70)} ${'b'.repeat(8)}`, '6', `${'a'.repeat(70)}-${'b'.repeat(8)}-6`],
    [`${'a'.repeat(70)} ${'b'.repeat(9)}`, '6', `${'a'.repeat(70)}-6`],
    ['🎈', '13', '13'],
    ['Knots', '550e8400-e29b-41d4-a716-446655440000', 'knots-kmgao3uroy'],
    ['Hello, world', 'hello-world', 'hello-world'],
    ['', '2024-05-01-日本の庭', '2024-05-01-日本の庭'],
    ['Über uns', 'über-uns', 'uber-uns-7m53uc195x'],
    ['Hello', 'Hello-World', 'hello-txquc4e0no'],
    ['Ten', 'top-10', 'ten-9ep58auym8'],
    ['Start', 'index', 'start-xnrtk9vfpi'],
    ['Hello', 'posts/hello-world', 'hello-o8z63p0w6w'],
  ])('of %j with id %j is %j', async (title, id, slug) => {
    expect(await slugOf({ id, title })).toBe(slug);
  });

  const unusable = [
    ...['..', 'a/b', 'a.html', 'A.HTM', '_redirects', '_drafts'],
    ...['robots.txt', 'sitemap-index.xml', 'favicon.svg', 'tides.tar.gz', 'Song.MP3', 'node.js'],
  ];
  it.each(unusable)('of the service is never %j', (slug) => {
    expect(ownSlug({ slug })).toBeUndefined();
  });

  it.each([undefined, null, 7, true, ['tides']])(
    'of the service is never %j, which is no text',
    (slug) => {
      expect(ownSlug({ slug })).toBeUndefined();
    },
  );

  // Names that Astro, hosts or Windows treat in a special way.
  it.each(['index', '404', '500', 'cname', 'con', 'prn', 'aux', 'nul'])(
    'of the service is never the reserved name %s',
    (name) => {
      for (const slug of [name, name.toUpperCase(), `${name}.1`])
        expect(ownSlug({ slug })).toBeUndefined();
    },
  );

  it.each(['index', 'cname', 'con', 'prn', 'aux', 'nul'])(
    'of an article with the reserved name %s as id has another word',
    async (id) => {
      expect(await slugOf({ id, title: 'Tides' })).toMatch(/^tides-[a-z\d]{10}$/);
      expect(idOf(id)).toBeUndefined();
    },
  );

  it.each(['release-2.0', 'v1.2-and-later', '3.14', 'node.js-basics', 'names', 'indexes', 'html'])(
    'of the service may be %j',
    (slug) => {
      expect(ownSlug({ slug })).toBe(slug);
    },
  );

  it('of the service is not a name of a file, and the history may have each of these names', () => {
    let files = 0;
    const extension = fc.stringMatching(/^[a-zA-Z][a-zA-Z\d]{0,5}$/);
    const name = fc.stringMatching(/^[a-z\d][a-z\d.-]{0,8}[a-z\d]$/);
    fc.assert(
      fc.property(name, extension, (start, end) => {
        const slug = `${start}.${end}`;
        expect(ownSlug({ slug })).toBeUndefined();
        expect(isSlug(slug)).toBe(true);
        files += 1;
      }),
    );
    expect(files).toBe(100);
  });

  it.each(['_', '~', '٤', 'a\u0301', 'a.b', 'a-'])(
    'may have the letters, digits and signs of %j',
    (slug) => expect(isSlug(slug)).toBe(true),
  );

  it.each(['', '.', '.a', 'a.', 'a b', 'a/b', 'a%b', 'a\\b', 'a?', 'x'.repeat(251)])(
    'may not be %j',
    (slug) => expect(isSlug(slug)).toBe(false),
  );

  it('of the service has the form in which Astro writes paths', () => {
    expect(ownSlug({ slug: 'cafe\u0301' })).toBe('caf\u00e9');
    expect(ownSlug({ slug: `a${'\u0958'.repeat(83)}` })).toBeUndefined();
  });

  it('is different for any two ids, even with equal titles', async () => {
    const article = fc.record({ id: text.filter((id) => id !== ''), title: text });
    let readable = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(article, { maxLength: 12 }), async (articles) => {
        const byId = new Map(articles.map((each) => [each.id, each]));
        const own = await Promise.all([...byId.values()].map(slugOf));
        readable += own.filter((slug) => byId.has(slug)).length;
        // Of one article, its slug is the id of another one, too.
        const all = new Map(byId);
        for (const slug of own) all.set(slug, { id: slug, title: 'a' });
        const slugs = await Promise.all([...all.values()].map(slugOf));
        expect(new Set(slugs).size).toBe(all.size);
      }),
      { numRuns: 500 },
    );
    expect(readable).toBeGreaterThan(0);
  });
});

describe('the id of a slug', () => {
  it.each([
    ['how-tides-work-42', '42'],
    ['hello-world', 'hello-world'],
    ['2024-05-01-日本の庭', '2024-05-01-日本の庭'],
    ['tides-a1b2c3d4e', 'a1b2c3d4e'],
    ['knots-kmgao3uroy', undefined],
    ['how-tides-work-1234567890', undefined],
    ['index', undefined],
    ['', undefined],
    ['../42', undefined],
    ['tides-٤٢', undefined],
    ['Tides-x', undefined],
    ['tides-42.md', undefined],
  ])('of %j is %j', (slug, id) => {
    expect(idOf(slug)).toBe(id);
  });

  it('is that of its article with any title, or none: never that of another article', async () => {
    const reached = { read: 0, hashed: 0 };
    await fc.assert(
      fc.asyncProperty(text, text, text, async (id, title, later) => {
        fc.pre(id !== '');
        const slug = await slugOf({ id, title });
        const found = idOf(slug);
        if (found === undefined) expect(slug).toMatch(/(?:^|-)[a-z\d]{10}$/);
        else expect(found).toBe(id);
        // Whether an id can be read does not depend on the title.
        expect(idOf(await slugOf({ id, title: later }))).toBe(found);
        reached[found === undefined ? 'hashed' : 'read'] += 1;
      }),
      { numRuns: 2_000 },
    );
    for (const [kind, times] of Object.entries(reached)) expect(times, kind).toBeGreaterThan(200);
  });
});
