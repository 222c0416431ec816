import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { decodeListed, type Row } from '../../../../src/client/article.ts';
import type { ListedArticle } from '../../../../src/client/index.ts';
import type { ListingPage } from '../../../../src/client/listing/page.ts';
import { concludeReading, readListing } from '../../../../src/client/listing/reading.ts';
import { type RequestPage, type Walk, walk } from '../../../../src/client/listing/walk.ts';
import { ArticlesListingError, articleNotice } from '../../../../src/errors.ts';
import { isLong, runs } from '../../../helpers/runs.ts';

const everySign = ['both', 'count', 'next', 'nothing', 'own count'] as const;

interface Listing {
  /** From the newest article to the oldest one. */
  ids: string[];
  /** The maximum number of rows on a page. */
  clamp?: number;
  /** What a page reports: `count` and `next`, one of them, none, or its own rows as `count`. */
  reports?: (typeof everySign)[number];
  ignores?: 'offset' | 'offset and limit';
  /** Changes the listing before a response. Requests count from 1. */
  before?: (ids: string[], request: number) => void;
  /** The turns after which the service reads its articles, for requests by turns. */
  delays?: readonly number[];
  /** Whether it fails each request that comes while it handles another one. */
  isBusy?: boolean;
}

const pageOf = (ids: readonly (string | number)[], reports: object = {}): ListingPage<Row> => ({
  rows: ids.map((id) => decodeListed({ id }, 1)),
  ...reports,
});

/** Creates a service that lists articles. */
function serviceOf({ ids, clamp = 500, reports = 'both', ...listing }: Listing) {
  const { ignores, before, delays = [0], isBusy = false } = listing;
  let reads = 0;
  const queries: { offset: number; limit: number }[] = [];
  /** The number of requests without a response, and its maximum. */
  const open = { now: 0, most: 0 };
  const requestPage: RequestPage = async (query) => {
    if (isBusy && open.now > 0) throw new Error('It is busy.');
    queries.push(query);
    open.most = Math.max(open.most, ++open.now);
    expect(query.limit).toBeGreaterThan(0);
    const delay = delays[queries.length % delays.length] ?? 0;
    for (let turn = 0; turn < delay; turn++) await nextTurn();
    before?.(ids, ++reads);
    const offset = ignores ? 0 : query.offset;
    const limit = ignores === 'offset and limit' ? ids.length : Math.min(query.limit, clamp);
    const rows = ids.slice(offset, offset + limit);
    const next = { more: offset + rows.length < ids.length };
    const count = { count: ids.length };
    const own = { count: rows.length };
    const signs = { both: { ...count, ...next }, count, next, nothing: {}, 'own count': own };
    await nextTurn();
    open.now -= 1;
    return pageOf(rows, signs[reports]);
  };
  return { requestPage, queries, open };
}

