import { expect, test } from 'vitest';
import { liveThrough, type YearBuild } from './years.ts';

const pages = (given: YearBuild['pages'], more: Omit<YearBuild, 'pages'> = {}): YearBuild => ({
  pages: given,
  ...more,
});

/** Two builds of 24 articles, of which the service then gives each another id. */
const manyIds = (prefix: string, first: string): YearBuild['pages'] => ({
  ...Object.fromEntries(
    Array.from({ length: 24 }, (_, at) => [`${prefix}${at + 1}`, `posts/s-${at + 1}`]),
  ),
  [`${prefix}1`]: `posts/${first}`,
});
const formerIds = Object.keys(manyIds('', ''));

test.each<[what: string, builds: YearBuild[], redirects: Record<string, string>]>([
  [
    'an article is renamed twice',
    [pages({ 1: 'x/a' }), pages({ 1: 'x/b' }), pages({ 1: 'x/c' })],
    { 'x/a': 'x/c', 'x/b': 'x/c' },
  ],
  [
    'two articles exchange their slugs',
    [pages({ 1: 'x/a', 2: 'x/b' }), pages({ 1: 'x/b', 2: 'x/a' })],
    {},
  ],
  [
    'an article is renamed and back',
    [pages({ 1: 'p/a' }), pages({ 1: 'p/b' }), pages({ 1: 'p/a' })],
    { 'p/b': 'p/a' },
  ],
  [
    'a slug is given on, and its second article is renamed',
    [pages({ 1: 'x/a' }), pages({ 1: 'x/b', 2: 'x/a' }), pages({ 1: 'x/b', 2: 'x/c' })],
    { 'x/a': 'x/c' },
  ],
  [
    'a slug is given on, and its second article is shown on demand',
    [pages({ 1: 'x/a' }), pages({ 1: 'x/b', 2: 'x/a' }), pages({ 1: 'x/b' }, { onDemand: ['2'] })],
    {},
  ],
  [
    'an article is gone, and another one takes its slug',
    [
      pages({ 1: 'posts/alpha' }),
      pages({ 1: 'posts/beta' }),
      pages({ 2: 'posts/alpha' }, { gone: ['1'] }),
    ],
    {},
  ],
  [
    'an article is unpublished, its slug is given to another one, and it is back with another slug',
    [
      pages({ 1: 'posts/old' }),
      pages({ 1: 'posts/hello' }),
      pages({ 2: 'posts/hello' }, { gone: ['1'] }),
      pages({ 2: 'posts/hello', 1: 'posts/hello-1' }),
    ],
    { 'posts/old': 'posts/hello-1' },
  ],
  [
    'each article has two pages, and is renamed',
    [pages({ 1: ['posts/a', 'amp/a'] }), pages({ 1: ['posts/b', 'amp/b'] })],
    { 'posts/a': 'posts/b', 'amp/a': 'amp/b' },
  ],
  ['each article gets a second page', [pages({ 1: 'x/a' }), pages({ 1: ['x/a', 'print/a'] })], {}],
  [
    'the second page of an article goes',
    [pages({ 1: ['x/a', 'print/a'] }), pages({ 1: 'x/a' })],
    { 'print/a': 'x/a' },
  ],
  [
    'the service gives new ids, and then an article is renamed',
    [
      pages({ 1: 'posts/alpha' }),
      pages({ 1: 'posts/beta' }),
      pages({ 'u-77': 'posts/beta' }),
      pages({ 'u-77': 'posts/gamma' }),
    ],
    { 'posts/alpha': 'posts/gamma', 'posts/beta': 'posts/gamma' },
  ],
  [
    'the service gives new ids to articles with two pages',
    [
      pages({ 1: ['posts/old', 'amp/old'] }),
      pages({ 1: ['posts/b', 'amp/b'] }),
      pages({ u: ['posts/b', 'amp/b'] }),
    ],
    { 'posts/old': 'posts/b', 'amp/old': 'amp/b' },
  ],
  [
    'the service gives new ids to articles with two pages, of which one goes later',
    [
      pages({ 1: ['a', 'posts/a'] }),
      pages({ 1: ['b', 'posts/b'] }),
      pages({ u: 'posts/b' }),
      pages({ u: 'posts/c' }),
    ],
    { a: 'posts/c', b: 'posts/c', 'posts/a': 'posts/c', 'posts/b': 'posts/c' },
  ],
  [
    'the service gives 24 new ids, which needs ARTICLES_ALLOW_REMOVAL, and the cache is lost',
    [
      pages(manyIds('', 's-1')),
      pages(manyIds('', 't-1')),
      pages(manyIds('u-', 't-1'), { gone: formerIds, mayRemove: true }),
      pages(manyIds('u-', 't-1'), { gone: formerIds, isLost: true }),
    ],
    { 'posts/s-1': 'posts/t-1' },
  ],
  [
    'the service gives new ids and new slugs at once',
    [pages({ 1: 'posts/alpha' }), pages({ 'u-77': 'posts/beta' })],
    {},
  ],
  [
    'a collection is split, and its pages move in the same build',
    [
      pages({ 1: 'posts/alpha', 2: 'posts/two' }),
      pages({ 'guides/1': 'guides/alpha', 2: 'posts/two' }),
    ],
    {},
  ],
  [
    'two languages have equal slugs, of a folder without the name of a collection, and the older article is renamed',
    [
      pages({ 'notizen/1': 'de/tides' }),
      pages({ 'notizen/1': 'de/tides', 'blog/1': 'blog/tides' }),
      pages({ 'notizen/1': 'de/gezeiten', 'blog/1': 'blog/tides' }),
    ],
    { 'de/tides': 'de/gezeiten' },
  ],
  [
    'two languages have equal slugs, and one has two pages of each article, of which the shorter path moves',
    [
      pages({ 'de/1': 'de/pricing', 'fr/1': ['fr/pricing', 'fr/print/pricing'] }),
      pages({ 'de/1': 'de/pricing', 'fr/1': ['fr/blog/pricing', 'fr/print/pricing'] }),
    ],
    { 'fr/pricing': 'fr/blog/pricing' },
  ],
  [
    'an article has the name of a language, and another one is renamed in both languages',
    [pages({ 1: ['a', 'de/a'], 2: ['de'] }), pages({ 1: ['a2', 'de/a2'], 2: ['de'] })],
    { a: 'a2', 'de/a': 'de/a2' },
  ],
  [
    'the page of a tag with the slug of an article goes',
    [
      pages({ 1: 'posts/sea' }, { others: ['tags/sea', 'tags/wind', 'tags/storm'] }),
      pages({ 1: 'posts/sea' }, { others: ['tags/wind', 'tags/storm'] }),
    ],
    {},
  ],
  [
    'the page of a tag is below the page of an article, which is renamed',
    [
      pages({ 1: ['posts/tide'], 2: ['posts/sea'] }, { others: ['posts/tide/sea'] }),
      pages({ 1: ['posts/tides'], 2: ['posts/sea'] }, { others: ['posts/tides/sea'] }),
    ],
    { 'posts/tide': 'posts/tides', 'posts/tide/sea': 'posts/tides/sea' },
  ],
  [
    'the slug of an article is its folder, and the pages move',
    [pages({ 1: 'blog/blog', 2: 'blog/zeta' }), pages({ 1: 'notes/blog', 2: 'notes/zeta' })],
    { 'blog/blog': 'notes/blog', 'blog/zeta': 'notes/zeta' },
  ],
])('former URLs lead to the page of their article when %s', (_, builds, expected) => {
  expect(liveThrough(builds).redirects).toEqual(expected);
});

