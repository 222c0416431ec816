import { expect, test } from 'vitest';
import { orderByDates, orderByIds } from '../../../src/report/order.ts';

const day = (number: number) => `2024-05-${String(number).padStart(2, '0')}`;
const days = (count: number) => Array.from({ length: count }, (_, at) => day(10 + at));
test.each<[string, readonly unknown[], string | undefined]>([
  ['published_at', [day(3), day(2), day(1)], 'newest first, by `published_at`'],
  ['date', [day(1), day(2), day(3)], 'oldest first, by `date`'],
  ['created', [1_714_550_400, 1_714_550_500, 1_714_550_600], 'oldest first, by `created`'],
  [
    'created',
    [1_714_550_400_000, 1_714_550_300_000, 1_714_550_200_000],
    'newest first, by `created`',
  ],
  // One article of twelve may be pinned, and none of eleven.
  ['date', [day(1), ...days(11).reverse()], 'newest first, by `date`'],
  ['date', [day(1), ...days(10).reverse()], undefined],
  ['date', [day(30), ...days(11)], 'oldest first, by `date`'],
  ['date', [day(30), ...days(10)], undefined],
  ['date', [day(3), day(2), day(2)], undefined],
  ['date', [day(3), day(1), day(2)], undefined],
  ['date', [day(2), day(1)], undefined],
  ['date', [day(3), day(2), null], undefined],
  ['date', [3, 2, 1], undefined],
  ['Published', [day(3), day(2), day(1)], 'newest first, by `Published`'],
  ['dateCreated', [day(3), day(2), day(1)], 'newest first, by `dateCreated`'],
  ['CREATED', [day(3), day(2), day(1)], 'newest first, by `CREATED`'],
  ['DATE', [day(3), day(2), day(1)], 'newest first, by `DATE`'],
  ['updated_at', [day(3), day(2), day(1)], undefined],
  ['date_modified', [day(3), day(2), day(1)], undefined],
  ['lastChangeDate', [day(3), day(2), day(1)], undefined],
  ['DATEUPDATED', [day(3), day(2), day(1)], undefined],
  ['published-at', [day(3), day(2), day(1)], undefined],
])('articles whose %s is %j', (name, values, words) => {
  const order = orderByDates(values.map((value) => ({ [name]: value })));
  expect(order && `${order.order.replace('-', ' ')}, by ${order.by}`).toBe(words);
});

test('a date of publication counts before one of creation, and this before others', () => {
  const articles = [1, 2, 3].map((number) => ({
    ...{ date: day(number), created: day(number), published: day(9 - number) },
  }));
  expect(orderByDates(articles)).toEqual({ order: 'newest-first', by: '`published`' });
  const drafts = articles.map(({ published: _, ...fields }) => fields);
  expect(orderByDates(drafts)).toMatchObject({ by: '`created`' });
});

test('numbers of ids show an order', () => {
  expect(orderByIds(['8', '9', '10'])).toMatchObject({ order: 'oldest-first' });
  expect(orderByIds(['10', '9', '8'])).toMatchObject({ order: 'newest-first' });
});

test.each([
  ['1', '2', '3', '4a'],
  ['1', '2', '3', 'a4'],
  ['1', '2', '3', ''],
  ['1', '2', '3', '1234567890123456'],
])('ids of which one is not a number of 15 digits show no order: %j', (...ids) => {
  expect(orderByIds(ids)).toBeUndefined();
});
