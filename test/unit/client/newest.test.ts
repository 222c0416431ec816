import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeListed } from '../../../src/client/article.ts';
import { survey } from '../../../src/client/listing/survey.ts';
import { type NewestRows, type RequestPage, walkNewest } from '../../../src/client/listing/walk.ts';

type Order = NewestRows['order'];

interface Service {
  /** From the newest article to the oldest one. */
  ids: string[];
  order?: Order;
  /** The maximum number of rows on a page. */
  clamp?: number;
  /** What a page reports: `count` and `next`, one of them, none, or its own rows as `count`. */
  reports?: 'both' | 'count' | 'next' | 'nothing' | 'own count';
  ignores?: 'offset' | 'offset and limit';
  /** Changes the service before a response. Requests count from 1. */
  before?: (ids: string[], request: number) => void;
}

const orders = ['newest-first', 'oldest-first'] as const;
const idsUpTo = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`);

/** Reads the newest articles of a service, and counts the requests. */
async function read(
  { ids, order = 'newest-first', clamp = 500, reports = 'both', ignores, before }: Service,
  newest: number,
  { known = [] as string[], pageSize = 500 } = {},
) {
  const queries: { offset: number; limit: number }[] = [];
  const requestPage: RequestPage = async (query) => {
    queries.push(query);
    before?.(ids, queries.length);
    const offset = ignores ? 0 : query.offset;
    const limit = ignores === 'offset and limit' ? ids.length : Math.min(query.limit, clamp);
    const listed = order === 'newest-first' ? ids : ids.toReversed();
    const rows = listed.slice(offset, offset + limit).map((id) => decodeListed({ id }, 1));
    const more = { more: offset + rows.length < ids.length };
    const signs = {
      both: { ...more, count: ids.length },
      count: { count: ids.length },
      next: more,
      nothing: {},
      'own count': { count: rows.length },
    };
    return { rows, envelope: 'results', ...signs[reports] };
  };
  const window = { newest, order };
  const walkOnce = () => walkNewest(requestPage, window, { pageSize, concurrency: 4 });
  const result = await survey(
    walkOnce,
    order === 'newest-first' ? known : known.toReversed(),
    window,
  );
  const newestFirst = order === 'newest-first' ? result.ids : result.ids.toReversed();
  return { ...result, ids: newestFirst, queries };
}

describe('the newest articles', () => {
  it('are read completely and in order, however the service pages', async () => {
    let parts = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom('both', 'count', 'next', 'nothing', 'own count'),
        fc.constantFrom(...orders),
        async (count, newest, clamp, pageSize, reports, order) => {
          // The newest rows of a listing whose oldest come first are found by its `count` only.
          fc.pre(order === 'newest-first' || !['next', 'nothing'].includes(reports));
          // With a single article, nothing distinguishes the two meanings of `count`.
          fc.pre(reports !== 'own count' || count !== 1);
          const ids = idsUpTo(count);
          const service = { ids, order, clamp, reports };
          const result = await read(service, newest, { known: ids, pageSize });
          expect(result).toMatchObject({ ids: ids.slice(0, newest), gone: [], walks: 1 });
          expect(result.doubt).toBeUndefined();
          expect(result.left.toSorted()).toEqual(ids.slice(newest).toSorted());
          const isCounted = reports === 'both' || reports === 'count' || order === 'oldest-first';
          if (isCounted) expect(result.older).toBe(Math.max(0, count - newest));
          if (count > newest) parts += 1;
        },
      ),
      { numRuns: 500 },
    );
    expect(parts).toBeGreaterThan(50);
  });

  it.each([
    ['newest-first', 500],
    ['oldest-first', 500],
    ['newest-first', 5],
    ['oldest-first', 5],
  ] as const)(
    'are refused where every `offset` returns the first rows (%s, pages of %i)',
    async (order, clamp) => {
      const service: Service = { ids: idsUpTo(9), order, clamp, ignores: 'offset' };
      const reading = read(service, 8);
      // The first page has all of the newest ones.
      if (order === 'newest-first' && clamp > 8) expect((await reading).ids).toEqual(idsUpTo(8));
      else await expect(reading).rejects.toMatchObject({ code: 'listing-unusable' });
    },
  );

  it('are found in a listing that is sent at once', async () => {
    for (const order of orders) {
      const service: Service = { ids: idsUpTo(30), order, ignores: 'offset and limit' };
      const { ids, older } = await read(service, 8);
      expect({ ids, older }).toEqual({ ids: idsUpTo(8), older: 22 });
    }
  });

  it('include those that are added at the end of a listing after it was counted', async () => {
    const before = (ids: string[], request: number) => {
      if (request === 2) ids.unshift('new');
    };
    const result = await read({ ids: idsUpTo(30), order: 'oldest-first', before }, 10);
    expect(result).toMatchObject({ ids: ['new', ...idsUpTo(9)], older: 21, walks: 1 });
  });

  it('are read once while articles elsewhere come and go', async () => {
    const before = (ids: string[]) => void ids.pop();
    const result = await read({ ids: idsUpTo(5_000), before }, 1_500);
    expect(result).toMatchObject({ ids: idsUpTo(1_500), walks: 1 });
    expect(result.doubt).toBeUndefined();
  });
});

describe('a known article', () => {
  it('is never lost between loads, and gone only if the service no longer has it', async () => {
    const edit = fc.record({
      kind: fc.constantFrom('add', 'add', 'remove', 'move', 'bury'),
      at: fc.nat(40),
    });
    const load = fc.record({
      edits: fc.array(edit, { maxLength: 6 }),
      newest: fc.integer({ min: 1, max: 15 }),
    });
    const reached = { left: 0, gone: 0, returned: 0, single: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(load, { minLength: 3, maxLength: 8 }),
        fc.constantFrom(...orders),
        fc.integer({ min: 2, max: 9 }),
        async (loads, order, clamp) => {
          let ids = idsUpTo(20);
          let known: string[] = [];
          let serial = 0;
          const everLeft = new Set<string>();
          for (const { edits, newest } of loads) {
            for (const { kind, at } of edits) {
              const index = at % Math.max(1, ids.length);
              const article = ids[index];
              if (kind === 'add' || !article) ids = [`new-${serial++}`, ...ids];
              else ids = ids.toSpliced(index, 1);
              if (kind === 'move' && article) ids.unshift(article);
              if (kind === 'bury' && article) ids.push(article);
            }
            const result = await read({ ids, order, clamp }, newest, { known, pageSize: 7 });
            expect(result.ids).toEqual(ids.slice(0, newest));
            const absent = known.filter((id) => !result.ids.includes(id));
            const last = known.findLastIndex((id) => result.ids.includes(id));
            expect(known.slice(last + 1)).toEqual(expect.arrayContaining(result.left));
            expect([...result.left, ...result.gone].toSorted()).toEqual(absent.toSorted());
            // Without a known article that is listed, nothing shows which of them are older.
            const isSame = known.length === 0 || result.ids.some((id) => known.includes(id));
            const stays = (id: string) => ids.includes(id);
            if (isSame && edits.every(({ kind }) => kind === 'add' || kind === 'remove')) {
              expect(result.gone.filter(stays)).toEqual([]);
            }
            if (isSame && edits.every(({ kind }) => kind === 'add')) {
              expect(result).toMatchObject({ gone: [], walks: 1 });
              reached.single += 1;
            }
            reached.left += result.left.length;
            reached.gone += result.gone.length;
            reached.returned += result.ids.filter((id) => everLeft.has(id)).length;
            for (const id of result.left) everLeft.add(id);
            known = result.ids;
          }
        },
      ),
      { numRuns: 300 },
    );
    for (const [event, times] of Object.entries(reached)) expect(times, event).toBeGreaterThan(50);
  });

  it('stays listed, or is a doubt, wherever and whenever articles come and go during the walks', async () => {
    const change = fc.record({
      request: fc.integer({ min: 2, max: 9 }),
      at: fc.nat(30),
      action: fc.constantFrom('remove', 'unshift', 'unshift'),
    });
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 20 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...orders),
        fc.integer({ min: 2, max: 6 }),
        async (count, newest, changes, order, clamp) => {
          // The articles that were among the newest the whole time.
          let staying = idsUpTo(count).slice(0, newest);
          let serial = 0;
          const before = (ids: string[], request: number) => {
            for (const { at, action } of changes.filter((each) => each.request === request)) {
              if (action === 'unshift') ids.unshift(`new-${serial++}`);
              else ids.splice(at % Math.max(1, ids.length), 1);
              const now = ids.slice(0, newest);
              staying = staying.filter((id) => now.includes(id));
            }
          };
          const service: Service = { ids: idsUpTo(count), order, clamp, before };
          const result = await read(service, newest, { pageSize: 5 }).catch((error) => {
            expect(error.name).toBe('ArticlesListingError');
          });
          if (!result || result.unproven) return;
          checked += 1;
          expect(result.ids).toEqual(expect.arrayContaining(staying));
        },
      ),
      { numRuns: 500 },
    );
    expect(checked).toBeGreaterThan(50);
  });
});
