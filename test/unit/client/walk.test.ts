import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { decodeListed, type Row } from '../../../src/client/article.ts';
import type { ListedArticle } from '../../../src/client/index.ts';
import type { ListingPage } from '../../../src/client/listing/page.ts';
import { readUntilReliable } from '../../../src/client/listing/reading.ts';
import { type RequestPage, walk } from '../../../src/client/listing/walk.ts';

type Id = string | number;
type Query = { offset: number; limit: number };

interface Listing {
  ids: Id[];
  /** The maximum number of rows on a page. */
  clamp?: number;
  /** What a page reports: `count` and `next`, one of them, none, or its own rows as `count`. */
  reports?: 'both' | 'count' | 'next' | 'nothing' | 'own count';
  ignores?: 'offset' | 'offset and limit';
  /** Changes the listing before a response. Requests count from 1. */
  before?: (ids: Id[], request: number) => void;
}

const everySign = ['both', 'count', 'next', 'nothing', 'own count'] as const;

const rowsOf = (ids: readonly Id[]): Row[] =>
  ids.map((id) => decodeListed({ id, title: 't', content: 'c', cover_image: null }, 1));
const pageOf = (ids: readonly Id[], reports: object = {}): ListingPage<Row> => ({
  rows: rowsOf(ids),
  envelope: 'results',
  ...reports,
});

/** Creates a service that lists articles. */
function serviceOf({ ids, clamp = 500, reports = 'both', ignores, before }: Listing) {
  const queries: Query[] = [];
  const open = { now: 0, most: 0 };
  const requestPage: RequestPage = async (query) => {
    queries.push(query);
    open.most = Math.max(open.most, ++open.now);
    await Promise.resolve();
    open.now -= 1;
    before?.(ids, queries.length);
    const offset = ignores ? 0 : query.offset;
    const limit = ignores === 'offset and limit' ? ids.length : Math.min(query.limit, clamp);
    const rows = ids.slice(offset, offset + limit);
    return pageOf(rows, {
      ...(reports === 'both' || reports === 'count' ? { count: ids.length } : {}),
      ...(reports === 'own count' ? { count: rows.length } : {}),
      ...(reports === 'both' || reports === 'next'
        ? { more: offset + rows.length < ids.length }
        : {}),
    });
  };
  return { requestPage, queries, open };
}

