import type { Clock } from '../../src/shared/clock.ts';
import { afterRunTime } from './run-time.ts';

/** A clock whose time passes only while no request is in flight. */
export interface TestClock extends Clock {
  /** The pauses between attempts that have passed, in order. Time limits are not included. */
  readonly waits: number[];
}

interface ClockOptions {
  /** The client's time limit of one attempt, in ms: a timer of this length is not a pause. @default 30_000 */
  timeout?: number;
  /** The client's time limit of all attempts, in ms, which shortens that of the last one. @default 600_000 */
  totalTimeout?: number;
  /** How long an attempt may take before its time limit expires, in ms in which this process runs. @default 250 */
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
 * Creates a clock for a client that uses real sockets. While an attempt is in flight, time stops, so
 * that a slow machine changes nothing; otherwise it jumps to the next timer. An attempt that hangs
 * reaches its time limit once nothing has happened for `patience`.
 */
export function createClock({
  timeout = 30_000,
  totalTimeout = 600_000,
  patience = 250,
  date = Date.now,
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
    cancelJump = afterRunTime(isBusy ? patience : 0, jump);
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
