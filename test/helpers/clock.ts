import { type Clock, systemClock } from '../../src/shared/clock.ts';

/** A clock whose time passes only when nothing is under way. */
export interface TestClock extends Clock {
  /** The waits that passed, in order: pauses between attempts, not the time limits of attempts. */
  readonly waits: number[];
}

export interface ClockOptions {
  /** The client's time limit for one attempt, in ms: tells its timer from a pause. @default 30_000 */
  timeout?: number;
  /** The client's limit for all of it, which cuts the last attempts short. @default 600_000 */
  totalTimeout?: number;
  /** How long an attempt may really take before its time limit is up, in ms. @default 250 */
  patience?: number;
  /** The time of day. @default the real one */
  date?: () => number;
}

interface Timer {
  due: number;
  callback: () => void;
  isLimit: boolean;
}

/**
 * Creates a clock for a client that talks through real sockets. As long as an attempt is under way,
 * time stands still, so a slow machine changes nothing; otherwise it jumps to what is next. An
 * attempt that hangs reaches its time limit once nothing has happened for `patience`.
 */
export function createClock({
  timeout = 30_000,
  totalTimeout = 600_000,
  patience = 250,
  date = systemClock.date,
}: ClockOptions = {}): TestClock {
  const timers = new Set<Timer>();
  const waits: number[] = [];
  let now = 0;
  let cancelJump = () => {};

  function after(delay: number, callback: () => void): () => void {
    const isLimit = delay === Math.min(timeout, totalTimeout - now);
    const timer = { due: now + delay, callback, isLimit };
    timers.add(timer);
    scheduleJump();
    return () => {
      if (timers.delete(timer)) scheduleJump();
    };
  }

  function scheduleJump(): void {
    cancelJump();
    if (timers.size === 0) return;
    const isBusy = [...timers].some(({ isLimit }) => isLimit);
    cancelJump = systemClock.after(isBusy ? patience : 0, jump);
  }

  function jump(): void {
    const next = [...timers].reduce((first, timer) => (timer.due < first.due ? timer : first));
    timers.delete(next);
    if (!next.isLimit) waits.push(next.due - now);
    now = Math.max(now, next.due);
    scheduleJump();
    next.callback();
  }

  return { now: () => now, date, random: () => 0.5, after, waits };
}