const options = { pageSize: 500 };
const idsUpTo = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`);

/** Reads a listing, or its first rows, until it is reliable, and counts the walks. */
async function read(
  requestPage: RequestPage,
  { rows: newest, ...walkOptions }: Parameters<typeof walk>[1] = options,
) {
  let walks = 0;
  const listPage = ({ offset = 0, limit = 0 } = {}) => {
    if (offset === 0) walks += 1;
    return requestPage({ offset, limit });
  };
  const reading = await readListing({ listPage }, { ...walkOptions, newest, apiKey: '', call: {} });
  return { ...reading, walks };
}

const readService = (listing: Listing, changes: { pageSize?: number; rows?: number } = {}) =>
  read(serviceOf(listing).requestPage, { ...options, ...changes });

const unusable = (message = '') =>
  expect.objectContaining({
    code: 'listing-unusable',
    message: expect.stringContaining(message),
  });

/** Returns undefined for a reading that fails because of the listing. */
const ifListed = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error) => void expect(error.name).toBe('ArticlesListingError'));

describe('a walk', () => {
  it('reads every id once and in order, or the newest ones, however the service pages', async () => {
    let [parts, ahead] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom(...everySign),
        fc.boolean(),
        async (count, newest, clamp, pageSize, reports, isBusy) => {
          // With a single article, nothing distinguishes the two meanings of `count`.
          fc.pre(reports !== 'own count' || count !== 1);
          const ids = idsUpTo(count);
          const { requestPage, queries, open } = serviceOf({ ids, clamp, reports, isBusy });
          const rows: ListedArticle[] = [];
          const onRows = (page: ListedArticle[]) => void rows.push(...page);
          const result = await read(requestPage, { pageSize, onRows, rows: newest });
          const expected = ids.slice(0, newest);
          expect(result).toMatchObject({ ids: expected, walks: 1, length: expected.length });
          expect([result.doubt, result.incomplete]).toEqual([undefined, undefined]);
          if (reports === 'both' || reports === 'count') expect(result.count).toBe(count);
          expect(rows.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
          expect(queries.every(({ limit }) => limit <= pageSize)).toBe(true);
          expect(queries.length).toBeLessThanOrEqual(count + 2);
          if (count > expected.length) parts += 1;
          // Pages are requested ahead, and none in vain.
          const isCounted = reports === 'both' || reports === 'count';
          expect(open.most).toBeLessThanOrEqual(isCounted ? 2 : 1);
          if (open.most > 1) ahead += 1;
          if (isCounted)
            expect(new Set(queries.map(({ offset }) => offset)).size).toBe(queries.length);
        },
      ),
      runs(250),
    );
    expect(Math.min(parts, ahead)).toBeGreaterThan(5);
  });

  test.each(everySign)('keeps only the page that is not passed on yet (%s)', async (reports) => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const service = serviceOf({ ids: idsUpTo(90), clamp: 10, reports });
    const rows: WeakRef<object>[] = [];
    let kept = 0;
    const passedOn: string[] = [];
    const requestPage: RequestPage = async (query) => {
      await expect.poll(() => passedOn.length).toBeGreaterThanOrEqual(query.offset);
      await nextTurn();
      collectGarbage();
      // The page before may still be in use.
      kept += rows.slice(0, -1).filter((row) => row.deref()).length;
      const page = await service.requestPage(query);
      if (page.rows[0]) rows.push(new WeakRef(page.rows[0]));
      return page;
    };
    const onRows = (page: ListedArticle[]) => void passedOn.push(...page.map(({ id }) => id));
    const { ids } = await walk(requestPage, { pageSize: 10, onRows });
    expect([ids.length, passedOn.length, kept]).toEqual([90, 90, 0]);
    expect(rows.length).toBeGreaterThan(8);
  });

  it.each(['both', 'count', 'next', 'nothing'] as const)(
    'refuses a service that ignores `offset`, unless its first page is the last or has enough rows (%s)',
    async (reports) => {
      for (const ignores of ['offset', 'offset and limit'] as const) {
        for (const count of [1, 30]) {
          const listing: Listing = { ids: idsUpTo(count), reports, ignores };
          const { requestPage, queries } = serviceOf(listing);
          const reading = await read(requestPage).catch((error) => error);
          const says = reports === 'next' || reports === 'both';
          expect(reading).toEqual(
            says ? expect.objectContaining({ ids: listing.ids }) : unusable('to every `offset`'),
          );
          if (says) expect(queries).toHaveLength(1);
        }
      }
      const listing: Listing = { ids: idsUpTo(30), clamp: 10, reports, ignores: 'offset' };
      await expect(readService(listing)).rejects.toEqual(unusable('to every `offset`'));
      await expect(readService(listing, { rows: 20 })).rejects.toEqual(unusable());
      expect((await readService(listing, { rows: 8 })).ids).toEqual(idsUpTo(8));
    },
  );

  it.each(everySign)('requests no numbered page twice (%s)', async (reports) => {
    const { requestPage, queries } = serviceOf({ ids: idsUpTo(95), clamp: 10, reports });
    const numbered: RequestPage = async (query) => ({
      ...(await requestPage(query)),
      isNumbered: true,
    });
    const { ids, walks, doubt } = await read(numbered, { pageSize: 10 });
    expect([ids, walks, doubt]).toEqual([idsUpTo(95), 1, undefined]);
    // Without a sign of the end, an empty page shows it.
    const pages = ['nothing', 'own count'].includes(reports) ? 11 : 10;
    expect(queries.map(({ offset }) => offset)).toEqual(
      Array.from({ length: pages }, (_, page) => Math.min(page * 10, 95)),
    );
  });

  it.runIf(isLong)('ends with an error while more than a million articles are listed', async () => {
    const service = serviceOf({ ids: idsUpTo(1_000_001), clamp: 200_000, reports: 'next' });
    const reading = walk(service.requestPage, { pageSize: 200_000 });
    await expect(reading).rejects.toEqual(unusable('has not ended after 1000000 articles'));
  });

  it('ends for any pages that the service responds with', async () => {
    const signs = fc.record(
      { count: fc.integer({ min: 0, max: 40 }), more: fc.boolean() },
      { requiredKeys: [] },
    );
    const ids = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 6 });
    const page = fc.tuple(ids, signs).map(([some, reports]) => pageOf(some, reports));
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(page), async (pages) => {
        let requests = 0;
        const requestPage: RequestPage = async () => {
          requests += 1;
          return pages.next().value;
        };
        await ifListed(walk(requestPage, { pageSize: 5 }));
        expect(requests).toBeLessThan(200);
      }),
    );
  });
});

describe('a change between two pages', () => {
  const change = fc.record({
    request: fc.integer({ min: 1, max: 9 }),
    at: fc.nat(30),
    action: fc.constantFrom('remove', 'push', 'unshift'),
  });
  const firstAdded = (request: number) => ({ request, at: 0, action: 'unshift' as const });
  const firstRemoved = (request: number) => ({ request, at: 0, action: 'remove' as const });
  test.each([
    ['of the whole listing', fc.constant(undefined)],
    ['of the newest articles', fc.integer({ min: 1, max: 20 })],
  ])(
    'hides none from a complete reading %s, wherever and whenever articles come and go',
    async (_, rows) => {
      let checked = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 2, max: 20 }),
          rows,
          fc.array(change, { minLength: 1, maxLength: 4 }),
          fc.constantFrom(...everySign),
          fc.integer({ min: 2, max: 6 }),
          fc.array(fc.nat(4), { minLength: 1, maxLength: 4 }),
          async (count, newest, changes, reports, clamp, delays) => {
            let staying = idsUpTo(count).slice(0, newest);
            let serial = 0;
            const before = (ids: string[], request: number) => {
              for (const { at, action } of changes.filter((each) => each.request === request)) {
                if (action !== 'remove') ids[action](`new-${serial++}`);
                else ids.splice(at % Math.max(1, ids.length), 1);
                const now = ids.slice(0, newest);
                staying = staying.filter((id) => now.includes(id));
              }
            };
            const listing: Listing = { ids: idsUpTo(count), clamp, reports, before, delays };
            const part = newest === undefined ? {} : { rows: newest };
            const result = await ifListed(readService(listing, { pageSize: 5, ...part }));
            if (!result || result.incomplete) return;
            checked += 1;
            expect(result.ids).toEqual(expect.arrayContaining(staying));
          },
        ),
        {
          ...runs(200),
          examples: [
            [2, undefined, [firstAdded(2)], 'nothing', 3, [0]],
            [4, undefined, [firstRemoved(2), firstAdded(1), firstRemoved(8)], 'both', 3, [0]],
          ],
        },
      );
      expect(checked).toBeGreaterThan(20);
    },
  );
});

describe('a reading', () => {
  it('reads again, three times at most, while the listing changes', async () => {
    let serial = 0;
    const before = (ids: string[], request: number) => {
      if (request % 3 === 2) ids.unshift(`new-${serial++}`);
    };
    const result = await readService({ ids: idsUpTo(9), clamp: 4, before });
    expect(result).toMatchObject({ walks: 3, incomplete: 'it kept changing while it was read' });
  });

  const plain: Walk = {
    ...{ ids: ['a'], problems: [], length: 1, pageSize: 1, count: 2 },
    isFromCache: false,
  };
  const doubted = (id: string, announced = 2): Walk => ({
    ...plain,
    ids: [id],
    doubt: { reason: 'it is doubtful', announced, listed: 1, repeated: [] },
  });
  const changing = { incomplete: 'it kept changing while it was read' };
  it.each<[string, Walk[], object]>([
    ['complete if a walk has no doubt', [doubted('a'), plain], { ids: ['a'], doubt: undefined }],
    [
      'not complete with a row without a usable id',
      [{ ...plain, problems: [articleNotice('', '')] }],
      { incomplete: '1 of its rows have no usable id' },
    ],
    [
      'not complete if walks that agree have a doubt',
      [doubted('a'), doubted('a')],
      { ids: ['a'], doubt: { announced: 2, listed: 1 }, incomplete: 'it is doubtful' },
    ],
    [
      'all articles of walks that do not agree',
      [doubted('a', 3), doubted('b', 3), doubted('a', 3)],
      { doubt: { announced: 3, listed: 2 }, ...changing },
    ],
    [
      'all articles of three walks, though the second one lists only some of the first',
      [{ ...doubted('a', 3), ids: ['a', 'b'] }, doubted('a', 3), doubted('c', 3)],
      { doubt: undefined, ...changing },
    ],
    [
      'without doubt if one walk has none',
      [doubted('a', 3), { ...plain, ids: ['b'] }, doubted('a', 3)],
      { doubt: undefined, ...changing },
    ],
    [
      'without doubt if they have what was announced',
      [doubted('a'), doubted('b'), doubted('a')],
      { doubt: undefined, ...changing },
    ],
  ])('is %s', (_, walks, expected) => {
    const reading = concludeReading(walks, walks.at(-1) ?? plain);
    expect(reading).toMatchObject(expected);
    expect(new Set(reading.ids)).toEqual(new Set(walks.flatMap(({ ids }) => ids)));
  });

  it.each([0, 3, 6])('is not complete if its page at %i came from a cache', async (old) => {
    const { requestPage } = serviceOf({ ids: idsUpTo(9), clamp: 4 });
    const result = await read(async (query) => {
      const page = await requestPage(query);
      return query.offset === old ? { ...page, age: 7 } : page;
    });
    expect(result).toMatchObject({ walks: 1, incomplete: 'it came from a cache' });
  });

  it('is cut at other rows than an earlier one, also if the service lowers the limit', async () => {
    const anySize = fc.integer({ min: 3, max: 40 });
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(
        anySize,
        anySize,
        fc.option(anySize, { nil: undefined }),
        async (pageSize, clamp, newest) => {
          const { requestPage, queries } = serviceOf({ ids: idsUpTo(50), clamp });
          const listPage = (query = {}) => requestPage({ offset: 0, limit: 0, ...query });
          const all = { pageSize, newest, apiKey: 'key', call: {} };
          const { pageSize: earlierSize } = await readListing({ listPage }, all);
          const [first, second] = queries.splice(0);
          await readListing({ listPage }, { ...all, earlierSize });
          expect(queries[0]?.limit).not.toBe(first?.limit);
          expect(queries[1]?.offset).not.toBe(second?.offset);
          checked += 1;
        },
      ),
      runs(40),
    );
    expect(checked).toBe(runs(40).numRuns);
  });

  it('fails if every walk does', () => {
    const failure = new ArticlesListingError('listing-unusable', 'No.');
    const failed = { ...doubted('a'), failure };
    expect(() => concludeReading([failed, failed], failed)).toThrow(failure);
    expect(concludeReading([doubted('a'), failed], failed).ids).toEqual(['a']);
  });
});

/**
 * Walks through pages of a script. `0:abc#5+` is a page at offset 0 with three rows, the count 5, and the sign that more
 * follow (`-` for none). A `?` is a row without a usable id. The script has each request.
 */
