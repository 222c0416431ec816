import { describe, expect, test } from 'vitest';
import { findStatusFields } from '../../../src/report/status-fields.ts';

const day = '2024-05-01T10:00:00Z';

describe('a field by which articles differ is named with its values', () => {
  test.each<[string, unknown[], string]>([
    ['status', ['published', 'draft'], '"published" in 1, "draft" in 1 of 2 articles'],
    ['status', ['draft', 'draft', 'publish'], '"draft" in 2, "publish" in 1 of 3 articles'],
    ['_status', ['published', undefined], '"published" in 1, missing in 1 of 2 articles'],
    ['status', [...'abcdefg', 'published'], '"a" in 1'],
    ['status', [2, 2, 5], '2 in 2, 5 in 1 of 3 articles'],
    ['state', ['\u202e", x', 'b'], '"\\u{202e}\\", x" in 1'],
    ['draft', [true, false], 'true in 1, false in 1 of 2 articles'],
    ['draft', [undefined, null, true], 'missing in 2, true in 1 of 3 articles'],
    ['published', [1, 0, 1], '1 in 2, 0 in 1 of 3 articles'],
    ['visibility', ['private', 'public'], '"private" in 1, "public" in 1 of 2 articles'],
  ])('%s: %j', (name, values, words) => {
    const articles = values.map((value) => (value === undefined ? {} : { [name]: value }));
    const [field, ...others] = findStatusFields(articles);
    expect(others).toEqual([]);
    expect(field?.values).toContain(words);
  });
});

test.each<[string, unknown[]]>([
  ['the same value in all articles', ['draft', 'draft']],
  ['no value', [undefined, null]],
  ['the same meaning', [false, undefined, 0]],
  ['dates only', [day, '2024-05-02']],
  ['times in seconds since 1970', [1_764_000_000, 1_764_003_600]],
  ['dates and texts', [day, 'soon']],
  ['dates, or no value', [day, null]],
  ['lists', [['draft'], ['published']]],
  ['objects', [{ draft: true }, {}]],
  ['many values', Array.from({ length: 9 }, (_, at) => `value ${at}`)],
])('a field with %s is not named', (_, values) => {
  for (const name of ['status', 'draft', 'published'])
    expect(findStatusFields(values.map((value) => ({ [name]: value })))).toEqual([]);
});

test('a field of another name is not named', () => {
  expect(findStatusFields([{ kind: 'draft' }, { kind: 'published' }])).toEqual([]);
});
