import { systemClock } from '../shared/clock.ts';
import type { Logger } from '../shared/logger.ts';
import { type LoadReport, shownWarnings } from './load-report.ts';
import { summarise } from './summary.ts';

/** Prints the report of a load: each warning, and one line with what changed. */
export function printReport(report: LoadReport, logger: Pick<Logger, 'info' | 'warn'>): void {
  const { warnings, changes, traffic, duration } = report;
  for (const { text } of warnings.slice(0, shownWarnings)) logger.warn(text);
  const more = warnings.length - shownWarnings;
  if (more > 0) logger.warn(`… and ${more} more.`);
  if (changes) logger.info(summarise({ changes, duration, ...(traffic ? { traffic } : {}) }));
}

/** Describes how long ago something was, in the largest unit that fits. */
export function describeAge(date: number, now = systemClock.date()): string {
  const minutes = Math.max(0, Math.round((now - date) / 60_000));
  if (minutes < 120) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
