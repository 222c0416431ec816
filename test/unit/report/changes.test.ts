import { expect, test } from 'vitest';
import type { Fate } from '../../../src/load/fate.ts';
import type { IndexedArticle } from '../../../src/mirror/formats.ts';
import { countChanges } from '../../../src/report/changes.ts';

const article = (id: string, more: Partial<IndexedArticle> = {}): IndexedArticle => ({
  ...{ id, title: 't', record: 'r', cover: null, hasContent: true, slug: id },
  ...{ renderings: [], ...more },
});

test('changes are those of the articles that the site shows, and others are named by reason', () => {
  const leftOut = (why: 'draft' | 'transform' | 'schema'): Fate => ({ is: 'left out', why });
  const shown: Fate = { is: 'shown' };
  const fates = new Map<string, Fate>([
    ['new', shown],
    ['new draft', leftOut('draft')],
    ['same draft', leftOut('draft')],
    ['published', shown],
    ['withdrawn', leftOut('draft')],
    ['same', shown],
    ['edited', shown],
    ['unlisted', { is: 'shown', why: 'not listed' }],
    ['hidden by transform', leftOut('transform')],
    ['gone', { is: 'gone' }],
    ['gone, but never shown', { is: 'gone' }],
    ['older', { is: 'older' }],
    ['older, but never shown', { is: 'older' }],
  ]);
  const transformed = (id: string) => article(id, id === 'published' ? { title: ' ' } : {});
  const versions = new Map(
    [...fates.keys()].map((id) => [id, { article: article(id), transformed: transformed(id) }]),
  );
  const before = [
    ...[article('same draft', { slug: undefined }), article('published', { slug: undefined })],
    ...['withdrawn', 'same', 'unlisted', 'hidden by transform', 'gone', 'older'].map((id) =>
      article(id),
    ),
    ...[article('edited', { record: 'e' }), article('gone, but never shown', { slug: undefined })],
  ];
  const known = new Map(before.map((each) => [each.id, each]));
  const changes = countChanges(fates, versions as never, { before: known });
  expect(changes).toEqual({
    ...{ shown: 5, added: 2, updated: 1, unchanged: 2, older: 1 },
    drafts: ['published'],
    removed: ['withdrawn', 'hidden by transform', 'gone'],
    leftOut: {
      draft: ['new draft', 'same draft', 'withdrawn'],
      transform: ['hidden by transform'],
    },
  });
});
