/** Time and random numbers, injected so that tests can control them. */
export interface Clock {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** The time of day, in milliseconds since 1970. Use it only to compare with dates from outside. */
  date(): number;
  /** A number from 0 up to 1. */
  random(): number;
  /** Calls back after `delay` milliseconds. Returns a function that cancels the call. */
  after(delay: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  random: () => Math.random(),
  after(delay, callback) {
    const timer = setTimeout(callback, delay);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delay` milliseconds; rejects with the signal's reason once it is aborted. */
export async function sleep(clock: Clock, delay: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = clock.after(delay, resolve);
  const abort = () => {
    cancel();
    reject(signal?.reason);
  };
  signal?.addEventListener('abort', abort, { once: true });
  await promise.finally(() => signal?.removeEventListener('abort', abort));
}
