import type { LoadReport } from './load-report.ts';
import { firstLinesOfNotices } from './notice-lines.ts';

/**
 * Shows what a load reports on the page of a GitHub Actions run, as one annotation. Does nothing elsewhere. The line
 * bypasses Astro's logger, which writes the time first: GitHub reads commands only at the start of a line.
 */
export function reportToGithub(report: LoadReport, env: NodeJS.ProcessEnv = process.env): void {
  if (env.GITHUB_ACTIONS !== 'true') return;
  const { collection, status, error = '', notices } = report;
  const hasFailed = status === 'failed';
  const lines = hasFailed ? [error] : firstLinesOfNotices(notices);
  if (lines.length === 0) return;
  const title = escapeData(`Collection "${collection}": ${hasFailed ? 'not loaded' : 'warnings'}`);
  const property = title.replaceAll(':', '%3A').replaceAll(',', '%2C');
  const command = `${hasFailed ? 'error' : 'warning'} title=${property}`;
  process.stdout.write(`::${command}::${escapeData(lines.join('\n'))}\n`);
}

/** Escapes a text as GitHub's toolkit does, because a command is one line. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
