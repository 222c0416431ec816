/** Time and chance, passed in so that tests decide both. */
export interface Clock {
  /** Milliseconds on a clock that never jumps. */
  now(): number;
  /** The time of day, in milliseconds since 1970; only to compare with dates that others wrote. */
  date(): number;
  /** A number from 0 up to 1. */
  random(): number;
  /** Calls back after that many milliseconds, unless the function it returns is called first. */
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
export function sleep(clock: Clock, delay: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(delay, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}