async function walkOf(script: string) {
  const pages = script.split(' ');
  const result = await walk(
    async ({ offset }) => {
      const [, at, ids = '', count, next] =
        /^(\d+):([^#+-]*)(?:#(\d+))?([+-])?$/.exec(pages.shift() ?? '') ?? [];
      expect(at).toBe(`${offset}`);
      const rows = [...ids].map((id) => decodeListed(id === '?' ? {} : { id }, 1));
      const signs = { ...(count && { count: Number(count) }), ...(next && { more: next === '+' }) };
      return { rows, ...signs };
    },
    { pageSize: 3 },
  );
  expect(pages).toEqual([]);
  return result;
}

const moved = 'its pages contradict each other';
const twice = 'it contains an article more than once';
const fewer = 'the service says that it has 5 articles, but lists only 3';

test.each([
  ['a row that moved down', '0:abc 2:bcd 4:cd 5:', 'abcd', twice],
  ['a row that moved up', '0:abc 2:def 4:f 5:', 'abcdef', moved],
  ['no rows behind a page', '0:abc 2:', 'abc', moved],
  ['a count that is not reached', '0:abc#5 2:c#5 3:#5', 'abc', fewer],
  ['a count that is not reached at the end', '0:abc#5- 2:c#5- 3:#5-', 'abc', fewer],
  ['a count that is reached by a page that is not full', '0:abc#4 2:cd#4', 'abcd', undefined],
  ['a count that is reached by a full page', '0:abc#5 2:cde#5 4:ef#6', 'abcdef', undefined],
  ['a count that falls', '0:abc#6 2:cd#4-', 'abcd', moved],
  ['the length of each page as its count', '0:abc#3 2:cd#2 3:d#1 4:#0', 'abcd', undefined],
  ['a count that is too low', '0:abc#0 2:cd#0 3:d#0 4:#0', 'abcd', undefined],
  ['a page that one large row fills', '0:ab 1:b 2:cd 3:d 4:', 'abcd', undefined],
  ['a page that one large row fills, and more', '0:abc+ 2:c+ 3:de-', 'abcde', undefined],
  ['a count that is reached, and more', '0:abc#4 2:cd#4+ 3:de-', 'abcde', undefined],
  ['more, and no rows', '0:abc+ 2:c+ 3:', 'abc', fewer.replace('5', 'more')],
  ['an article twice in a row', '0:aab 2:b 3:', 'ab', twice],
  ['an article twice on one page', '0:aba#3 2:a#3', 'ab', twice],
  ['its first article at its end', '0:aba 2:a 3:', 'ab', twice],
  ['two rows without a usable id', '0:a??b 3:b 4:', 'ab', undefined],
  ['only rows without a usable id', '0:?? 1:? 2:', '', undefined],
])('a walk with %s', async (_, script, ids, reason) => {
  const result = await walkOf(script);
  expect(result.ids.join('')).toBe(ids);
  expect(result.doubt?.reason).toBe(reason);
});

it('contains the announced number and the repeated ids with a doubt', async () => {
  const { doubt, failure } = await walkOf('0:aba#4 2:a#4 3:#4');
  expect(doubt).toMatchObject({ announced: 4, listed: 2, repeated: ['a'] });
  expect(failure).toEqual(unusable('The service says that it has 4 articles, but lists only 2.'));
  // The service says itself that this is the end.
  expect((await walkOf('0:abc#5- 2:c#5- 3:#5-')).failure).toBeUndefined();
});
