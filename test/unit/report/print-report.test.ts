import { expect, test } from 'vitest';
import type { LoadReport } from '../../../src/report/load-report.ts';
import { printReport } from '../../../src/report/print-report.ts';

const report: LoadReport = { collection: 'articles', status: 'synced', duration: 1, notices: [] };

function linesOf(more: Partial<LoadReport>): string[] {
  const lines: string[] = [];
  const log = (level: string) => (line: string) => void lines.push(`${level}: ${line}`);
  printReport({ ...report, ...more }, { info: log('info'), warn: log('warn') });
  return lines;
}

test('a report is its notices, a line with what has changed, and its advice, in this order', () => {
  const changes = {
    ...{ shown: 0, added: 0, updated: 0, unchanged: 0, older: 0 },
    ...{ drafts: [], removed: [], leftOut: {} },
  };
  const notices = ['one', 'two'].map((text) => ({ kind: 'other' as const, ids: [], text }));
  expect(linesOf({ notices, changes, advice: 'Advice\nof two lines' })).toEqual([
    ...['warn: one', 'warn: two', expect.stringMatching(/^info: 0 articles shown/)],
    'info: Advice\nof two lines',
  ]);
});

test('a report without changes and advice has no lines of them', () => {
  expect(linesOf({ advice: '' })).toEqual([]);
});
