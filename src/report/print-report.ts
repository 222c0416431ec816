import type { Logger } from '../shared/logger.ts';
import type { LoadReport } from './load-report.ts';
import { firstLinesOfNotices } from './notice-lines.ts';
import { summarise } from './summary.ts';

/** Prints the report of a load: each notice, one line with what changed, and advice as one block, to be copied. */
export function printReport(report: LoadReport, logger: Pick<Logger, 'info' | 'warn'>): void {
  for (const line of firstLinesOfNotices(report.notices)) logger.warn(line);
  const summary = summarise(report);
  if (summary) logger.info(summary);
  if (report.advice) logger.info(report.advice);
}
