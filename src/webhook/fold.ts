import { type Clock, sleep } from '../shared/clock.ts';

export interface Folded<T> {
  /** Whether the task did not run at once: one run at the end of the window stands for all. */
  folded: boolean;
  done: Promise<T>;
}

/**
 * Throttles tasks. The first one runs at once. All that follow within `window` milliseconds are folded into
 * one: the last of them runs when the window ends, and begins the next window.
 */
export function createFold<T>(window: number, clock: Clock): (task: () => Promise<T>) => Folded<T> {
  let started = Number.NEGATIVE_INFINITY;
  let next: { task: () => Promise<T>; done: Promise<T> } | undefined;

  function run(task: () => Promise<T>): Promise<T> {
    started = clock.now();
    next = undefined;
    return task();
  }

  return (task) => {
    const wait = started + window - clock.now();
    if (!next && wait <= 0) return { folded: false, done: run(task) };
    if (next) next.task = task;
    else next = { task, done: sleep(clock, wait).then(() => run(next?.task ?? task)) };
    return { folded: true, done: next.done };
  };
}
