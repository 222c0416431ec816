import { quote } from '../errors.ts';
import type { Logger } from '../shared/logger.ts';
import type { Notice } from '../shared/notice.ts';
import type { LeftOutReason } from '../sync/fate.ts';
import { type LoadReport, textsOf } from './load-report.ts';

/** The number of notices of a load that are printed. GitHub shows no summary that is longer than 1 MiB. */
const maxNotices = 50;
/** The number of ids of left-out articles in a summary. */
const maxIds = 3;

/** Prints the report of a load: each notice, and one line with what changed. */
export function printReport(report: LoadReport, logger: Pick<Logger, 'info' | 'warn'>): void {
  for (const text of firstTexts(report.notices)) logger.warn(text);
  const summary = summarise(report);
  if (summary) logger.info(summary);
}

/** Returns the texts of the first notices, and how many more there are. */
export function firstTexts(notices: readonly Notice[]): string[] {
  const texts = textsOf(notices);
  const more = texts.length - maxNotices;
  return [...texts.slice(0, maxNotices), ...(more > 0 ? [`… and ${more} more.`] : [])];
}

const reasons: Record<LeftOutReason, string> = {
  draft: 'left out as drafts',
  transform: 'left out by `transform`',
  schema: "left out by the collection's schema",
  'no usable version': 'without a usable version',
  'not listed': 'no longer listed',
};

/** Returns the summary of a load, in one line: what has changed in the service since the last load; undefined if it failed. */
export function summarise({
  changes,
  traffic,
  duration,
}: Pick<LoadReport, 'changes' | 'traffic' | 'duration'>): string | undefined {
  if (!changes) return undefined;
  const { shown, added, updated, unchanged, removed, older, leftOut } = changes;
  const parts = [
    `${added} added`,
    `${updated} updated`,
    `${unchanged} unchanged`,
    `${removed} removed`,
    ...(older > 0 ? [`${older} no longer among the newest`] : []),
  ];
  const others = Object.entries(reasons).flatMap(([why, text]) => {
    const ids = leftOut[why as LeftOutReason] ?? [];
    return ids.length > 0 ? `${ids.length} ${text} (${some(ids)})` : [];
  });
  const requests = plural(traffic?.requests ?? 0, 'request');
  const retries = traffic?.retries ? ` (${plural(traffic.retries, 'retry', 'retries')})` : '';
  const time = `${(duration / 1000).toFixed(1)} s`;
  const result = [`${plural(shown, 'article')} shown`, ...others].join(', ');
  return `${result}: ${parts.join(', ')}; ${requests}${retries}, ${time}`;
}

function some(ids: readonly string[]): string {
  const more = ids.length > maxIds ? ', …' : '';
  return ids.slice(0, maxIds).map(quote).join(', ') + more;
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
