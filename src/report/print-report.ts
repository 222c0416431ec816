import type { Logger } from '../shared/logger.ts';
import type { LoadReport } from './load-report.ts';
import { summarise } from './summary.ts';

/** The number of notices of a load that are printed. GitHub shows no summary that is longer than 1 MiB. */
const maxNotices = 50;

/** Prints the report of a load: each notice, one line with what changed, and advice as one block, to be copied. */
export function printReport(report: LoadReport, logger: Pick<Logger, 'info' | 'warn'>): void {
  for (const line of firstLines(report)) logger.warn(line);
  const summary = summarise(report);
  if (summary) logger.info(summary);
  if (report.advice) logger.info(report.advice);
}

/**
 * Shows what a load reports on the page of a GitHub Actions run, as one annotation. Does nothing elsewhere. The line
 * bypasses Astro's logger, which writes the time first: GitHub reads commands only at the start of a line.
 */
export function reportToGithub(report: LoadReport, env: NodeJS.ProcessEnv = process.env): void {
  if (env.GITHUB_ACTIONS !== 'true') return;
  const { collection, status, error = '' } = report;
  const hasFailed = status === 'failed';
  const lines = hasFailed ? [error] : firstLines(report);
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

/** Returns the lines of the first notices, and how many more there are. */
function firstLines({ notices }: LoadReport): string[] {
  const lines = notices.map(({ text }) => text);
  const more = lines.length - maxNotices;
  return [...lines.slice(0, maxNotices), ...(more > 0 ? [`… and ${more} more.`] : [])];
}
