import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, systemClock } from '../../src/shared/clock.ts';

/** Timers of at least this length are time limits, which expire only while a request hangs. */
const shortestLimit = 20_000;

/** A clock whose pauses end at once, and whose date a test moves. */
export interface WorldClock extends Clock {
  /** The difference to the real date, in ms. */
  shift: number;
  /** Expires the next time limit. */
  expire(): Promise<void>;
}

export function createWorldClock(): WorldClock {
  const limits = new Set<{ due: number; callback: () => void }>();
  const start = Date.now();
  let now = 0;
  return {
    shift: 0,
    now: () => now,
    date() {
      return start + now + this.shift;
    },
    random: () => 0.5,
    after(delay, callback) {
      const timer = { due: now + delay, callback };
      if (delay >= shortestLimit) {
        limits.add(timer);
        return () => void limits.delete(timer);
      }
      const immediate = setImmediate(() => {
        now = Math.max(now, timer.due);
        callback();
      });
      return () => clearImmediate(immediate);
    },
    async expire() {
      await nextTurn();
      const [next] = [...limits].toSorted((a, b) => a.due - b.due);
      if (!next) return;
      limits.delete(next);
      now = Math.max(now, next.due);
      next.callback();
    },
  };
}

/** Makes the package use a clock; returns a function that restores the real one. */
export function useClock(clock: Clock): () => void {
  const real = { ...systemClock };
  Object.assign(systemClock, {
    now: () => clock.now(),
    date: () => clock.date(),
    random: () => clock.random(),
    after: (delay: number, callback: () => void) => clock.after(delay, callback),
  });
  return () => void Object.assign(systemClock, real);
}
