import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignSlugs, pathKey } from '../../../src/content/slugs.ts';
import type { Notice } from '../../../src/shared/notice.ts';
import { runs } from '../../helpers/runs.ts';

const slug = fc.constantFrom('tides', 'TIDES', 'waves', 'tides-2');
const article = fc.record({
  id: fc.nat({ max: 20 }).map(String),
  title: fc.constantFrom('Tides', 'Waves', ''),
  ownSlug: fc.option(slug, { nil: '' }),
  hasPage: fc.boolean(),
});

test('each article has a slug of its own, and keeps that of its page; a notice names the others', async () => {
  let clashes = 0;
  const articles = fc.uniqueArray(article, { selector: ({ id }) => id });
  await fc.assert(
    fc.asyncProperty(articles, async (given) => {
      const notices: Notice[] = [];
      const slugs = await assignSlugs(given, notices);
      expect([...slugs.keys()].toSorted()).toEqual(given.map(({ id }) => id).toSorted());
      expect(new Set([...slugs.values()].map(pathKey)).size).toBe(given.length);
      const withOwn = given.filter(({ ownSlug }) => ownSlug);
      const named = notices.flatMap(({ ids }) => ids[1] ?? []);
      for (const { id, ownSlug } of withOwn) {
        if (slugs.get(id) === ownSlug) continue;
        expect(named).toContain(id);
        const key = pathKey(ownSlug);
        const kept = withOwn.find((each) => each.hasPage && pathKey(each.ownSlug) === key);
        if (kept) expect(slugs.get(kept.id)).toBe(kept.ownSlug);
        clashes += 1;
      }
    }),
    runs(200),
  );
  expect(clashes).toBeGreaterThan(50);
});
