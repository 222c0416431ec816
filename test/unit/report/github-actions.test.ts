import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { reportToGithub } from '../../../src/report/github-actions.ts';
import type { LoadReport } from '../../../src/report/load-report.ts';

const report: LoadReport = {
  collection: 'articles',
  status: 'synced',
  at: 0,
  duration: 1234,
  warnings: [
    { kind: 'articles', text: 'Article "1%0A::error::x": no,\n::set-output name=a::b' },
    { kind: 'articles', text: '@someone | <img src=x> #12 `code`' },
  ],
};

afterEach(() => vi.restoreAllMocks());

function written(env: NodeJS.ProcessEnv, loadReport = report): string {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  reportToGithub(loadReport, env);
  return write.mock.calls.map(([text]) => String(text)).join('');
}

test('writes nothing outside GitHub Actions', () => {
  expect(written({})).toBe('');
});

test('writes one annotation for each kind of warning, whose text cannot add a command', () => {
  const lines = written({ GITHUB_ACTIONS: 'true' }).split('\n').filter(Boolean);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /^::warning title=Collection "articles"%3A articles with problems \(2\)::/,
  );
  expect(lines[0]).toContain('"1%250A::error::x": no,%0A::set-output');
});

test('writes an error for a load that failed', () => {
  const failed: LoadReport = { ...report, status: 'failed', error: 'GET x: no', warnings: [] };
  expect(written({ GITHUB_ACTIONS: 'true' }, failed)).toBe(
    '::error title=Collection "articles"%3A not loaded::GET x: no\n',
  );
});

test('writes a step summary in which texts are neither Markdown nor mentions', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'summary-')), 'summary.md');
  written({ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file });
  const text = await readFile(file, 'utf8');
  expect(text).toContain('- synced\n');
  expect(text).toContain('- @\u2060someone \\| &lt;img src=x&gt; \\#12 \\`code\\`');
  expect(text).not.toMatch(/@\w/);
});

test('shows a part of thousands of warnings, since GitHub shows no summary that is too long', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'summary-')), 'summary.md');
  const text = `Article "1": ${'x'.repeat(500)}`;
  const warnings = Array.from({ length: 5_000 }, () => ({ kind: 'articles' as const, text }));
  const output = written(
    { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file },
    { ...report, warnings },
  );
  for (const part of [output, await readFile(file, 'utf8')]) {
    expect(part.length).toBeLessThan(100_000);
    expect(part).toContain('… and 4950 more.');
  }
});
