import { expect, test } from 'vitest';
import type { ListedRow } from '../../../src/load/rows.ts';
import type { IndexedArticle, StoredArticle } from '../../../src/mirror/formats.ts';
import type { ResolvedOptions } from '../../../src/options/options.ts';
import { collectFacts, type SeenService } from '../../../src/report/service-facts.ts';

const options = { order: 'newest-first', rows: 'compare', bodies: 'store' } as ResolvedOptions;

interface Fixture {
  id: string;
  /** The further fields of its row, and of the article. */
  row?: Record<string, unknown>;
  extra?: Record<string, unknown>;
  isWhole?: boolean;
}

/** What a load has seen of some articles. */
function seenOf(fixtures: readonly Fixture[], more: Partial<SeenService> = {}): SeenService {
  const rows = fixtures.map(
    ({ id, row = {}, isWhole }): ListedRow => ({
      ...{ id, extra: row },
      ...(isWhole && { record: id }),
    }),
  );
  const articles = fixtures.map(
    ({ id, isWhole }): IndexedArticle => ({
      ...{ id, title: 't', record: id, cover: null, hasContent: true, renderings: [] },
      ...(isWhole && { rowIsWhole: true }),
    }),
  );
  const extraOf = new Map(fixtures.map(({ id, extra = {} }) => [id, extra]));
  return {
    ...{ options, rows, taken: new Set(), hasOtherEntries: false },
    articles: new Map(articles.map((article) => [article.id, article])),
    fields: extraOf,
    readArticle: (record) => ({ extra: extraOf.get(record) ?? {} }) as StoredArticle,
    ...more,
  };
}

/** An article whose row has the same further fields. */
const listed = (at: number, fields: Record<string, unknown>): Fixture => ({
  ...{ id: `id-${at}`, row: fields, extra: fields },
});

const times = ['2024-05-03', '2024-05-02', '2024-05-01'];
const summaries = times.map((updated_at, at) =>
  listed(at, { updated_at, version: at, api_version: 2 }),
);

test('of nothing listed, nothing is requested', () => {
  expect(collectFacts(seenOf([]))).toMatchObject({ listed: 0, requested: 0 });
});

test('articles are requested whose row is not the whole article', () => {
  const whole = summaries.map((each) => ({ ...each, isWhole: true }));
  expect(collectFacts(seenOf(whole))).toMatchObject({ listed: 3, requested: 0, compared: 3 });
  const [first, ...others] = whole;
  const one = seenOf([{ ...first, id: 'id-0', isWhole: false }, ...others]);
  expect(collectFacts(one)).toMatchObject({ listed: 3, requested: 1, compared: 1 });
});

test.each<[string, Fixture[], string | undefined]>([
  ['a time', summaries, 'updated_at'],
  [
    'a time behind a number',
    times.map((updated_at, at) => listed(at, { version: at, updated_at })),
    'updated_at',
  ],
  ...[undefined, null, ''].map((value): [string, Fixture[], undefined] => [
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
    (name): [string, Fixture[], string] => [
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
])('%s may prove that articles are unchanged', (_, fixtures, field) => {
  expect(collectFacts(seenOf(fixtures)).provingField).toBe(field);
});

test('articles are unproven whose row lacks the field of `rows.changedBy`, or has another value', () => {
  const row = { updated_at: '2024-05-01' };
  const fixtures: Fixture[] = [
    { id: 'same', row, extra: row },
    { id: 'other', row, extra: { updated_at: '2024-06-01' } },
    { id: 'without', row, extra: {} },
  ];
  const rows = { changedBy: 'updated_at' };
  const facts = collectFacts(seenOf(fixtures, { options: { ...options, rows } }));
  expect(facts).toMatchObject({ changedBy: 'updated_at', compared: 3, unproven: 2 });
});

test('a field of `rows.changedBy` that no row has leaves the choice to another one', () => {
  const rows = { changedBy: 'edited' };
  const facts = collectFacts(seenOf(summaries, { options: { ...options, rows } }));
  expect(facts).toMatchObject({ changedBy: undefined, provingField: 'updated_at', unproven: 0 });
});

test('only dates of articles, and ids, are an order that advice speaks of', () => {
  const withDates = (name: 'row' | 'extra') =>
    summaries.map(({ id }, at) => ({ id, [name]: { date: times[at] } }));
  expect(collectFacts(seenOf(withDates('extra'))).order).toMatchObject({ by: '`date`' });
  // The row of a draft, which the site does not show.
  const rows = ['draft', ...summaries.map(({ id }) => id)].map((id) => ({ id, extra: {} }));
  expect(collectFacts(seenOf(withDates('extra'), { rows })).order).toMatchObject({ by: '`date`' });
  expect(collectFacts(seenOf(withDates('row'))).order).toBeUndefined();
  const newest = { options: { ...options, newest: 5 } };
  expect(collectFacts(seenOf(withDates('extra'), newest)).order).toBeUndefined();
});
