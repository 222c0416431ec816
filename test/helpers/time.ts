import { vi } from 'vitest';
import { systemClock } from '../../src/shared/clock.ts';

/** The functions of the real clock, because a test may replace them more than once. */
const { now, after } = { ...systemClock };

/**
 * Makes the package's time pass faster until mocks are restored: divides pauses between attempts and time
 * limits by a factor. File times and the time of day are not affected.
 */
export function speedUp(factor: number): void {
  const start = now();
  vi.spyOn(systemClock, 'now').mockImplementation(() => start + (now() - start) * factor);
  vi.spyOn(systemClock, 'after').mockImplementation((delay, callback) =>
    after(delay / factor, callback),
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
