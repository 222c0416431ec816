import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignSlugs, pathKey } from '../../../src/content/slugs.ts';
import type { Notice } from '../../../src/shared/notice.ts';
import { runs } from '../../helpers/runs.ts';

const slug = fc.constantFrom('tides', 'TIDES', 'waves', 'tides-2');
const article = fc.record({
  id: fc.nat({ max: 20 }).map(String),
  title: fc.constantFrom('Tides', 'Waves', ''),
  ownSlug: fc.option(slug, { nil: undefined }),
  lastSlug: fc.option(slug, { nil: undefined }),
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
      const withOwn = given.filter(({ ownSlug }) => ownSlug !== undefined);
      const others = withOwn.filter(({ id, ownSlug }) => slugs.get(id) !== ownSlug);
      expect(notices.map(({ ids }) => ids[1]).toSorted()).toEqual(
        others.map(({ id }) => id).toSorted(),
      );
      for (const { ownSlug = '' } of others) {
        const same = withOwn.filter((each) => pathKey(each.ownSlug ?? '') === pathKey(ownSlug));
        const kept = same.filter((each) => each.ownSlug === each.lastSlug);
        const owner = given.find(({ id }) => slugs.get(id) === kept[0]?.ownSlug);
        if (owner?.ownSlug !== undefined) expect(owner.id).toBe(kept[0]?.id);
        clashes += 1;
      }
    }),
    runs(200),
  );
  expect(clashes).toBeGreaterThan(50);
});
