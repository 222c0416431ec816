import { expect, test, vi } from 'vitest';
import { type ArticleSlugs, planRedirects } from '../../../src/redirects/plan-redirects.ts';

interface Site {
  pages: string[];
  articles: ArticleSlugs[];
  files?: string[];
}

function plan({ pages, articles, files = [] }: Site): string[] {
  const existing = (path: string) => files.includes(path);
  const paths = pages.map((path) => ({ path }));
  return planRedirects({ pages: paths, articles, existing }).map(
    ({ from, to }) => `${from} > ${to}`,
  );
}

const renamed = { slug: 'new-a1', former: ['old-a1'] };

test.each<[string, Site, string[]]>([
  [
    'an article that was never renamed',
    { pages: ['a1/'], articles: [{ slug: 'a1', former: [] }] },
    [],
  ],
  [
    'a page and the pages below it',
    { pages: ['posts/new-a1/', 'posts/new-a1/comments/2/', 'posts/'], articles: [renamed] },
    ['posts/old-a1/ > posts/new-a1/', 'posts/old-a1/comments/2/ > posts/new-a1/comments/2/'],
  ],
  [
    'pages of several languages',
    { pages: ['en/new-a1/', 'fr/new-a1/'], articles: [renamed] },
    ['en/old-a1/ > en/new-a1/', 'fr/old-a1/ > fr/new-a1/'],
  ],
  [
    'paths without a slash at the end',
    { pages: ['new-a1'], articles: [renamed] },
    ['old-a1 > new-a1'],
  ],
  [
    'a slug that is only a part of a segment',
    { pages: ['my-new-a1/', 'new-a1.md'], articles: [renamed] },
    [],
  ],
  ['an existing page', { pages: ['new-a1/', 'old-a1/'], articles: [renamed] }, []],
  [
    'an existing page with another slash',
    { pages: ['new-a1/', 'old-a1'], articles: [renamed] },
    [],
  ],
  ['an existing file', { pages: ['new-a1/'], articles: [renamed], files: ['old-a1/'] }, []],
  [
    'articles that rotate slugs, one of which is free now',
    {
      pages: ['y/', 'z/'],
      articles: [
        { slug: 'y', former: ['x'] },
        { slug: 'z', former: ['y'] },
      ],
    },
    ['x/ > y/'],
  ],
  [
    'two articles in one path',
    {
      pages: ['compare/b-1/d-2/'],
      articles: [
        { slug: 'b-1', former: ['a-1'] },
        { slug: 'd-2', former: ['c-2'] },
      ],
    },
    [
      'compare/a-1/d-2/ > compare/b-1/d-2/',
      'compare/b-1/c-2/ > compare/b-1/d-2/',
      'compare/a-1/c-2/ > compare/b-1/d-2/',
    ],
  ],
  [
    'one article twice in a path',
    { pages: ['new-a1/about/new-a1/'], articles: [renamed] },
    ['old-a1/about/old-a1/ > new-a1/about/new-a1/'],
  ],
  [
    'letters of any script',
    { pages: ['日本-a1/'], articles: [{ slug: '日本-a1', former: ['сад-a1'] }] },
    ['сад-a1/ > 日本-a1/'],
  ],
  [
    'two collections with the same slug, in folders of their own',
    {
      pages: ['news/b-1/', 'posts/b-1/'],
      articles: [
        { slug: 'b-1', former: ['a-1'] },
        { slug: 'b-1', former: [] },
      ],
    },
    ['news/a-1/ > news/b-1/', 'posts/a-1/ > posts/b-1/'],
  ],
  [
    'slugs that would lead out of the site',
    {
      pages: ['posts/new-a1/'],
      articles: [
        {
          slug: 'new-a1',
          former: [
            '..',
            '../../etc-a1',
            '/evil.example-a1',
            '',
            '.',
            'a b',
            'a%2f-a1',
            '\\a1',
            `${'x'.repeat(250)}-a1`,
          ],
        },
      ],
    },
    [],
  ],
  [
    'a path that two articles had, which leads to the one that had it last',
    {
      pages: ['new-b/', 'new-a/'],
      articles: [
        { slug: 'new-b', former: ['shared', 'own-b'] },
        { slug: 'new-a', former: ['shared'] },
      ],
    },
    ['own-b/ > new-b/', 'shared/ > new-a/'],
  ],
  [
    'the newest slugs first',
    {
      pages: ['c/', 'z/'],
      articles: [
        { slug: 'c', former: ['a', 'b'] },
        { slug: 'z', former: ['x', 'y'] },
      ],
    },
    ['b/ > c/', 'y/ > z/', 'a/ > c/', 'x/ > z/'],
  ],
  [
    'slugs of services with `_`, `.` and `--`',
    {
      pages: ['new/'],
      articles: [{ slug: 'new', former: ['old_slug', 'v1.2', 'a--b', '.hidden', 'dot.', 'a/b'] }],
    },
    ['a--b/ > new/', 'v1.2/ > new/', 'old_slug/ > new/'],
  ],
])('%s', (_, site, expected) => {
  expect(plan(site)).toEqual(expected);
});

test('plans 20,000 pages with one pass over the articles and one check per path', () => {
  let reads = 0;
  const articles = Array.from({ length: 20_000 }, (_, id) => ({
    slug: `c-${id}`,
    get former() {
      reads += 1;
      return [`a-${id}`, `b-${id}`];
    },
  }));
  const pages = articles.map(({ slug }) => ({ path: `articles/${slug}/` }));
  const existing = vi.fn(() => false);
  expect(planRedirects({ pages, articles, existing })).toHaveLength(40_000);
  expect(existing).toHaveBeenCalledTimes(40_000);
  expect(reads).toBe(20_000);
});
