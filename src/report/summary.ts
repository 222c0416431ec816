import type { Applied } from '../content/reconcile.ts';
import type { MirrorIndex } from '../mirror/index-file.ts';
import type { SyncReport } from '../sync/sync.ts';

/** The one line at the end of a load: what changed in the service since the last one. */
export function summarise(load: {
  before: MirrorIndex;
  after: MirrorIndex;
  report: SyncReport | undefined;
  applied: Pick<Applied, 'entries' | 'drafts'>;
  /** Milliseconds. */
  duration: number;
}): string {
  const { before, after, report, applied, duration } = load;
  const changes = compare(before, after);
  const parts = [
    `${changes.added} added`,
    `${changes.updated} updated`,
    `${changes.unchanged} unchanged`,
    `${changes.removed} removed`,
  ];
  if (applied.drafts > 0) parts.push(`${plural(applied.drafts, 'draft')} left out`);
  const requests = plural(report?.traffic.requests ?? 0, 'request');
  const retries = report?.traffic.retries
    ? ` (${plural(report.traffic.retries, 'retry', 'retries')})`
    : '';
  const time = `${(duration / 1000).toFixed(1)} s`;
  return `${plural(applied.entries, 'article')}: ${parts.join(', ')}; ${requests}${retries}, ${time}`;
}

/** How many articles came, changed, stayed and went between two states of the mirror. */
export interface Changes {
  added: number;
  updated: number;
  unchanged: number;
  removed: number;
}

export function compare(before: MirrorIndex, after: MirrorIndex): Changes {
  const old = new Map(before.articles.map(({ id, digest }) => [id, digest]));
  const added = after.articles.filter(({ id }) => !old.has(id)).length;
  const unchanged = after.articles.filter(({ id, digest }) => old.get(id) === digest).length;
  const updated = after.articles.length - added - unchanged;
  return { added, unchanged, updated, removed: old.size - (after.articles.length - added) };
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
