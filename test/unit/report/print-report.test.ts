import { expect, test, vi } from 'vitest';
import type { LoadReport } from '../../../src/report/load-report.ts';
import { printReport, reportToGithub } from '../../../src/report/print-report.ts';

const report: LoadReport = { collection: 'articles', status: 'synced', duration: 1, notices: [] };

const ids = Array.from({ length: 5_000 }, (_, at) => `id-${at}`);

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
  const notices = ['one', 'two'].map((text) => ({ code: 'mirror', text }));
  expect(linesOf({ notices, changes, advice: 'Advice\nof two lines' })).toEqual([
    ...['warn: one', 'warn: two', expect.stringMatching(/^info: 0 articles shown/)],
    'info: Advice\nof two lines',
  ]);
});

test('a report without changes and advice has no lines of them', () => {
  expect(linesOf({ advice: '' })).toEqual([]);
});

test('the first fifty notices are printed, and how many more there are', () => {
  const notices = (count: number) => ids.slice(0, count).map((text) => ({ code: 'article', text }));
  expect(linesOf({ notices: notices(50) })).toHaveLength(50);
  expect(linesOf({ notices: notices(51) }).slice(49)).toEqual([
    'warn: id-49',
    'warn: … and 1 more.',
  ]);
});

test('GitHub gets one annotation with a part of thousands of notices, or with the failure', () => {
  const notices = ids.map((id) => ({ code: 'article', text: `${id} ${'x'.repeat(500)}` }));
  const loaded = { collection: 'news, all', status: 'synced' as const, duration: 1, notices };
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const env = { GITHUB_ACTIONS: 'true' };
  for (const value of [undefined, '', 'false']) reportToGithub(loaded, { GITHUB_ACTIONS: value });
  reportToGithub({ ...loaded, notices: [] }, env);
  const silent = write.mock.calls.length === 0;
  reportToGithub(loaded, env);
  reportToGithub({ ...loaded, status: 'failed', error: '100 %\r\nfailed' }, env);
  const [[warning = ''] = [], [failure] = []] = write.mock.calls.map(([text]) => [String(text)]);
  write.mockRestore();
  expect(silent).toBe(true);
  expect(warning).toMatch(
    /^::warning title=Collection "news%2C all"%3A warnings::.*… and 4950 more\.\n$/,
  );
  expect(warning.length).toBeLessThan(100_000);
  expect(failure).toBe(
    '::error title=Collection "news%2C all"%3A not loaded::100 %25%0D%0Afailed\n',
  );
});
