import type { LoadProgress } from '../sync/load.ts';

/** Milliseconds before the first line, and between two lines. */
const firstAfter = 2_000;
const interval = 5_000;

/**
 * Logs the progress of a load: nothing in the first two seconds, then one line every five seconds. It writes
 * whole lines only, which look the same in a terminal and in a CI log.
 */
export function createProgressLog(log: (line: string) => void, now: () => number) {
  const start = now();
  let last = start + firstAfter - interval;
  const progress: LoadProgress = { listed: 0, toFetch: 0, fetched: 0 };

  return (change: Partial<LoadProgress>): void => {
    Object.assign(progress, change);
    const time = now();
    if (time - last < interval) return;
    last = time;
    log(describeProgress(progress, time - start));
  };
}

function describeProgress({ listed, toFetch, fetched }: LoadProgress, elapsed: number): string {
  if (toFetch === 0) return `${listed} articles listed`;
  const share = Math.floor((100 * fetched) / toFetch);
  const rate = fetched / (elapsed / 1000);
  const left = rate > 0 ? `, about ${Math.ceil((toFetch - fetched) / rate)} s left` : '';
  return `${fetched}/${toFetch} articles fetched (${share} %), ${rate.toFixed(1)} per second${left}`;
}
