import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SlugHistory } from '../../../src/redirects/history.ts';
import { planRedirects } from '../../../src/redirects/plan-redirects.ts';
import { route } from '../../helpers/routes.ts';
import { runs } from '../../helpers/runs.ts';

/** By current slug: the former ones, with their serials. */
type Former = Record<string, Record<string, number>>;

const slugsOf = (former: Former): SlugHistory =>
  new Map(Object.entries(former).map(([slug, each]) => [slug, new Map(Object.entries(each))]));

/** Plans the redirects of some collections, by name. */
function planOf(pages: readonly string[], collections: Record<string, Former>): string[] {
  const former = Object.entries(collections).map(([name, each]) => [name, slugsOf(each)] as const);
  return planRedirects(pages, new Map(former), []).map(({ from, to }) => `${from} > ${to}`);
}

const plan = (pages: readonly string[], former: Former) => planOf(pages, { articles: former });

const once = { 'new-a1': { 'old-a1': 1 } };

test.each<[string, string[], Former, string[]]>([
  ['an article that was never renamed', ['a1/'], { a1: {} }, []],
  [
    'a page and the pages below it',
    ['posts/new-a1/', 'posts/new-a1/comments/2/', 'posts/'],
    once,
    ['posts/old-a1/ > posts/new-a1/', 'posts/old-a1/comments/2/ > posts/new-a1/comments/2/'],
  ],
  ['a slug that is only a part of a segment', ['my-new-a1/', 'new-a1.md'], once, []],
  [
    'two articles in one path',
    ['compare/b-1/d-2/'],
    { 'b-1': { 'a-1': 1 }, 'd-2': { 'c-2': 2 } },
    [
      'compare/b-1/c-2/ > compare/b-1/d-2/',
      'compare/a-1/c-2/ > compare/b-1/d-2/',
      'compare/a-1/d-2/ > compare/b-1/d-2/',
    ],
  ],
  [
    'the newest paths first',
    ['c/', 'z/'],
    { c: { a: 1, b: 4 }, z: { x: 2, y: 3 } },
    ['b/ > c/', 'y/ > z/', 'x/ > z/', 'a/ > c/'],
  ],
  [
    'paths of equal age by code points',
    ['ä/', 'z/'],
    { z: { x: 1, ı: 1, I: 1 }, ä: { y: 1 } },
    ['I/ > z/', 'x/ > z/', 'ı/ > z/', 'y/ > ä/'],
  ],
])('the redirects of %s', (_, pages, former, expected) => {
  expect(plan(pages, former)).toEqual(expected);
});

test.each<[string, string[], Record<string, Former>, string[]]>([
  [
    'each language lead to the article of its collection, and never to one with an equal slug',
    ['de/pricing/', 'de/kosten/', 'en/pricing/'],
    {
      de: { pricing: {}, kosten: { costs: 1 } },
      en: { pricing: { costs: 7, prices: 8 } },
    },
    ['de/costs/ > de/kosten/', 'en/prices/ > en/pricing/', 'en/costs/ > en/pricing/'],
  ],
  [
    'the default language, which has no prefix',
    ['pricing/', 'about/', 'de/pricing/', 'de/kosten/'],
    {
      german: { pricing: { preise: 2 }, kosten: { costs: 1 } },
      english: { pricing: { costs: 1 }, about: {} },
    },
    ['de/preise/ > de/pricing/', 'costs/ > pricing/', 'de/costs/ > de/kosten/'],
  ],
  [
    'two collections at one level lead to the articles of both',
    ['tides/', 'storms/', 'harbour/'],
    {
      articles: { tides: { 'high-tides': 4 }, storms: {} },
      news: { harbour: { port: 9, docks: 8 } },
    },
    ['port/ > harbour/', 'high-tides/ > tides/', 'docks/ > harbour/'],
  ],
  [
    'both of two collections at one level lead to the article of the one that has more pages there',
    ['tides/', 'storms/', 'harbour/'],
    {
      articles: { tides: { old: 1, 'high-tides': 9 }, storms: {} },
      news: { harbour: { old: 5 } },
    },
    ['high-tides/ > tides/', 'old/ > tides/'],
  ],
  [
    'collections with the same slugs at their places belong to the collection that the path names',
    ['de/a/', 'de/b/', 'en/a/', 'en/b/'],
    {
      de: { a: { old: 1 }, b: {} },
      en: { a: {}, b: { old: 5 } },
    },
    ['de/old/ > de/a/', 'en/old/ > en/b/'],
  ],
  [
    'a place with fewer articles, too, where it shows not which collection they are of',
    ['2024/a/', '2025/b/', 'en/a/'],
    {
      german: { a: { c: 1 }, b: { d: 2 } },
      english: { a: { e: 1 } },
    },
    [
      '2024/e/ > 2024/a/',
      '2025/d/ > 2025/b/',
      'en/e/ > en/a/',
      '2024/c/ > 2024/a/',
      'en/c/ > en/a/',
    ],
  ],
  [
    'two pages that may have had one path lead to the first one',
    ['b/c/', 'a/d/'],
    { articles: { b: { a: 1 }, d: { c: 1 } } },
    ['a/c/ > a/d/'],
  ],
  [
    'two collections in one path',
    ['ann/sea/'],
    { authors: { ann: { anna: 3 } }, articles: { sea: { ocean: 1 } } },
    ['ann/ocean/ > ann/sea/', 'anna/ocean/ > ann/sea/', 'anna/sea/ > ann/sea/'],
  ],
  [
    'a former slug that is the current one of another collection',
    ['b/c/'],
    { one: { b: { c: 1 } }, two: { c: { d: 2 } } },
    ['b/d/ > b/c/', 'c/c/ > b/c/', 'c/d/ > b/c/'],
  ],
])('the former paths of %s', (_, pages, collections, expected) => {
  expect(planOf(pages, collections)).toEqual(expected);
  const reversed = Object.fromEntries(Object.entries(collections).reverse());
  expect(planOf(pages.toReversed(), reversed)).toEqual(expected);
});

