import type { SyncProgress } from '../sync/sync.ts';

const quietFor = 2_000;
const interval = 5_000;

/**
 * Logs how far a sync is: nothing for the first seconds, then a line now and then. Whole lines only,
 * so that they read the same in a terminal and in the log of a CI job.
 */
export function createProgressLog(log: (line: string) => void, now: () => number) {
  const start = now();
  let last = start + quietFor - interval;

  return (progress: SyncProgress): void => {
    const time = now();
    if (time - last < interval) return;
    last = time;
    log(describeProgress(progress, time - start));
  };
}

/** How far a sync is, in words. */
export function describeProgress(
  { listed, toFetch, fetched }: SyncProgress,
  elapsed: number,
): string {
  if (toFetch === 0) return `${listed} articles listed, none to fetch so far`;
  const share = Math.floor((100 * fetched) / toFetch);
  const rate = fetched / (elapsed / 1000);
  const left = rate > 0 ? `, about ${Math.ceil((toFetch - fetched) / rate)} s left` : '';
  return `${fetched}/${toFetch} articles fetched (${share} %), ${rate.toFixed(1)} per second${left}`;
}
