import { expect, it, test } from 'vitest';
import { decodeListed } from '../../../src/client/article.ts';
import { createWalkRecord } from '../../../src/client/listing/walk-record.ts';

/**
 * Records a walk. `0:abc#5+` is a page at offset 0 with three rows, the count 5, and the sign that more follow (`-` for
 * none). A `?` is a row without a usable id.
 */
function recordOf(walk: string) {
  const record = createWalkRecord();
  const pages = walk.split(' ').map((page) => {
    const [, at = '', ids = '', count, next] =
      /^(\d+):([^#+-]*)(?:#(\d+))?([+-])?$/.exec(page) ?? [];
    const rows = [...ids].map((id) => decodeListed(id === '?' ? {} : { id }, 1));
    const signs = { ...(count && { count: Number(count) }), ...(next && { more: next === '+' }) };
    return record.note({ rows, envelope: 'results', ...signs }, Number(at));
  });
  return { record, pages };
}

const moved = 'its pages contradict each other';
const twice = 'it contains an article more than once';

test.each([
  ['one page without a next one', '0:abc-', 'abc', undefined],
  ['one page, and an empty one', '0:abc 3:', 'abc', undefined],
  ['pages that overlap by one row', '0:abc 2:cde 4:e', 'abcde', undefined],
  ['a row that moved down', '0:abc 2:bcd 4:d', 'abcd', twice],
  ['a row that moved up', '0:abc 2:def 4:f', 'abcdef', moved],
  ['an empty page before the end', '0:abc 2: 2:cd', 'abcd', moved],
  [
    'a count that is not reached',
    '0:abc#5 3:',
    'abc',
    'the service says that it has 5 articles, but lists only 3',
  ],
  ['a count that grows', '0:abc#3 2:cd#4', 'abcd', moved],
  ['the length of each page as its count', '0:abc#3 2:cd#2', 'abcd', undefined],
  ['an article twice on one page', '0:aba#3', 'ab', twice],
  ['two rows without a usable id', '0:a??b 3:b', 'ab', undefined],
])('a walk with %s', (_, pages, ids, reason) => {
  const walk = recordOf(pages).record.judge();
  expect(walk.ids.join('')).toBe(ids);
  expect(walk.doubt?.reason).toBe(reason);
});

it('contains the announced number and the repeated ids with a doubt', () => {
  expect(recordOf('0:abca#4').record.judge().doubt).toMatchObject({
    announced: 4,
    repeated: ['a'],
  });
});

test.each([
  ['0:abc-', true],
  ['0:abc#4-', false],
  ['0:abc#3+', false],
  ['0:abc#3', false],
  ['0:', true],
  ['0:+', false],
])('the end of %s is proven: %s', (pages, isEnd) => {
  const { record } = recordOf(pages);
  expect(record.isEnd(record.lastPage())).toBe(isEnd);
});

test.each([
  ['the first page again', '0:abc 2:abc', true],
  ['the overlapping row alone', '0:abc 2:c', false],
  ['the overlapping row alone, which is also the first row', '0:aba 2:a', false],
  ['the overlapping row alone, with no usable id, like the first', '0:?b? 2:?', false],
  ['the first row again, where pages have one row', '0:a 1:a', true],
])('%s at another offset', (_, pages, isFirstAgain) => {
  expect(recordOf(pages).pages.at(-1)?.isFirstAgain).toBe(isFirstAgain);
});
