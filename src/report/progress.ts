import type { LoadProgress } from '../load/load.ts';

/** Milliseconds before the first line, and between two lines. */
const intervalMs = 5_000;

/**
 * Logs the progress of a load, one line every five seconds. It writes whole lines only, which look the same in a
 * terminal and in a CI log.
 */
export function createProgressLog(log: (line: string) => void, now: () => number) {
  let last = now();
  const progress: LoadProgress = { listed: 0, toFetch: 0, fetched: 0 };

  return (change: Partial<LoadProgress>): void => {
    Object.assign(progress, change);
    const time = now();
    if (time - last < intervalMs) return;
    last = time;
    const { listed, toFetch, fetched } = progress;
    if (toFetch === 0) log(`${listed} articles listed`);
    else log(`${fetched}/${toFetch} articles fetched (${Math.floor((100 * fetched) / toFetch)} %)`);
  };
}
