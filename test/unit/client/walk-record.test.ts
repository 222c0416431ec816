import { describe, expect, it, test } from 'vitest';
import { decodeListed, type Row } from '../../../src/client/article.ts';
import { createWalkRecord } from '../../../src/client/listing/walk-record.ts';

interface Page {
  offset: number;
  /** One character for each row: its id, or `-` for a row without a usable id. */
  rows: string;
  count?: number;
  more?: boolean;
}

function recordOf(pages: readonly Page[]) {
  const record = createWalkRecord();
  for (const { offset, rows, ...page } of pages) {
    const decoded = [...rows].map(
      (id, index): Row => decodeListed(id === '-' ? {} : { id }, offset + index + 1),
    );
    record.note({ rows: decoded, envelope: 'results', ...page }, offset);
  }
  return record;
}

const moved = 'its pages contradict each other';
const twice = 'it contains an article more than once';

const walks: [name: string, pages: Page[], ids: string, doubt: string | undefined][] = [
  ['one page with `next: null`', [{ offset: 0, rows: 'abc', more: false }], 'abc', undefined],
  ['one page, and an empty one', [page(0, 'abc'), page(3, '')], 'abc', undefined],
  [
    'pages that overlap by one row',
    [page(0, 'abc'), page(2, 'cde'), page(4, 'e')],
    'abcde',
    undefined,
  ],
  [
    'pages that arrive in another order',
    [page(0, 'abc'), page(4, 'e'), page(2, 'cde')],
    'abcde',
    undefined,
  ],
  ['a row that moved down', [page(0, 'abc'), page(2, 'bcd'), page(4, 'd')], 'abcd', twice],
  ['a row that moved up', [page(0, 'abc'), page(2, 'def'), page(4, 'f')], 'abcefd', moved],
  ['an empty page before the end', [page(0, 'abc'), page(2, ''), page(2, 'cd')], 'abcd', moved],
  [
    'a page behind rows that were not requested',
    [page(0, 'abc'), page(9, 'xyz')],
    'abcxyz',
    'the service says that it has more articles, but lists only 6',
  ],
  ['an empty page far behind the end', [page(0, 'abc'), page(9, '')], 'abc', undefined],
  [
    'a count that is not reached',
    [page(0, 'abc', { count: 5 }), page(3, '')],
    'abc',
    'the service says that it has 5 articles, but lists only 3',
  ],
  [
    'a count that grows',
    [page(0, 'abc', { count: 3 }), page(2, 'cd', { count: 4 })],
    'abcd',
    moved,
  ],
  [
    'the length of each page as its count',
    [page(0, 'abc', { count: 3 }), page(2, 'cd', { count: 2 })],
    'abcd',
    undefined,
  ],
  ['an article twice on one page', [page(0, 'aba', { count: 3 })], 'ab', twice],
  ['two rows without a usable id', [page(0, 'a--b'), page(3, 'b')], 'ab', undefined],
];

function page(offset: number, rows: string, more: Partial<Page> = {}): Page {
  return { offset, rows, ...more };
}

describe('the record of a walk', () => {
  test.each(walks)('%s', (_, pages, ids, reason) => {
    const walk = recordOf(pages).judge();
    expect(walk.ids.join('')).toBe(ids);
    expect(walk.doubt?.reason).toBe(reason);
  });

  it('contains the announced number and the repeated ids with a doubt', () => {
    const { doubt } = recordOf([page(0, 'abca', { count: 4 })]).judge();
    expect(doubt).toMatchObject({ announced: 4, repeated: ['a'] });
  });

  test.each([
    ['abc', { more: false }, true],
    ['abc', { more: false, count: 4 }, false],
    ['abc', { more: true, count: 3 }, false],
    ['abc', { count: 3 }, false],
    ['', {}, true],
    ['', { more: true }, false],
  ])('the page "%s" with %j is the end: %s', (rows, signs, isEnd) => {
    const record = recordOf([page(0, rows, signs)]);
    expect(record.isEnd(record.lastBeforeGap())).toBe(isEnd);
  });

  test.each([
    ['the first page again', [page(0, 'abc'), page(2, 'abc')], true],
    ['the overlapping row alone', [page(0, 'abc'), page(2, 'c')], false],
    [
      'the overlapping row alone, which is also the first row',
      [page(0, 'aba'), page(2, 'a')],
      false,
    ],
    [
      'the overlapping row alone, with no usable id, like the first',
      [page(0, '-b-'), page(2, '-')],
      false,
    ],
    ['the first row again, where pages have one row', [page(0, 'a'), page(1, 'a')], true],
  ])('%s at another offset', (_, pages, isFirstAgain) => {
    const record = recordOf(pages.slice(0, 1));
    const [, { offset, rows } = page(0, '')] = pages;
    const decoded = [...rows].map((id): Row => decodeListed(id === '-' ? {} : { id }, 1));
    expect(record.note({ rows: decoded, envelope: 'results' }, offset).isFirstAgain).toBe(
      isFirstAgain,
    );
  });
});
