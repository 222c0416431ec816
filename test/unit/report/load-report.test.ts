import { expect, test } from 'vitest';
import { warningsOf } from '../../../src/report/load-report.ts';

const ids = Array.from({ length: 5_000 }, (_, at) => `id-${at}`);
const none = { problems: [], notes: [], imageProblems: [], unproven: undefined, versions: [] };

test('an image of thousands of articles is one short line', () => {
  const problem = { url: 'https://a.example/x.png', reason: 'no', kept: false };
  const imageProblems = [{ ...problem, articles: ids, isCover: true }];
  const [warning] = warningsOf({ ...none, imageProblems });
  expect(warning?.text).toContain('id-4 and 4995 more: no');
});

test('thousands of names of dropped elements are one short line', () => {
  const versions = ids.map((id) => ({
    article: { id, title: 't', digest: 'd', object: 'o', cover: null, draft: false },
    fields: { title: 't', description: '', words: 1, extra: {}, dropped: [`x-${id}`] },
  }));
  const [warning] = warningsOf({ ...none, versions });
  expect(warning?.text.length).toBeLessThan(1_000);
  expect(warning?.text).toContain('and 4980 more) from articles id-0');
});
