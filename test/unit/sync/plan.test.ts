import { describe, expect, test } from 'vitest';
import type { IndexedArticle } from '../../../src/mirror/index-file.ts';
import type { Listing } from '../../../src/sync/list.ts';
import { planLoad } from '../../../src/sync/plan.ts';

const known = (id: string, more: Partial<IndexedArticle> = {}): IndexedArticle => ({
  id,
  title: id,
  digest: `digest of ${id}`,
  row: 'same',
  object: `object of ${id}`,
  cover: null,
  draft: false,
  ...more,
});
const listing = (rows: Listing['rows'], more: Partial<Listing> = {}): Listing => ({
  rows,
  gone: [],
  left: [],
  older: 0,
  problems: [],
  notes: [],
  ...more,
});
const plan = (
  rows: Listing['rows'],
  before: IndexedArticle[],
  { trustList = false, hasArticle = () => true, gone = [] as string[], left = [] as string[] } = {},
) => {
  const tasks = planLoad(listing(rows, { gone, left }), {
    before: new Map(before.map((article) => [article.id, article])),
    trustList,
    hasArticle,
  });
  return {
    current: new Map(
      tasks.flatMap((task) => (task.action === 'keep' ? [[task.id, task.known]] : [])),
    ),
    fetched: tasks.filter(({ action }) => action === 'fetch').map(({ id }) => id),
  };
};

describe('an article is unchanged', () => {
  const row = { kind: 'whole' as const, id: 'a', digest: 'digest of a', cover: null };

  test('when its row has the digest of the stored article, and did at the last fetch', () => {
    const { current, fetched } = plan([row], [known('a')]);
    expect([...current.keys()]).toEqual(['a']);
    expect(fetched).toEqual([]);
  });

  test('and takes the newest signature of its cover from the row', () => {
    const { current } = plan(
      [{ ...row, cover: 'https://x/c.png?X-Amz-Signature=2' }],
      [known('a')],
    );
    expect(current.get('a')?.cover).toBe('https://x/c.png?X-Amz-Signature=2');
  });

  test('when its row was used as the article, only while `trustList` is set', () => {
    const before = [known('a', { row: 'source' })];
    expect(plan([row], before, { trustList: true }).fetched).toEqual([]);
    expect(plan([row], before).fetched).toEqual(['a']);
  });
});

describe('an article is fetched', () => {
  const row = { kind: 'whole' as const, id: 'a', digest: 'digest of a', cover: null };
  const { row: _, ...withoutRow } = known('a');
  const cases: [string, Listing['rows'][number], IndexedArticle[], object?][] = [
    ['when it is new', row, []],
    ['when its row is a summary', { kind: 'partial', id: 'a' }, [known('a')]],
    ['when its row has another digest', { ...row, digest: 'other' }, [known('a')]],
    ['when its row never matched the article', row, [withoutRow]],
    ['when its file is not in the mirror', row, [known('a')], { hasArticle: () => false }],
  ];
  test.each(cases)('%s', (_, listed, before, more = {}) => {
    expect(plan([listed], before, more).fetched).toEqual(['a']);
  });

  test('but not when its row is used as the article', () => {
    const stored = known('a', { row: 'source' });
    const { current, fetched } = plan(
      [{ kind: 'stored', id: 'a', digest: 'digest of a', stored }],
      [],
    );
    expect(current.get('a')).toBe(stored);
    expect(fetched).toEqual([]);
  });
});

test('a known article that the listing lacks is looked up, unless it is proven gone or older', () => {
  const before = [known('a'), known('b'), known('c')];
  const { fetched } = plan([], before, { gone: ['b'], left: ['c'] });
  expect(fetched).toEqual(['a']);
});
