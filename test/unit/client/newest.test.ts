import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeListed } from '../../../src/client/article.ts';
import { readUntilReliable } from '../../../src/client/listing/reading.ts';
import { type RequestPage, walk } from '../../../src/client/listing/walk.ts';

interface Service {
  /** From the newest article to the oldest one. */
  ids: string[];
  /** The maximum number of rows on a page. */
  clamp?: number;
  /** What a page reports: `count` and `next`, one of them, none, or its own rows as `count`. */
  reports?: 'both' | 'count' | 'next' | 'nothing' | 'own count';
  ignores?: 'offset' | 'offset and limit';
  /** Changes the service before a response. Requests count from 1. */
  before?: (ids: string[], request: number) => void;
}

const idsUpTo = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`);

/** Reads the newest articles of a service, and counts the walks. */
async function read(
  { ids, clamp = 500, reports = 'both', ignores, before }: Service,
  rows: number,
  { pageSize = 500 } = {},
) {
  let requests = 0;
  let walks = 0;
  const requestPage: RequestPage = async (query) => {
    requests += 1;
    before?.(ids, requests);
    const offset = ignores ? 0 : query.offset;
    const limit = ignores === 'offset and limit' ? ids.length : Math.min(query.limit, clamp);
    const listed = ids.slice(offset, offset + limit).map((id) => decodeListed({ id }, 1));
    const more = { more: offset + listed.length < ids.length };
    const signs = {
      both: { ...more, count: ids.length },
      count: { count: ids.length },
      next: more,
      nothing: {},
      'own count': { count: listed.length },
    };
    return { rows: listed, envelope: 'results', ...signs[reports] };
  };
  const reading = await readUntilReliable(() => {
    walks += 1;
    return walk(requestPage, { pageSize, concurrency: 4, rows });
  });
  return { ...reading, walks };
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
        async (count, newest, clamp, pageSize, reports) => {
          // With a single article, nothing distinguishes the two meanings of `count`.
          fc.pre(reports !== 'own count' || count !== 1);
          const ids = idsUpTo(count);
          const result = await read({ ids, clamp, reports }, newest, { pageSize });
          expect(result).toMatchObject({ ids: ids.slice(0, newest), walks: 1 });
          expect(result).toMatchObject({ length: Math.min(count, newest), doubt: undefined });
          expect(result.incomplete).toBeUndefined();
          if (reports === 'both' || reports === 'count') expect(result.count).toBe(count);
          if (count > newest) parts += 1;
        },
      ),
      { numRuns: 500 },
    );
    expect(parts).toBeGreaterThan(50);
  });

  it('are refused where every `offset` returns the first rows, unless the first page has them all', async () => {
    const ids = idsUpTo(9);
    expect((await read({ ids, ignores: 'offset' }, 8)).ids).toEqual(idsUpTo(8));
    const reading = read({ ids, clamp: 5, ignores: 'offset' }, 8);
    await expect(reading).rejects.toMatchObject({ code: 'listing-unusable' });
  });

  it('are found in a listing that is sent at once', async () => {
    const { ids, count } = await read({ ids: idsUpTo(30), ignores: 'offset and limit' }, 8);
    expect({ ids, count }).toEqual({ ids: idsUpTo(8), count: 30 });
  });

  it('are read once while articles elsewhere come and go', async () => {
    const before = (ids: string[]) => void ids.pop();
    const result = await read({ ids: idsUpTo(5_000), before }, 1_500);
    expect(result).toMatchObject({ ids: idsUpTo(1_500), walks: 1, doubt: undefined });
  });

  it('contain each one that is among them the whole time, wherever and whenever others come and go', async () => {
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
        fc.integer({ min: 2, max: 6 }),
        async (count, newest, changes, clamp) => {
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
          const service: Service = { ids: idsUpTo(count), clamp, before };
          const result = await read(service, newest, { pageSize: 5 }).catch((error) => {
            expect(error.name).toBe('ArticlesListingError');
          });
          if (!result || result.incomplete) return;
          checked += 1;
          expect(result.ids).toEqual(expect.arrayContaining(staying));
        },
      ),
      { numRuns: 500 },
    );
    expect(checked).toBeGreaterThan(50);
  });
});
