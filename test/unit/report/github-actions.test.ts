import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { reportToGithub } from '../../../src/report/github-actions.ts';
import type { LoadReport } from '../../../src/report/load-report.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

const report: LoadReport = {
  collection: 'articles',
  status: 'synced',
  at: 0,
  duration: 1234,
  notices: [
    { kind: 'article', ids: ['1%0A::error::x'], text: 'no,\n::set-output name=a::b' },
    { kind: 'other', ids: [], text: '@someone | <img src=x> #12 `code`' },
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

test('shows a part of thousands of notices, since GitHub shows no summary that is too long', async () => {
  const file = join(await temporaryFolder(), 'summary.md');
  const notices = Array.from({ length: 5_000 }, (_, at) => ({
    kind: 'article' as const,
    ids: [`id-${at}`],
    text: `${at} ${'x'.repeat(500)}`,
  }));
  const output = written(
    { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file },
    { ...report, notices },
  );
  for (const part of [output, await readFile(file, 'utf8')]) {
    expect(part.length).toBeLessThan(100_000);
    expect(part).toContain('… and 4950 more.');
  }
});