test('a build with drafts publishes no path of a draft', () => {
  const draft = pages({ 1: 'posts/secret-title' }, { isPreview: true });
  const { texts } = liveThrough([pages({ 1: 'posts/alpha' }), draft, pages({ 1: 'posts/beta' })]);
  expect(texts.join()).not.toContain('secret-title');
});

test.each([true, false])(
  'nothing of an article that was taken down is published after a build with ARTICLES_ALLOW_REMOVAL; without the cache: %j',
  (isLost) => {
    const gone = ['1'];
    const taken = { 2: 'posts/hello' };
    const { redirects, texts } = liveThrough([
      pages({ 1: 'posts/secret' }),
      pages({ 1: 'posts/hello' }),
      pages(taken, { gone }),
      pages(taken, { gone, isLost, mayRemove: true }),
      pages(taken, { gone, isLost }),
    ]);
    expect(redirects).toEqual({});
    expect(texts[2]).toContain('secret');
    for (const text of texts.slice(3)) expect(text).not.toContain('secret');
  },
);

test('builds that change no page publish the same bytes', () => {
  const year = [
    pages({ 'authors/1': 'ada', 1: 'ada/tide' }),
    pages({ 'authors/1': 'ada', 1: 'ada/tide', 2: 'ada/wind' }),
    pages({ 'authors/1': 'ada', 'guides/7': 'x/same', 'news/7': 'x/same', 1: 'ada/tide' }),
  ];
  for (const last of year) {
    const { texts } = liveThrough([...year, last, last, last, last, last]);
    expect(new Set(texts.slice(-5)).size).toBe(1);
  }
});

test('a history in which articles had each other’s paths in a ring leads nowhere, and ends', () => {
  const ring = [
    pages({ 1: 'x/a', 2: 'x/b', 3: 'x/c' }),
    pages({ 1: 'x/b', 2: 'x/c', 3: 'x/a' }),
    pages({ 4: 'y/d' }),
  ];
  expect(liveThrough(ring).redirects).toEqual({});
});
