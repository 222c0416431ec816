import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { decodeListed } from '../../../../src/client/article.ts';
import type { ListedArticle } from '../../../../src/client/index.ts';
import { type RequestPage, walk } from '../../../../src/client/listing/walk.ts';
import { isLong, runs } from '../../../helpers/runs.ts';
import {
  everySign,
  idsUpTo,
  ifListed,
  type Listing,
  pageOf,
  read,
  readService,
  serviceOf,
  unusable,
} from './listing-service.ts';

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
    const service = serviceOf({ ids: idsUpTo(40), clamp: 10, reports });
    const rows: WeakRef<object>[] = [];
    let kept = 0;
    const passedOn: string[] = [];
    const requestPage: RequestPage = async (query) => {
      await expect.poll(() => passedOn.length).toBeGreaterThanOrEqual(query.offset);
      await nextTurn();
      // Before, no page has to be collected. Collecting takes a fifth of a second.
      if (rows.length > 2) {
        collectGarbage();
        // The page before may still be in use.
        kept += rows.slice(0, -1).filter((row) => row.deref()).length;
      }
      const page = await service.requestPage(query);
      if (page.rows[0]) rows.push(new WeakRef(page.rows[0]));
      return page;
    };
    const onRows = (page: ListedArticle[]) => void passedOn.push(...page.map(({ id }) => id));
    const { ids } = await walk(requestPage, { pageSize: 10, onRows });
    expect([ids.length, passedOn.length, kept]).toEqual([40, 40, 0]);
    expect(rows.length).toBeGreaterThan(3);
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
