import { expect, test } from 'vitest';
import { countChanges, warningsOf } from '../../../src/report/load-report.ts';

const ids = Array.from({ length: 5_000 }, (_, at) => `id-${at}`);
const none = { problems: [], notes: [], imageProblems: [], unproven: undefined, versions: [] };

const article = (id: string, more: { digest?: string; draft?: boolean; hidden?: true } = {}) => ({
  id,
  title: 't',
  digest: 'd',
  object: 'o',
  cover: null,
  draft: false,
  ...more,
});

/** An article from whose HTML these elements were dropped. */
function versionWith(id: string, dropped: string[]) {
  const shown = { ...article(id), rendering: { hash: 'r', images: [], dropped } };
  return { article: shown, shown };
}

test('an image of thousands of articles is one short line', () => {
  const problem = { url: 'https://a.example/x.png', reason: 'no', kept: false };
  const imageProblems = [{ ...problem, articles: ids, isCover: true }];
  const [warning] = warningsOf({ ...none, imageProblems });
  expect(warning?.text).toContain('id-4 and 4995 more: no');
});

test('thousands of names of dropped elements are one short line', () => {
  const versions = ids.map((id) => versionWith(id, [`x-${id}`]));
  const [warning] = warningsOf({ ...none, versions });
  expect(warning?.text.length).toBeLessThan(1_000);
  expect(warning?.text).toContain('and 4980 more) from articles id-0');
});

test('dropped HTML is reported with the option that keeps it', () => {
  const warn = (dropped: string[]) =>
    warningsOf({ ...none, versions: [versionWith('7', dropped)] })[0]?.text;
  expect(warn(['iframe www.youtube.com'])).toBe(
    'HTML that is not allowed was dropped (iframe www.youtube.com) from article 7. ' +
      "`sanitize: { iframes: ['www.youtube.com'] }` keeps frames.",
  );
  expect(warn(['onclick'])).toContain(
    '`sanitize: { tags, attributes }` keeps what is named there.',
  );
  expect(warn([])).toBeUndefined();
});

test('drafts that are left out are neither added, updated nor removed', () => {
  const versions = [
    article('new draft', { draft: true }),
    article('same draft', { draft: true }),
    article('published', { digest: 'e' }),
    article('withdrawn', { digest: 'e', draft: true }),
    article('completed by transform', { draft: true }),
    article('same'),
  ].map((each) => ({ article: each }));
  const before = [
    article('same draft', { draft: true, hidden: true }),
    article('published', { draft: true, hidden: true }),
    article('withdrawn'),
    article('completed by transform', { draft: true }),
    article('same'),
    article('gone'),
    article('older'),
  ];
  const left = new Set(['older']);
  const load = { versions, left, before: new Map(before.map((each) => [each.id, each])) };
  const shown = new Set(['published', 'completed by transform', 'same']);
  expect(countChanges(load, { shown, drafts: 'skip' })).toEqual({
    added: 1,
    updated: 0,
    unchanged: 2,
    removed: 2,
    left: 1,
    entries: 3,
    drafts: 3,
    leftOut: 0,
  });
});
