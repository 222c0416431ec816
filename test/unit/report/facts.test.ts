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

test('articles are requested whose row is not the whole article', () => {
  const whole = summaries.map((each) => ({ ...each, isWhole: true }));
  expect(factsOfService(whole)).toMatchObject({ listed: [{}, {}, {}], partial: [] });
  const [first, ...others] = whole;
  const one = factsOfService([{ ...first, id: 'id-0', isWhole: false }, ...others]);
  expect(one).toMatchObject({ listed: [{}, {}, {}], partial: [{ id: 'id-0' }] });
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
    [value, times[1], times[2]].map((modified, at) => listed(at, { modified })),
    undefined,
  ]),
  [
    'no number, which may be the version of the API',
    times.map((_, at) => listed(at, { change: at, api_version: 2 })),
    undefined,
  ],
  ...['modified', 'lastChanged', 'MODIFIED_ON', 'UpdatedAt'].map(
    (name): [string, SeenArticle[], string] => [
      `the field ${name}`,
      times.map((time, at) => listed(at, { [name]: time })),
      name,
    ],
  ),
  [
    'no time in another notation',
    ['1.05.2026', '2.05.2026', '3.05.2026'].map((updated_at, at) => listed(at, { updated_at })),
    undefined,
  ],
  [
    'no field that differs between an article and its row',
    summaries.map(({ id, row }) => ({ id, row: { updated_at: row?.updated_at }, extra: {} })),
    undefined,
  ],
  ['no field whose name says nothing of changes', [listed(0, { date: times[0] })], undefined],
  [
    'no field whose name could not be written in the option',
    times.map((time, at) => listed(at, { 'updated-at': time })),
    undefined,
  ],
])('%s may prove that articles are unchanged', (_, articles, field) => {
  const { partial, service } = factsOfService(articles);
  expect(service && findProvingField(partial, service)).toBe(field);
});
