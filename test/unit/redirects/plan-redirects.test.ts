import { expect, test } from 'vitest';
import { joinAddresses } from '../../../src/redirects/history.ts';
import { planRedirects } from '../../../src/redirects/plan-redirects.ts';

/** By current slug: the former ones, with their serials. */
type Former = Record<string, Record<string, number>>;

function plan(pages: readonly string[], ...former: Former[]): string[] {
  const parts = former.map((each) =>
    Object.entries(each).map(([slug, all]) => [slug, new Map(Object.entries(all))] as const),
  );
  return planRedirects(pages, joinAddresses(...parts)).map(({ from, to }) => `${from} > ${to}`);
}

const renamed = { 'new-a1': { 'old-a1': 1 } };

test.each<[string, string[], Former, string[]]>([
  ['an article that was never renamed', ['a1/'], { a1: {} }, []],
  [
    'a page and the pages below it',
    ['posts/new-a1/', 'posts/new-a1/comments/2/', 'posts/'],
    renamed,
    ['posts/old-a1/ > posts/new-a1/', 'posts/old-a1/comments/2/ > posts/new-a1/comments/2/'],
  ],
  [
    'pages of several languages',
    ['en/new-a1/', 'fr/new-a1/'],
    renamed,
    ['en/old-a1/ > en/new-a1/', 'fr/old-a1/ > fr/new-a1/'],
  ],
  ['paths without a slash at the end', ['new-a1'], renamed, ['old-a1 > new-a1']],
  ['a slug that is only a part of a segment', ['my-new-a1/', 'new-a1.md'], renamed, []],
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
    'one article twice in a path',
    ['new-a1/about/new-a1/'],
    renamed,
    ['old-a1/about/old-a1/ > new-a1/about/new-a1/'],
  ],
  [
    'a former slug that is the current one of another collection',
    ['b/c/'],
    { b: { c: 1 }, c: { d: 2 } },
    ['b/d/ > b/c/', 'c/c/ > b/c/', 'c/d/ > b/c/'],
  ],
  ['letters of any script', ['日本-a1/'], { '日本-a1': { 'сад-a1': 1 } }, ['сад-a1/ > 日本-a1/']],
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
])('%s', (_, pages, former, expected) => {
  expect(plan(pages, former)).toEqual(expected);
});

test('two collections with the same slug, in folders of their own', () => {
  expect(plan(['news/b/', 'posts/b/'], { b: { a: 1 } }, { b: {} })).toEqual([
    'news/a/ > news/b/',
    'posts/a/ > posts/b/',
  ]);
});

test('a path that two articles had leads to the one that had it last', () => {
  const [first] = plan(['new-a/', 'new-b/'], { 'new-a': { x: 5 } }, { 'new-b': { x: 7 } });
  expect(first).toBe('x/ > new-b/');
});

test('a page has at most 1,000 paths, its current one and the newest others', () => {
  const many = (name: string) =>
    Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`${name}${at}`, at + 1]));
  const redirects = plan(['b/d/'], { b: many('a'), d: many('c') });
  expect(redirects).toHaveLength(999);
  expect(redirects[0]).toBe('a4999/d/ > b/d/');
});

test('20,000 pages with two former slugs each have 40,000 redirects', () => {
  const ids = Array.from({ length: 20_000 }, (_, id) => id);
  const former = new Map(
    ids.map((id) => [
      `c-${id}`,
      new Map([
        [`a-${id}`, 1],
        [`b-${id}`, 2],
      ]),
    ]),
  );
  const pages = ids.map((id) => `articles/c-${id}/`);
  expect(planRedirects(pages, former)).toHaveLength(40_000);
});
