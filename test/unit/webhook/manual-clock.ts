import type { Clock } from '../../../src/shared/clock.ts';

export interface ManualClock extends Clock {
  /** Advances the time by milliseconds, and runs the timers that expire. */
  advance(time: number): Promise<void>;
}

/** Creates a clock whose time passes only by `advance()`. */
export function createManualClock({ date = 0 } = {}): ManualClock {
  const timers = new Set<{ due: number; callback: () => void }>();
  let now = 0;

  return {
    now: () => now,
    date: () => date + now,
    random: () => 0.5,
    after(delay, callback) {
      const timer = { due: now + delay, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(time) {
      const end = now + time;
      for (;;) {
        await settle();
        const [next] = [...timers].sort((a, b) => a.due - b.due);
        if (!next || next.due > end) break;
        now = Math.max(now, next.due);
        timers.delete(next);
        next.callback();
      }
      now = end;
    },
  };
}

/** Waits for work without timers: bodies that are read, and signatures that other threads hash. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    // The threads work in order, so earlier hashes are ready by then.
    await Promise.all(Array.from({ length: 8 }, () => crypto.subtle.digest('SHA-256', nothing)));
  }
}

const nothing = new Uint8Array();
