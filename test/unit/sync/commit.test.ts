import { expect, test } from 'vitest';
import {
  emptyIndex,
  type IndexedArticle,
  type MirrorIndex,
} from '../../../src/mirror/index-file.ts';
import type { Mirror } from '../../../src/mirror/mirror.ts';
import { commitLoad } from '../../../src/sync/commit.ts';

const article = (id: string, more: Partial<IndexedArticle> = {}): IndexedArticle => ({
  ...{ id, title: id, digest: id, object: id, cover: null, draft: false },
  ...more,
});

/** Returns the ids that count as not shown after a commit. */
async function hiddenAfter(before: IndexedArticle[], ids: string[], shown?: string[]) {
  let committed: MirrorIndex | undefined;
  const mirror = {
    index: emptyIndex('https://app.example.com/'),
    commit: async (next: MirrorIndex) => {
      committed = next;
    },
  } as unknown as Mirror;
  await commitLoad(
    {
      versions: ids.map((id) => ({ state: 'left-out', article: article(id) })),
      before: new Map(before.map((known) => [known.id, known])),
      left: new Set(),
      older: 0,
      images: new Map(),
      ...(shown ? { shown: new Set(shown) } : {}),
    },
    { mirror },
  );
  return committed?.articles.flatMap(({ id, hidden }) => (hidden ? [id] : []));
}

test('a build commits which articles it shows', async () => {
  const before = [article('a'), article('b', { hidden: true })];
  expect(await hiddenAfter(before, ['a', 'b', 'c'], ['b'])).toEqual(['a', 'c']);
});

test('what is new without a build does not count as shown, and the rest stays as it was', async () => {
  const before = [article('a'), article('b', { hidden: true })];
  expect(await hiddenAfter(before, ['a', 'b', 'c'])).toEqual(['b', 'c']);
});
