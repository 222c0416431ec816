import { expect, it } from 'vitest';
import { readDate } from '../../../src/shared/page-values.ts';

it.each([undefined, null, ''])('returns no date for %j', (given) => {
  expect(readDate(given, '`date`')).toBeUndefined();
});

it('returns the date of a Date and of a text', () => {
  const date = new Date('2026-03-02T12:00:00Z');
  expect(readDate(date, '`date`')).toEqual(date);
  expect(readDate('2026-03-02T13:00:00+01:00', '`date`')).toEqual(date);
});

it.each(['yesterday', '2026-13-01', new Date(Number.NaN)])(
  'refuses %s, and names where it was passed',
  (given) => {
    expect(() => readDate(given, '`date` of feedItems()')).toThrow(
      /`date` of feedItems\(\) received an invalid date: /,
    );
  },
);
