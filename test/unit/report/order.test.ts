import { expect, test } from 'vitest';
import { orderOf } from '../../../src/report/order.ts';

const day = (number: number) => `2024-05-${String(number).padStart(2, '0')}`;
const days = (count: number) => Array.from({ length: count }, (_, at) => day(10 + at));
/** Rows with ids that show no order. */
const rowsWith = (name: string, values: readonly unknown[]) =>
  values.map((value, at) => ({ id: `id-${at}`, extra: { [name]: value } }));

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
])('rows whose %s is %j', (name, values, words) => {
  const order = orderOf(rowsWith(name, values));
  expect(order && `${order.order.replace('-', ' ')}, by ${order.by}`).toBe(words);
  expect(order?.isDated).toBe(words === undefined ? undefined : true);
});

test('a date of publication counts before one of creation, this before others, and all before ids', () => {
  const rows = [1, 2, 3].map((number) => ({
    id: String(number),
    extra: { date: day(number), created: day(number), published: day(9 - number) },
  }));
  expect(orderOf(rows)).toMatchObject({ order: 'newest-first', by: '`published`' });
  const drafts = rows.map(({ id, extra: { published: _, ...extra } }) => ({ id, extra }));
  expect(orderOf(drafts)).toMatchObject({ by: '`created`' });
  const withoutDates = rows.map(({ id }) => ({ id, extra: {} }));
  expect(orderOf(withoutDates)).toMatchObject({ order: 'oldest-first', isDated: false });
});

test.each([
  ['1', '2', '3', '4a'],
  ['1', '2', '3', 'a4'],
  ['1', '2', '3', ''],
  ['1', '2', '3', '1234567890123456'],
])('ids of which one is not a number of 15 digits show no order: %j', (...ids) => {
  expect(orderOf(ids.map((id) => ({ id, extra: {} })))).toBeUndefined();
});
