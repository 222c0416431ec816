import type { Logger } from '../shared/logger.ts';
import { type LoadReport, maxWarnings } from './load-report.ts';
import { summarise } from './summary.ts';

/** Prints the report of a load: each warning, and one line with what changed. */
export function printReport(report: LoadReport, logger: Pick<Logger, 'info' | 'warn'>): void {
  const { warnings, changes, traffic, duration } = report;
  for (const { text } of warnings.slice(0, maxWarnings)) logger.warn(text);
  const more = warnings.length - maxWarnings;
  if (more > 0) logger.warn(`… and ${more} more.`);
  if (changes) logger.info(summarise({ changes, duration, traffic }));
}
