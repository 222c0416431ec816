import { seeOptions } from '../documentation.ts';
import type { Logger, Warning } from '../shared/logger.ts';
import type { LoadReport } from './load-report.ts';

/** The number of warnings of a load that are printed. GitHub shows no summary that is longer than 1 MiB. */
const maxWarnings = 50;

/** Prints the report of a load: each warning, and one line with what changed. */
export function printReport(report: LoadReport, logger: Pick<Logger, 'info' | 'warn'>): void {
  for (const text of firstTexts(report.warnings)) logger.warn(text);
  const summary = summarise(report);
  if (summary) logger.info(summary);
}

/** Returns the texts of the first warnings, how many more there are, and where the options that they name are described. */
export function firstTexts(warnings: readonly Warning[]): string[] {
  const more = warnings.length - maxWarnings;
  const shown = warnings.slice(0, maxWarnings).map(({ text }) => text);
  const all = shown.join('\n');
  const pages = seeOptions(all).filter((line) => !all.includes(line));
  return [...shown, ...(more > 0 ? [`… and ${more} more.`] : []), ...pages];
}

/** Returns the summary of a load, in one line: what has changed in the service since the last load; undefined if it failed. */
export function summarise({
  changes,
  traffic,
  duration,
}: Pick<LoadReport, 'changes' | 'traffic' | 'duration'>): string | undefined {
  if (!changes) return undefined;
  const { added, updated, unchanged, removed, left = 0, entries, drafts, leftOut } = changes;
  const parts = [
    `${added} added`,
    `${updated} updated`,
    `${unchanged} unchanged`,
    `${removed} removed`,
    ...(left > 0 ? [`${left} no longer among the newest`] : []),
  ];
  const shown = [
    `${plural(entries, 'article')} shown`,
    ...(drafts > 0 ? [`${plural(drafts, 'draft')} left out`] : []),
    ...(leftOut > 0 ? [`${plural(leftOut, 'other')} left out`] : []),
  ];
  const requests = plural(traffic?.requests ?? 0, 'request');
  const details = [
    ...(traffic?.retries ? [plural(traffic.retries, 'retry', 'retries')] : []),
    ...(traffic?.unchanged ? [`${traffic.unchanged} not modified`] : []),
  ];
  const detail = details.length > 0 ? ` (${details.join(', ')})` : '';
  const time = `${(duration / 1000).toFixed(1)} s`;
  return `${shown.join(', ')}: ${parts.join(', ')}; ${requests}${detail}, ${time}`;
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
