import { expect, test } from 'vitest';
import { findProvingField } from '../../../src/report/facts.ts';
import { factsOfService, type SeenArticle } from '../../helpers/facts.ts';

/** An article whose row has the same further fields. */
const listed = (at: number, fields: Record<string, unknown>): SeenArticle => ({
  ...{ id: `id-${at}`, row: fields, extra: fields },
});

const times = ['2024-05-03', '2024-05-02', '2024-05-01'];
const summaries = times.map((updated_at, at) =>
  listed(at, { updated_at, version: at, api_version: 2 }),
);

test('of nothing listed, nothing is requested', () => {
  expect(factsOfService([]).service).toMatchObject({ listed: 0, requested: 0 });
});

test('articles are requested whose row is not the whole article, and compared with their rows', () => {
  const whole = summaries.map((each) => ({ ...each, isWhole: true }));
  const { service } = factsOfService(whole);
  expect(service).toMatchObject({ listed: 3, requested: 0 });
  expect(service?.compared).toHaveLength(3);
  const [first, ...others] = whole;
  const one = factsOfService([{ ...first, id: 'id-0', isWhole: false }, ...others]);
  expect(one.service).toMatchObject({ listed: 3, requested: 1 });
  expect(one.service?.compared).toHaveLength(1);
});

test.each<[string, SeenArticle[], string | undefined]>([
  ['a time', summaries, 'updated_at'],
  [
    'a time behind a number',
    times.map((updated_at, at) => listed(at, { version: at, updated_at })),
    'updated_at',
  ],
  ...[undefined, null, ''].map((value): [string, SeenArticle[], undefined] => [
    `no field that is ${JSON.stringify(value)} in an article and its row`,
    [value, 1, 2].map((revision, at) => listed(at, { revision })),
    undefined,
  ]),
  [
    'a number that differs between articles, if no time does',
    times.map((_, at) => listed(at, { version: at, api_version: 2 })),
    'version',
  ],
  ...['modified', 'lastChanged', 'VERSION_ID', 'revision', 'UpdatedAt'].map(
    (name): [string, SeenArticle[], string] => [
      `the field ${name}`,
      times.map((time, at) => listed(at, { [name]: time })),
      name,
    ],
  ),
  [
    'no time whose unit is unclear',
    ['1.05.2026', '2.05.2026', '3.05.2026'].map((updated_at, at) => listed(at, { updated_at })),
    undefined,
  ],
  [
    'no field that differs between an article and its row',
    summaries.map(({ id, row }) => ({ id, row: { updated_at: row?.updated_at }, extra: {} })),
    undefined,
  ],
  ['no field whose name says nothing of changes', [listed(0, { date: 1 })], undefined],
  [
    'no field whose name could not be written in the option',
    [1, 2, 3].map((time, at) => listed(at, { 'updated-at': time })),
    undefined,
  ],
])('%s may prove that articles are unchanged', (_, articles, field) => {
  expect(findProvingField(factsOfService(articles).service?.compared ?? [])).toBe(field);
});

test('dates of rows are a certain order, and dates of articles another one', () => {
  const withDates = (name: 'row' | 'extra') =>
    summaries.map(({ id }, at) => ({ id, [name]: { date: times[at] } }));
  expect(factsOfService(withDates('row')).order).toMatchObject({ by: '`date`', isCertain: true });
  expect(factsOfService(withDates('extra')).order).toMatchObject({
    by: '`date`',
    isCertain: false,
  });
  // The row of a draft, which the site does not show.
  const rows = ['draft', ...summaries.map(({ id }) => id)].map((id) => ({ id, extra: {} }));
  expect(factsOfService(withDates('extra'), { rows }).order).toMatchObject({ by: '`date`' });
  expect(factsOfService(withDates('extra'), { options: { newest: 5 } }).order).toBeUndefined();
});
