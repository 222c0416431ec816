import type { Clock } from '../../../src/shared/clock.ts';
import { settle } from '../../helpers/settle.ts';

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
