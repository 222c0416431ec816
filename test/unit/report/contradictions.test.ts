import { expect, test } from 'vitest';
import type { ListedRow } from '../../../src/load/rows.ts';
import type { ResolvedOptions } from '../../../src/options/options.ts';
import { contradictionsOf } from '../../../src/report/contradictions.ts';

/** Summaries with dates, the newest one first. */
const rows: ListedRow[] = ['c', 'a', 'b'].map((id, at) => ({
  ...{ id, title: 'Tides' },
  extra: { date: `2024-05-0${9 - at}`, 'a "field"': 1 },
}));
const options = { order: 'newest-first', rows: 'compare' } as ResolvedOptions;

test.each<[string, readonly ListedRow[], Partial<ResolvedOptions>, string | undefined]>([
  ['the order of its dates', rows, {}, undefined],
  [
    'another order',
    rows,
    { order: 'oldest-first' },
    "The listing is newest first, by `date`, and `order` is 'oldest-first', so the site shows its articles in the " +
      "opposite order. Set `order: 'newest-first'`.",
  ],
  [
    '`newest`, and a listing that begins with the oldest',
    rows.toReversed(),
    { newest: 5 },
    "The listing is oldest first, by `date`, and `order` is 'newest-first', so the site shows its articles in the " +
      'opposite order. `newest` needs the newest articles first: sort the listing with `query`.',
  ],
  [
    'another order than ids show',
    [1, 2, 3].map((id) => ({ id: String(id), extra: {} })),
    {},
    undefined,
  ],
  ['a field that rows have', rows, { rows: { changedBy: 'date' } }, undefined],
  [
    'a field that no row has',
    rows,
    { rows: { changedBy: 'updated' } },
    'No row of the listing has the field "updated" that `rows.changedBy` names, so each article is requested in every ' +
      'load. The rows have "id", "title", "a \\"field\\"", "date".',
  ],
  [
    'a field with the name of a method, which no row has',
    rows,
    { rows: { changedBy: 'valueOf' } },
    expect.stringContaining('No row of the listing has the field "valueOf"'),
  ],
  [
    'a field that no row has, of many that single rows have',
    ['n', ...'abcdefghijklm'].map((name) => ({ id: name, extra: { [name]: 1 } })),
    { rows: { changedBy: 'updated' } },
    expect.stringMatching(/have "id", "a", .*, "k" and 3 more\.$/),
  ],
  [
    'a field that no row has, where some have a title',
    [
      { id: '1', extra: {} },
      { id: '2', title: 'Tides', extra: {} },
    ],
    { rows: { changedBy: 'updated' } },
    expect.stringMatching(/have "id", "title"\.$/),
  ],
  [
    'a field that no row has, where each row is the whole article',
    rows.map((row) => ({ ...row, record: 'r' })),
    { rows: { changedBy: 'updated' } },
    undefined,
  ],
  [
    'a field that may be a time, and does not show its unit',
    rows.map((row, at) => ({ ...row, extra: { edited: at === 0 ? 7 : '13.05.2026' } })),
    { rows: { changedBy: 'edited' } },
    'The field "edited" that `rows.changedBy` names may be a time that is not ISO 8601, so it proves nothing, and articles ' +
      'are requested in every load: "a", "b". Send a time such as "2026-03-02T12:00:00Z", or translate the field in ' +
      '`fetch`.',
  ],
  [
    'a field that may be a time, where each row is the whole article',
    rows.map((row) => ({ ...row, record: 'r', extra: { edited: '13.05.2026' } })),
    { rows: { changedBy: 'edited' } },
    undefined,
  ],
  ['no rows', [], { rows: { changedBy: 'updated' } }, undefined],
])('options with %s', (_, listed, more, text) => {
  const texts = contradictionsOf(listed, { ...options, ...more }).map((notice) => notice.text);
  expect(texts).toEqual(text === undefined ? [] : [text]);
});
