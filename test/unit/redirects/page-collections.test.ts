import { expect, test } from 'vitest';
import { findCollections, placeOf } from '../../../src/redirects/page-collections.ts';

const collectionsOf = (pages: readonly string[], slugs: Record<string, readonly string[]>) => {
  const former = Object.entries(slugs).map(
    ([name, current]) => [name, new Map(current.map((slug) => [slug, new Map()]))] as const,
  );
  return Object.fromEntries(findCollections(pages, new Map(former)));
};

test('the place of a page is its path without one segment', () => {
  expect(placeOf(['de', 'tides', ''], 1)).toBe('de/*/');
});

test.each<[string, string[], Record<string, string[]>, Record<string, string[]>]>([
  ['no article', ['about/'], { a: ['tides'] }, {}],
  ['articles of one collection', ['tides/'], { a: ['tides'] }, { '*/': ['a'] }],
  [
    'different articles of two collections',
    ['tides/', 'storms/'],
    { a: ['tides'], b: ['storms'] },
    { '*/': ['a', 'b'] },
  ],
  [
    'equal slugs, and a further one of the second collection',
    ['pricing/', 'kosten/'],
    { en: ['pricing', 'about'], de: ['pricing', 'kosten'] },
    { '*/': ['de'] },
  ],
  [
    'equal slugs, and the name of one collection in the path',
    ['de/pricing/'],
    { en: ['pricing'], de: ['pricing'] },
    { 'de/*/': ['de'] },
  ],
  [
    'equal slugs, and the name of one collection in the paths of both',
    ['articles/pricing/', 'de/articles/pricing/'],
    { articles: ['pricing'], artikel: ['pricing'] },
    { 'articles/*/': ['articles'], 'de/articles/*/': ['artikel', 'articles'] },
  ],
  [
    'equal slugs, and the name of one collection in the shorter path of both',
    ['a/news/pricing/', 'news/pricing/'],
    { news: ['pricing'], neu: ['pricing'] },
    { 'news/*/': ['news'], 'a/news/*/': ['neu', 'news'] },
  ],
  [
    'equal slugs, and the name of one collection as a part of a word',
    ['guides/pricing/'],
    { en: ['pricing'], de: ['pricing'] },
    { 'guides/*/': ['de', 'en'] },
  ],
  [
    'an equal slug that is the only one of the second collection',
    ['a/'],
    { de: ['a', 'b'], en: ['a'] },
    { '*/': ['en', 'de'] },
  ],
])('a place with %s', (_, pages, slugs, places) => {
  expect(collectionsOf(pages, slugs)).toEqual(places);
  const reversed = Object.fromEntries(Object.entries(slugs).toReversed());
  expect(collectionsOf(pages, reversed)).toEqual(places);
});
