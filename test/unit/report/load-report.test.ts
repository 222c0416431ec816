import { expect, test } from 'vitest';
import type { Fate } from '../../../src/load/fate.ts';
import type { IndexedArticle } from '../../../src/mirror/formats.ts';
import { countChanges, hasNews, type LoadReport } from '../../../src/report/load-report.ts';

const none = {
  ...{ shown: 1, added: 0, updated: 0, unchanged: 1, older: 0 },
  ...{ drafts: [], removed: [], leftOut: {} },
};
const report: LoadReport = {
  ...{ collection: 'articles', status: 'synced', duration: 1, notices: [], changes: none },
};
const notice = (text: string, code = 'mirror') => ({ code, text });
const outage = (text: string): Partial<LoadReport> => ({
  status: 'kept',
  notices: [notice(text, 'outage')],
});

test.each<[string, Partial<LoadReport>, Partial<LoadReport> | undefined, boolean]>([
  ['the first report', {}, undefined, true],
  ['the same report', {}, {}, false],
  ['a load that took longer', { duration: 9 }, {}, false],
  ['an outage', outage('503'), {}, true],
  ['the end of an outage', {}, outage('503'), true],
  ['an outage with another error', outage('504'), outage('503'), false],
  ['an article that is new', { changes: { ...none, added: 1 } }, {}, true],
  ['an article that is updated', { changes: { ...none, updated: 1 } }, {}, true],
  ['an article that is removed', { changes: { ...none, removed: ['1'] } }, {}, true],
  ['more articles that are unchanged', { changes: { ...none, unchanged: 2 } }, {}, false],
  ['a notice', { notices: [notice('a')] }, {}, true],
  ['another notice', { notices: [notice('b')] }, { notices: [notice('a')] }, true],
  ['the same notice', { notices: [notice('a')] }, { notices: [notice('a')] }, false],
  [
    'the same changes again, while no load is committed',
    { ...outage('503'), changes: { ...none, updated: 1 } },
    { ...outage('503'), changes: { ...none, updated: 1 } },
    false,
  ],
])('%s is news: %j after %j: %j', (_, now, last, isNews) => {
  expect(hasNews({ ...report, ...now }, last && { ...report, ...last })).toBe(isNews);
});

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