test('a former path leads to the article that had it, for any collections, each in its folder', () => {
  const counts = { led: 0, shared: 0 };
  const slug = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  // By id: a current slug, and former ones. No two articles of a collection have had one slug.
  const collection = fc
    .uniqueArray(slug, { minLength: 1, maxLength: 6 })
    .chain((slugs) =>
      fc.tuple(fc.constant(slugs), fc.array(fc.nat(2), { minLength: 6, maxLength: 6 })),
    )
    .map(([slugs, owners]) => {
      const former: Former = {};
      for (const [at, each] of slugs.entries()) {
        const [owner = ''] = Object.keys(former).slice(owners[at] ?? 0);
        if (at < 2 || owner === '') former[each] = {};
        else former[owner] = { ...former[owner], [each]: at };
      }
      return former;
    });
  fc.assert(
    fc.property(collection, collection, (de, en) => {
      const pages = Object.entries({ de, en }).flatMap(([name, each]) =>
        Object.keys(each).map((current) => `${name}/${current}/`),
      );
      const planned = planOf(pages, { de, en });
      for (const [name, each] of Object.entries({ de, en })) {
        for (const [current, former] of Object.entries(each)) {
          for (const old of Object.keys(former)) {
            expect(planned).toContain(`${name}/${old}/ > ${name}/${current}/`);
            counts.led += 1;
          }
          if (current in de && current in en) counts.shared += 1;
        }
      }
    }),
    { numRuns: 300 },
  );
  expect(counts.led).toBeGreaterThan(200);
  expect(counts.shared).toBeGreaterThan(200);
});

test('a page has at most 1,000 paths, its current one and the newest others', () => {
  const many = (name: string) =>
    Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`${name}${at}`, at + 1]));
  const redirects = plan(['b/d/'], { b: many('a'), d: many('c') });
  expect(redirects).toHaveLength(999);
  expect(redirects[0]).toBe('b/c4999/ > b/d/');
});

const words = ['a', 'b', 'login', 'posts', 'v-1'];
const parameters = ['[slug]', '[...rest]', 'v-[n]'];
const anyWord = fc.constantFrom(...words);
const anyPath = fc.array(anyWord, { minLength: 1, maxLength: 3 }).map((path) => path.join('/'));
const anyPattern = fc.array(fc.constantFrom(...words, ...parameters), {
  minLength: 1,
  maxLength: 3,
});
const anyFormer = fc.dictionary(anyWord, fc.dictionary(anyWord, fc.integer({ min: 1, max: 5 })));

/** Whether a path fits the segments of a route, as Astro's guide about routing describes them. */
function fits([segment, ...others]: string[], [part, ...parts]: string[]): boolean {
  if (segment === '[...rest]') {
    return (
      fits(others, part === undefined ? [] : [part, ...parts]) ||
      (part !== undefined && fits([segment, ...others], parts))
    );
  }
  if (segment === undefined || part === undefined) return segment === part;
  const isMatch =
    segment === 'v-[n]' ? /^v-./.test(part) : segment === '[slug]' || segment === part;
  return isMatch && fits(others, parts);
}

test('redirects and the paths of other routes never meet, for any slugs and routes', () => {
  let checked = 0;
  fc.assert(
    fc.property(
      fc.uniqueArray(anyPath, { maxLength: 4 }),
      anyFormer,
      fc.array(anyPattern, { maxLength: 4 }),
      fc.constantFrom('', '/'),
      (pages, former, patterns, slash) => {
        const paths = pages.map((path) => path + slash);
        const plan = (given: string[][]) =>
          planRedirects(
            paths,
            new Map([['articles', slugsOf(former)]]),
            given.map((pattern) => route(`/${pattern.join('/')}`)),
          );
        const isFree = ({ from, to }: { from: string; to: string }) => {
          const partsOf = (path: string) => path.replace(/\/$/, '').split('/');
          const ofFormer = patterns.filter((pattern) => fits(pattern, partsOf(from)));
          const isShared = (pattern: string[]) =>
            pattern.some((segment) => parameters.includes(segment)) && fits(pattern, partsOf(to));
          return ofFormer.every(isShared);
        };
        const planned = plan(patterns);
        expect(planned.filter((redirect) => !isFree(redirect))).toEqual([]);
        const from = planned.map((redirect) => redirect.from);
        const free = plan([]).filter(isFree);
        expect(from).toEqual(expect.arrayContaining(free.map((redirect) => redirect.from)));
        checked += free.length;
      },
    ),
    runs(300),
  );
  expect(checked).toBeGreaterThan(100);
});
