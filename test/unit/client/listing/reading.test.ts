import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  concludeReading,
  mergeOrders,
  readListing,
} from '../../../../src/client/listing/reading.ts';
import type { Walk } from '../../../../src/client/listing/walk.ts';
import { ArticlesListingError, articleNotice } from '../../../../src/errors.ts';
import { runs } from '../../../helpers/runs.ts';
import {
  everySign,
  idsUpTo,
  ifListed,
  type Listing,
  read,
  readService,
  serviceOf,
} from './listing-service.ts';

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

describe('the order of the site', () => {
  it('has new articles next to their neighbours in the listing', () => {
    expect(mergeOrders(['new', 'b', 'a'], ['c', 'b', 'a'])).toEqual(['new', 'c', 'b', 'a']);
    expect(mergeOrders(['new'], ['b', 'a'])).toEqual(['new', 'b', 'a']);
  });

  it('contains each article once, and moves no other when one is hidden', () => {
    const ids = Array.from({ length: 12 }, (_, index) => `id-${index}`);
    let hidden = 0;
    fc.assert(
      fc.property(fc.shuffledSubarray(ids), fc.subarray(ids), (known, away) => {
        const listed = known.filter((id) => !away.includes(id));
        const order = mergeOrders(listed, known);
        expect(order.toSorted()).toEqual(known.toSorted());
        // Without new articles, what is hidden changes nothing.
        expect(order).toEqual(known);
        hidden += known.length - listed.length;
      }),
    );
    expect(hidden).toBeGreaterThan(100);
  });
});