const options = { pageSize: 500, concurrency: 4 };
const idsUpTo = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`);

test.each(everySign)(
  'a walk keeps no rows of earlier pages, if a page reports %s',
  async (reports) => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const service = serviceOf({ ids: idsUpTo(90), clamp: 10, reports });
    const rows: WeakRef<object>[] = [];
    let kept = 0;
    const requestPage: RequestPage = async (query) => {
      await nextTurn();
      collectGarbage();
      // The page before may still be in use.
      kept += rows.slice(0, -1).filter((row) => row.deref()).length;
      const page = await service.requestPage(query);
      if (page.rows[0]) rows.push(new WeakRef(page.rows[0]));
      return page;
    };
    const { ids } = await walk(requestPage, { pageSize: 10, concurrency: 1 });
    expect(ids).toHaveLength(90);
    expect(rows.length).toBeGreaterThan(8);
    expect(kept).toBe(0);
  },
);

/** Reads a listing until it is reliable, and counts the walks. */
async function read(requestPage: RequestPage, walkOptions = options) {
  let walks = 0;
  const reading = await readUntilReliable(() => {
    walks += 1;
    return walk(requestPage, walkOptions);
  });
  return { ...reading, walks };
}

async function readService(listing: Listing, walkOptions = options) {
  const { requestPage, queries } = serviceOf(listing);
  return { ...(await read(requestPage, walkOptions)), queries };
}

describe('a walk', () => {
  it('reads every id once and in order, however the service pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom(...everySign),
        fc.integer({ min: 1, max: 9 }),
        async (count, clamp, pageSize, reports, concurrency) => {
          // With a single article, nothing distinguishes the two meanings of `count`.
          fc.pre(reports !== 'own count' || count !== 1);
          const ids = idsUpTo(count);
          const { requestPage, queries, open } = serviceOf({ ids, clamp, reports });
          const rows: ListedArticle[] = [];
          const onRows = (page: ListedArticle[]) => void rows.push(...page);
          const walked = await walk(requestPage, { pageSize, concurrency, onRows });
          expect(walked.ids).toEqual(ids);
          expect(walked.doubt).toBeUndefined();
          expect(walked.failure).toBeUndefined();
          expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
          expect(queries.every(({ limit }) => limit <= pageSize)).toBe(true);
          expect(queries.length).toBeLessThanOrEqual(count + 2);
          expect(open.most).toBeLessThanOrEqual(Math.min(concurrency, 4));
        },
      ),
    );
  });

  it('takes pages one row apart, and no page twice, when there is a count', async () => {
    const { requestPage, queries, open } = serviceOf({ ids: idsUpTo(2_000) });
    await walk(requestPage, options);
    expect(open.most).toBe(4);
    expect(queries.map(({ offset }) => offset).toSorted((a, b) => a - b)).toEqual([
      0, 499, 998, 1497, 1996,
    ]);
  });

  it.each(['both', 'count', 'next', 'nothing'] as const)(
    'accepts a service that sends the whole list at once (%s)',
    async (reports) => {
      for (const count of [1, 30, 700]) {
        const ids = idsUpTo(count);
        const result = await readService({ ids, reports, ignores: 'offset and limit' });
        expect(result).toMatchObject({ ids, walks: 1 });
      }
    },
  );

  it.each(['both', 'count', 'next', 'nothing'] as const)(
    'refuses an ignored offset (%s)',
    async (reports) => {
      const listing: Listing = { ids: idsUpTo(30), clamp: 10, reports, ignores: 'offset' };
      await expect(readService(listing)).rejects.toMatchObject({
        code: 'listing-unusable',
        message: expect.stringContaining('for every `offset`'),
      });
    },
  );

  it.each([{ more: true }, { count: 30 }])(
    'refuses the same part of a listing for each request (%j)',
    async (reports) => {
      const requestPage: RequestPage = async () => pageOf(idsUpTo(10), reports);
      const reading = read(requestPage);
      await expect(reading).rejects.toMatchObject({ code: 'listing-unusable' });
    },
  );

  it('stops at an empty page, however high the count is', async () => {
    const { requestPage, queries } = serviceOf({ ids: idsUpTo(30), clamp: 10, reports: 'nothing' });
    await walk(async (query) => ({ ...(await requestPage(query)), count: 10_000 }), options);
    expect(queries.length).toBeLessThan(20);
  });

  it('requests no more pages after a failure', async () => {
    const { requestPage, queries } = serviceOf({ ids: idsUpTo(400), clamp: 4 });
    const failing: RequestPage = async (query) => {
      if (query.offset === 9) throw new Error('broken');
      return requestPage(query);
    };
    await expect(walk(failing, { pageSize: 4, concurrency: 4 })).rejects.toThrow('broken');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(queries.length).toBeLessThan(12);
  });

  it('waits for a promise of `onRows` before the next page', async () => {
    const { requestPage, queries } = serviceOf({ ids: idsUpTo(100), clamp: 10, reports: 'next' });
    const seen: number[] = [];
    const onRows = async () => {
      const before = queries.length;
      await new Promise((resolve) => setTimeout(resolve, 1));
      seen.push(queries.length - before);
    };
    await walk(requestPage, { ...options, onRows });
    expect(new Set(seen)).toEqual(new Set([0]));
  });

  it('ends for any pages that the service responds with', async () => {
    const page = fc.record(
      {
        rows: fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 6 }).map(rowsOf),
        envelope: fc.constant('results'),
        count: fc.integer({ min: 0, max: 40 }),
        more: fc.boolean(),
      },
      { requiredKeys: ['rows', 'envelope'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(page), async (pages) => {
        let requests = 0;
        const requestPage: RequestPage = async () => {
          requests += 1;
          const { count, more, ...rest } = pages.next().value;
          return {
            ...rest,
            ...(count === undefined ? {} : { count }),
            ...(more === undefined ? {} : { more }),
          };
        };
        await walk(requestPage, { pageSize: 5, concurrency: 3 }).catch((error) => {
          expect(error.name).toBe('ArticlesListingError');
        });
        expect(requests).toBeLessThan(200);
      }),
    );
  });
});

describe('a count that is just reached by a full page', () => {
  test('hides none when the service does not count further', async () => {
    const ids = idsUpTo(1_700);
    const { requestPage } = serviceOf({ ids, reports: 'nothing' });
    const limited: RequestPage = async (query) => ({ ...(await requestPage(query)), count: 998 });
    const walked = await walk(limited, options);
    expect(walked.ids).toEqual(ids);
  });

  test('is the end when `next` says so, or the page is not full', async () => {
    for (const reports of ['both', 'count'] as const) {
      const { queries } = await readService({ ids: idsUpTo(800), reports });
      expect(queries).toHaveLength(2);
    }
  });
});

describe('a change between two pages that leaves `count` as it was', () => {
  test.each(['both', 'count'] as const)('hides no other article (%s)', async (reports) => {
    const before = (ids: Id[], request: number) => {
      if (request === 2) ids.splice(1, 1);
      if (request === 2) ids.push('new');
    };
    const result = await readService({ ids: idsUpTo(9), clamp: 4, reports, before });
    expect(result.walks).toBeGreaterThan(1);
    expect(result.ids).toEqual(['id-0', ...idsUpTo(9).slice(2), 'new']);
  });

  test('hides none from a complete reading, wherever and whenever articles come and go', async () => {
    const change = fc.record({
      request: fc.integer({ min: 1, max: 9 }),
      at: fc.nat(30),
      action: fc.constantFrom('remove', 'push', 'unshift'),
    });
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 20 }),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...everySign),
        fc.integer({ min: 2, max: 6 }),
        async (count, changes, reports, clamp) => {
          const removed = new Set<Id>();
          let serial = 0;
          const before = (ids: Id[], request: number) => {
            for (const { at, action } of changes.filter((each) => each.request === request)) {
              if (action !== 'remove') ids[action](`new-${serial++}`);
              else for (const id of ids.splice(at % Math.max(1, ids.length), 1)) removed.add(id);
            }
          };
          const known = idsUpTo(count);
          const listing: Listing = { ids: [...known], clamp, reports, before };
          const result = await readService(listing, { pageSize: 5, concurrency: 3 }).catch(
            (error) => {
              expect(error.name).toBe('ArticlesListingError');
            },
          );
          if (!result || result.incomplete) return;
          const staying = known.filter((id) => !removed.has(id));
          checked += 1;
          expect(result.ids).toEqual(expect.arrayContaining(staying));
        },
      ),
      {
        numRuns: 500,
        examples: [
          [2, [{ request: 2, at: 0, action: 'unshift' }], 'nothing', 3],
          [
            4,
            [
              { request: 2, at: 0, action: 'remove' },
              { request: 1, at: 0, action: 'unshift' },
              { request: 8, at: 0, action: 'remove' },
            ],
            'both',
            3,
          ],
        ],
      },
    );
    expect(checked).toBeGreaterThan(50);
  });
});

describe('a reading', () => {
  it('reads again, three times at most, while the listing changes', async () => {
    let serial = 0;
    const before = (ids: Id[], request: number) => {
      if (request % 3 === 2) ids.unshift(`new-${serial++}`);
    };
    const result = await readService({ ids: idsUpTo(9), clamp: 4, before });
    expect(result).toMatchObject({
      walks: 3,
      incomplete: 'it kept changing while it was read',
    });
  });

  it('has no doubt when one of its walks has none', async () => {
    const plain = { ids: ['a'], problems: [], length: 1, count: undefined, isFromCache: false };
    const doubtful = { ...plain, doubt: { reason: 'it is doubtful', listed: 1, repeated: [] } };
    const walks = [doubtful, plain];
    const result = await readUntilReliable(async (index) => walks[index] ?? doubtful);
    expect(result).toMatchObject({ ids: ['a'], doubt: undefined, incomplete: undefined });
  });

  it.each([
    ['with a row without a usable id', { problems: [{ id: '', reason: '' }] }],
    ['that came from a cache', { isFromCache: true }],
  ])('is not complete %s', async (_, changes) => {
    const plain = { ids: ['a'], problems: [], length: 1, count: undefined, isFromCache: false };
    expect((await readUntilReliable(async () => plain)).incomplete).toBeUndefined();
    const reading = await readUntilReliable(async () => ({ ...plain, ...changes }));
    expect(reading.incomplete).toMatch(/./);
  });

  it('proves nothing when pages contradict each other in every walk in the same way', async () => {
    // A database may order rows that are equal in another way for each page.
    const byOffset: Record<number, string[]> = { 0: ['a', 'b', 'c'], 2: ['c', 'b', 'd'] };
    const requestPage: RequestPage = async ({ offset }) =>
      pageOf(byOffset[offset] ?? [], { more: offset === 0 });
    expect((await read(requestPage)).incomplete).toBe('it contains an article more than once');
  });

  it('proves nothing when the service changes its count from page to page', async () => {
    const { requestPage } = serviceOf({ ids: idsUpTo(9), clamp: 3, reports: 'next' });
    const counts: RequestPage = async (query) => ({
      ...(await requestPage(query)),
      count: query.offset === 0 ? 9 : 8,
    });
    const result = await read(counts);
    expect(result.incomplete).toBe('its pages contradict each other');
  });

  it('proves nothing when the rows of one article fill whole pages', async () => {
    const rows = ['a', 'b', 'b', 'b', 'b', 'b', 'c'];
    const requestPage: RequestPage = async ({ offset }) => pageOf(rows.slice(offset, offset + 2));
    expect((await read(requestPage)).incomplete).toMatch(/./);
  });
});

describe('a table without a stable order', () => {
  /** Orders the rows in another way for each offset, as a database may without `ORDER BY`. */
  const unstable = (ids: Id[], seed: number, reports: object, clamp = 500): RequestPage => {
    return async ({ offset, limit: wanted }) => {
      const limit = Math.min(wanted, clamp);
      const order = ids
        .map((id, index) => ({ id, key: (index * seed + offset * 31 * (index + 1)) % 101 }))
        .sort((a, b) => a.key - b.key)
        .map(({ id }) => id);
      const rows = order.slice(offset, offset + limit);
      const more = offset + rows.length < ids.length;
      return pageOf(rows, { ...reports, ...('more' in reports ? { more } : {}) });
    };
  };

  it('hides no article without a doubt that names what is missing', async () => {
    const reached = { complete: 0, doubted: 0, failed: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 4, max: 40 }),
        fc.integer({ min: 1, max: 50 }),
        fc.constantFrom('count', 'next', 'both', 'nothing'),
        // With a lowered limit, another cut changes nothing.
        fc.constantFrom(3, 500),
        async (count, seed, reports, clamp) => {
          const ids = idsUpTo(count);
          const signs = {
            ...(reports === 'count' || reports === 'both' ? { count } : {}),
            ...(reports === 'next' || reports === 'both' ? { more: true } : {}),
          };
          const requestPage = unstable(ids, seed, signs, clamp);
          const cuts = [6, 4];
          const walkOnce = (index: number) =>
            walk(requestPage, { pageSize: cuts[index % 2] ?? 6, concurrency: 2 });
          const result = await readUntilReliable(walkOnce).catch((error) => {
            expect(error.name).toBe('ArticlesListingError');
          });
          if (!result) reached.failed += 1;
          else if (result.ids.length === count) reached.complete += 1;
          else {
            reached.doubted += 1;
            expect(result.doubt?.reason).toMatch(/./);
            if ('count' in signs) expect(result.doubt?.announced).toBe(count);
          }
        },
      ),
      { numRuns: 1_000 },
    );
    expect(reached.complete).toBeGreaterThan(50);
    expect(reached.doubted).toBeGreaterThan(0);
  });

  it('is read with another cut, which finds the article that the first one hides', async () => {
    // The rows around position 3 change places between two requests.
    const requestPage: RequestPage = async ({ offset, limit }) => {
      const order = offset === 0 ? ['a', 'b', 'c', 'd', 'e'] : ['a', 'b', 'd', 'c', 'e'];
      return pageOf(order.slice(offset, offset + limit), { count: 5 });
    };
    const cuts = [3, 5];
    const result = await readUntilReliable((index) =>
      walk(requestPage, { pageSize: cuts[index % 2] ?? 3, concurrency: 1 }),
    );
    expect(result.ids.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(result.doubt).toBeUndefined();
  });
});

describe('a service that does not say whether more follows', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];

  it('and sends only the overlapping row is requested for the row after it', async () => {
    // One large article fills a page by itself.
    const requestPage: RequestPage = async ({ offset }) =>
      pageOf(ids.slice(offset, offset === 1 ? 2 : offset + 2));
    const result = await read(requestPage, { pageSize: 2, concurrency: 1 });
    expect(result).toMatchObject({ ids, incomplete: undefined });
  });

  it.each([0, 3])(
    'but sends a count of %i, which is too low, is read to its end',
    async (count) => {
      // Pages are of different lengths, so a short one is not the last.
      const requestPage: RequestPage = async ({ offset }) =>
        pageOf(ids.slice(offset, offset + (offset === 0 ? 3 : 2)), { count });
      expect((await read(requestPage)).ids).toEqual(ids);
    },
  );
});

describe('a service that reports more rows', () => {
  it('and then sends nothing has an incomplete listing', async () => {
    const requestPage: RequestPage = async ({ offset }) =>
      offset === 0 ? pageOf(['a', 'b', 'c'], { more: true }) : pageOf([], { more: false });
    await expect(read(requestPage)).rejects.toMatchObject({
      code: 'listing-unusable',
      message: 'The service says that it has more articles, but lists only 3.',
    });
  });

  it('and sends only the overlapping row is requested for the row after it', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    // One large article fills a page by itself.
    const requestPage: RequestPage = async ({ offset }) => {
      const rows = offset === 2 ? ids.slice(2, 3) : ids.slice(offset, offset + 3);
      return pageOf(rows, { more: offset + rows.length < ids.length });
    };
    expect((await walk(requestPage, options)).ids).toEqual(ids);
  });
});
