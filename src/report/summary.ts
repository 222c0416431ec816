import type { Changes, LoadReport } from './load-report.ts';

/** Returns the summary of a load, in one line: what has changed in the service since the last load. */
export function summarise({ changes, traffic, duration }: SummarisedLoad): string {
  const { added, updated, unchanged, removed, entries, drafts, leftOut } = changes;
  const parts = [
    `${added} added`,
    `${updated} updated`,
    `${unchanged} unchanged`,
    `${removed} removed`,
  ];
  const shown = [
    `${plural(entries, 'article')} shown`,
    ...(drafts > 0 ? [`${plural(drafts, 'draft')} left out`] : []),
    ...(leftOut > 0 ? [`${plural(leftOut, 'other')} left out`] : []),
  ];
  const requests = plural(traffic?.requests ?? 0, 'request');
  const retries = traffic?.retries ? ` (${plural(traffic.retries, 'retry', 'retries')})` : '';
  const time = `${(duration / 1000).toFixed(1)} s`;
  return `${shown.join(', ')}: ${parts.join(', ')}; ${requests}${retries}, ${time}`;
}

interface SummarisedLoad extends Pick<LoadReport, 'traffic' | 'duration'> {
  changes: Changes;
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
