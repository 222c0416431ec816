import { leftOutReasons, leftOutTexts } from '../load/left-out.ts';
import { joinSome, quote } from '../messages.ts';
import type { LoadReport } from './load-report.ts';

/** The maximum number of ids that are named for each kind of articles. */
const maxIds = 3;

/** Returns the summary of a load, in one line: what has changed in the service since the last load; undefined if it failed. */
export function summarise(report: Pick<LoadReport, 'changes' | 'traffic' | 'duration'>) {
  const { changes, traffic, duration } = report;
  if (!changes) return undefined;
  const { shown, drafts, added, updated, unchanged, removed, older, leftOut } = changes;
  const parts = [
    `${added} added`,
    `${updated} updated`,
    `${unchanged} unchanged`,
    countAndName(removed, 'removed'),
    ...(older > 0 ? [`${older} no longer among the newest`] : []),
  ];
  const others = leftOutReasons.flatMap((reason) => {
    const ids = leftOut[reason] ?? [];
    return ids.length > 0 ? countAndName(ids, leftOutTexts[reason]) : [];
  });
  const requests = plural(traffic?.requests ?? 0, 'request');
  const retries = traffic?.retries ? ` (${plural(traffic.retries, 'retry', 'retries')})` : '';
  const time = `${(duration / 1000).toFixed(1)} s`;
  const marked = drafts.length > 0 ? [countAndName(drafts, 'as drafts')] : [];
  const result = [`${plural(shown, 'article')} shown`, ...marked, ...others].join(', ');
  return `${result}: ${parts.join(', ')}; ${requests}${retries}, ${time}`;
}

/** Counts articles, and names the first ones. */
function countAndName(ids: readonly string[], what: string): string {
  const names = ids.length > 0 ? ` (${joinSome(ids.map(quote), maxIds)})` : '';
  return `${ids.length} ${what}${names}`;
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
