import { vi } from 'vitest';
import { systemClock } from '../../src/shared/clock.ts';
import { afterRunTime, runTime } from './run-time.ts';

/** That of the real clock, because a test may replace it more than once. */
const { now } = { ...systemClock };

/**
 * Makes the package's time pass faster until mocks are restored: divides pauses between attempts and time
 * limits by a factor. They pass only while this process runs. File times and the time of day are not affected.
 * A live page has little time: its tests use the factor 1.
 */
export function speedUp(factor: number): void {
  const start = now();
  const startOfRun = runTime();
  vi.spyOn(systemClock, 'now').mockImplementation(() => start + (runTime() - startOfRun) * factor);
  vi.spyOn(systemClock, 'after').mockImplementation((delay, callback) =>
    afterRunTime(delay / factor, callback),
  );
}

/** Until mocks are restored, ends pauses at once and lets no time limit expire. */
export function skipPauses(): void {
  let skipped = 0;
  vi.spyOn(systemClock, 'now').mockImplementation(() => now() + skipped);
  vi.spyOn(systemClock, 'after').mockImplementation((delay, callback) => {
    if (delay >= longestPause) return () => undefined;
    const timer = setImmediate(() => {
      skipped += delay;
      callback();
    });
    return () => clearImmediate(timer);
  });
}

/** Longer than any pause between two attempts, and shorter than any time limit of a test. */
const longestPause = 20_000;
