import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  describeValues,
  findStatusFields,
  transformFor,
} from '../../../src/report/status-fields.ts';
import { toJsonValue } from '../../../src/shared/json-value.ts';
import { runs } from '../../helpers/runs.ts';

type Article = Readonly<Record<string, unknown>>;

/** Evaluates the printed option, and returns the articles that it keeps. It receives them without what is null. */
function keptBy(option: string, articles: readonly Article[]): Article[] {
  const { transform } = new Function(`return { ${option} };`)();
  const withoutNull = (article: Article) =>
    Object.fromEntries(Object.entries(article).filter(([, value]) => value !== null));
  return articles.filter((article) => transform(withoutNull(article)) !== undefined);
}

const day = '2024-05-01T10:00:00Z';

describe('of articles that differ, those that are published are kept', () => {
  test.each<[string, unknown[], unknown[], string]>([
    [
      'status',
      ['published', 'draft'],
      ['published'],
      '"draft" in 1, "published" in 1 of 2 articles',
    ],
    [
      'status',
      ['draft', 'draft', 'publish'],
      ['publish'],
      '"draft" in 2, "publish" in 1 of 3 articles',
    ],
    [
      '_status',
      ['published', undefined],
      ['published'],
      '"published" in 1, missing in 1 of 2 articles',
    ],
    [
      'state',
      ['done', 'done', 'review'],
      ['done', 'done'],
      '"done" in 2, "review" in 1 of 3 articles',
    ],
    ['state', [undefined, 'pending'], [undefined], '"pending" in 1, missing in 1 of 2 articles'],
    // No more values, and no longer ones, are named.
    ['status', [...'abcdefg', 'published'], ['published'], ''],
    ['status', ['x'.repeat(40), 'published'], ['published'], ''],
    ['status', [2, 2, 5], [2, 2], '2 in 2, 5 in 1 of 3 articles'],
    ['visibility', ['private', 'public', 'hidden'], ['public'], ''],
    ['draft', [true, false], [false], 'false in 1, true in 1 of 2 articles'],
    ['draft', [undefined, null, true], [undefined, null], 'missing in 2, true in 1 of 3 articles'],
    ['published', [1, 0, 1], [1, 1], '1 in 2, 0 in 1 of 3 articles'],
    ...['published', 'Public', 'live', 'Active', 'online'].map(
      (value): [string, string[], string[], string] => ['status', ['a', 'a', value], [value], ''],
    ),
    ...['Draft', 'private', 'hidden', 'pending', 'in review', 'archived', 'trashed', 'deleted']
      .concat('scheduled', 'Unpublished', 'inactive')
      .map((value): [string, string[], string[], string] => [
        'status',
        [value, value, 'a'],
        ['a'],
        '',
      ]),
    ...['republic', 'alive', 'lively', 'actively', 'reactive', 'online shop', 'not online'].map(
      (value): [string, string[], string[], string] => [
        'status',
        ['a', 'a', value],
        ['a', 'a'],
        '',
      ],
    ),
  ])('%s: %j', (name, values, kept, words) => {
    const articles = values.map((value) => (value === undefined ? {} : { [name]: value }));
    const [field, ...others] = findStatusFields(articles);
    expect(others).toEqual([]);
    if (field === undefined) return expect.unreachable('the field is not named');
    expect(describeValues(field)).toContain(words);
    expect(keptBy(transformFor(field), articles).map((article) => article[name])).toEqual(kept);
  });
});

test.each<[string, unknown[]]>([
  ['the same value in all articles', ['draft', 'draft']],
  ['no value', [undefined, null]],
  ['the same meaning', [false, undefined, 0]],
  ['dates only', [day, '2024-05-02']],
  ['dates and texts', [day, 'soon']],
  ['dates, or no value', [day, null]],
  ['lists', [['draft'], ['published']]],
  ['objects', [{ draft: true }, {}]],
  ['many values', Array.from({ length: 9 }, (_, at) => `value ${at}`)],
  ['long texts', ['x'.repeat(41), 'draft']],
])('a field with %s is not named', (_, values) => {
  for (const name of ['status', 'draft', 'published'])
    expect(findStatusFields(values.map((value) => ({ [name]: value })))).toEqual([]);
});

test('a field of another name is not named', () => {
  expect(findStatusFields([{ kind: 'draft' }, { kind: 'published' }])).toEqual([]);
});

test('the option leaves out some articles and keeps others, and a load without them names the field no more', () => {
  const names = ['status', '_status', 'state', 'draft', 'published', 'visibility'];
  const value = fc.oneof(
    fc.constantFrom('draft', 'published', true, false, 0, 1, null, day, '", process.exit(1), "'),
    fc.string({ unit: 'binary', maxLength: 5 }),
  );
  const tables = fc
    .tuple(fc.constantFrom(...names), fc.array(value, { minLength: 2, maxLength: 3 }))
    .chain(([name, values]) =>
      fc.array(
        fc.constantFrom(...values).map((each) => ({ [name]: each })),
        { maxLength: 12 },
      ),
    );
  let named = 0;
  fc.assert(
    fc.property(tables, (table) => {
      const articles: Article[] = table.map((article) => Object(toJsonValue(article)));
      for (const field of findStatusFields(articles)) {
        named += 1;
        const option = transformFor(field);
        expect(`${option} ${describeValues(field)}`).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        const kept = keptBy(option, articles);
        expect(kept.length).toBeGreaterThan(0);
        expect(kept.length).toBeLessThan(articles.length);
        expect(findStatusFields(kept)).toEqual([]);
      }
    }),
    { ...runs(500), seed: 3 },
  );
  expect(named).toBeGreaterThan(30);
});
