import { expect, it } from 'vitest';
import type { Fate } from '../../../src/load/fate.ts';
import type { Load } from '../../../src/load/load.ts';
import { checkFates, checkListing } from '../../../src/load/removal.ts';
import type { Finding } from '../../../src/shared/finding.ts';

const idsOf = (count: number, start = 0) =>
  Array.from({ length: count }, (_, at) => `id-${start + at}`);

/** A load after a build that has shown this many articles. */
function loadAfter(built: number, { allowRemoval = false, gone = 0 } = {}): Load {
  return {
    ...{ options: { allowRemoval }, client: {}, before: new Map(), paths: new Map() },
    ...{ mirror: { index: { built: idsOf(built) } }, gone: new Set(idsOf(gone)) },
  } as unknown as Load;
}

it.each([
  // The articles that a build has shown, and how many of them are listed.
  [0, 0],
  [19, 1],
  [20, 10],
  [21, 11],
  [1, 1],
])('after a build with %i articles, a listing with %i of them is accepted', (built, listed) => {
  expect(() => checkListing(new Set(idsOf(listed)), loadAfter(built))).not.toThrow();
});

it.each([
  [1, 0, 'The service lists no articles. 1 of the 1 articles'],
  [20, 9, 'The service lists 9 articles. 11 of the 20 articles'],
  [21, 1, 'The service lists 1 article. 20 of the 21 articles'],
])(
  'after a build with %i articles, a listing with %i of them is refused',
  (built, listed, words) => {
    const check = (load: Load) => () => checkListing(new Set(idsOf(listed)), load);
    expect(check(loadAfter(built))).toThrow(`${words} that the site shows would disappear.`);
    expect(check(loadAfter(built, { allowRemoval: true }))).not.toThrow();
    expect(check(loadAfter(built, { gone: built }))).not.toThrow();
  },
);

const shown: Fate = { is: 'shown' };
const gone: Fate = { is: 'gone' };
const draft: Fate = { is: 'left out', why: 'draft' };
const unlisted: Fate = { is: 'left out', why: 'not listed' };
const checkOf = (fates: readonly Fate[], built: number, isFull = false) => {
  const ids = new Set(idsOf(fates.length));
  const entries = fates.map((fate, at): [string, Fate] => [`id-${at}`, fate]);
  return () => checkFates(new Map(entries), { ids, isFull } as never, [], loadAfter(built));
};

it('a load that leaves most articles out is refused, and says why', () => {
  const fates = [shown, ...Array.from({ length: 19 }, () => draft), unlisted];
  expect(checkOf(fates, 20)).toThrow(
    'The service lists 20 articles, 19 of them left out as drafts. 19 of the 20 articles',
  );
  expect(checkOf([draft], 0)).toThrow(
    'The service lists 1 article, 1 of them left out as drafts. No article can be shown.',
  );
});

it('before the first build, the articles that the site has published are compared', () => {
  const known = new Map(idsOf(30).map((id) => [id, new Map([[id, 1]])]));
  const fates = new Map(idsOf(30).map((id, at): [string, Fate] => [id, at < 5 ? shown : gone]));
  // A dev server has loaded them.
  const opened = { ...loadAfter(0), before: known, paths: known } as unknown as Load;
  const listing = { ids: new Set(idsOf(5)), isFull: false } as never;
  expect(() => checkFates(fates, listing, [], opened)).toThrow('25 of the 30 articles');
});

it('names the first article that cannot be used', () => {
  const notices: Finding[] = [
    { code: 'slug-taken', ids: ['1'], data: { wanted: 'a', slug: 'b' } },
    { code: 'article', ids: ['2'], text: 'expected text' },
  ];
  const listing = { ids: new Set(['2']), isFull: false } as never;
  const check = () => checkFates(new Map([['2', draft]]), listing, notices, loadAfter(0));
  expect(check).toThrow('left out as drafts (article "2": expected text). No article');
});

it('articles that are older than the newest ones are not removed', () => {
  const fates = idsOf(10).map(() => shown);
  expect(checkOf(fates, 30)).toThrow('20 of the 30 articles');
  expect(checkOf(fates, 30, true)).not.toThrow();
});
