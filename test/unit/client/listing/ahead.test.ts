import { expect, it } from 'vitest';
import { requestAhead } from '../../../../src/client/listing/ahead.ts';
import { idsUpTo, pageOf } from './listing-service.ts';

// That no page is requested ahead in vain is in walk.test.ts.

const first = { offset: 0, limit: 10 };
const all = { pageSize: 10 };

/** The requests that are sent ahead once the first page has been read. */
async function sentAhead(length: number, facts: object, options = all) {
  const sent: [offset: number, limit: number][] = [];
  const requestPage = requestAhead(async ({ offset, limit }) => {
    sent.push([offset, limit]);
    return pageOf(idsUpTo(length), facts);
  }, options);
  await requestPage(first);
  return sent.slice(1);
}

const newest = (rows: number) => ({ ...all, rows });

it.each<[string, length: number, facts: object, ahead: number[][], options?: typeof all]>([
  [
    'two pages, if the count reaches beyond both',
    10,
    { count: 20 },
    [
      [9, 10],
      [18, 10],
    ],
  ],
  ['one page, if the count ends with it', 10, { count: 19 }, [[9, 10]]],
  ['nothing without a count', 10, { more: true }, []],
  ['nothing, if the count is reached', 10, { count: 10 }, []],
  ['nothing behind a page of one row', 1, { count: 30 }, []],
  [
    'pages that do not overlap by their numbers',
    10,
    { count: 30, isNumbered: true },
    [
      [10, 10],
      [20, 10],
    ],
  ],
  ['only the newest rows', 10, { count: 30 }, [[9, 3]], newest(12)],
  ['nothing behind the newest rows', 10, { count: 30 }, [], newest(10)],
])('requests ahead %s', async (_, length, facts, ahead, options) => {
  expect(await sentAhead(length, facts, options)).toEqual(ahead);
});

it('requests a page again whose request ahead has failed', async () => {
  const failures = [new Error('busy'), new Error('busy')];
  const sent: number[] = [];
  const requestPage = requestAhead(async ({ offset }) => {
    sent.push(offset);
    const failure = offset === 0 ? undefined : failures.pop();
    if (failure) throw failure;
    return pageOf(idsUpTo(10), { count: 20 });
  }, all);
  await requestPage(first);
  expect(sent).toEqual([0, 9, 18]);
  expect((await requestPage({ offset: 9, limit: 10 })).rows).toHaveLength(10);
  expect(sent).toEqual([0, 9, 18, 9]);
});

it('requests no third page ahead if a page is shorter than the page before it', async () => {
  const sent: number[] = [];
  const requestPage = requestAhead(async ({ offset }) => {
    sent.push(offset);
    return pageOf(idsUpTo(offset === 0 ? 10 : 5), { count: 100 });
  }, all);
  await requestPage(first);
  await requestPage({ offset: 9, limit: 10 });
  expect(sent).toEqual([0, 9, 18, 13]);
});
