import { firstTexts, type LoadReport } from './load-report.ts';

/**
 * Shows what a load reports on the page of a GitHub Actions run, as one annotation. Does nothing elsewhere. The line
 * bypasses Astro's logger, which writes the time first: GitHub reads commands only at the start of a line.
 */
export function reportToGithub(report: LoadReport, env: NodeJS.ProcessEnv = process.env): void {
  if (env.GITHUB_ACTIONS !== 'true') return;
  const { collection, status, error = '', notices } = report;
  const hasFailed = status === 'failed';
  const texts = hasFailed ? [error] : firstTexts(notices);
  if (texts.length === 0) return;
  const title = `Collection "${collection}": ${hasFailed ? 'not loaded' : 'warnings'}`;
  const command = `${hasFailed ? 'error' : 'warning'} title=${escapeProperty(title)}`;
  process.stdout.write(`::${command}::${escapeData(texts.join('\n'))}\n`);
}

/** Escapes a text as GitHub's toolkit does, because a command is one line. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
