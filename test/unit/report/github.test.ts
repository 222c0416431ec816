import { expect, test, vi } from 'vitest';
import { reportToGithub } from '../../../src/report/github.ts';

const ids = Array.from({ length: 5_000 }, (_, at) => `id-${at}`);

test('GitHub gets one annotation with a part of thousands of notices, or with the failure', () => {
  const notices = ids.map((id, at) => ({
    kind: 'article' as const,
    ids: [id],
    text: `${at} ${'x'.repeat(500)}`,
  }));
  notices.unshift({ kind: 'article', ids: ['1\n::error::x'], text: '\n::error::x' });
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
    /^::warning title=Collection "news%2C all"%3A warnings::.*… and 4951 more\.\n$/,
  );
  expect(warning.length).toBeLessThan(100_000);
  expect(failure).toBe(
    '::error title=Collection "news%2C all"%3A not loaded::100 %25%0D%0Afailed\n',
  );
});
