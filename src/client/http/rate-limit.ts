import pLimit from 'p-limit';
import { type Clock, sleep } from '../../shared/clock.ts';
import { FailureError, totalTimeout } from './failure.ts';

/** Decides when a request may be sent: how many at a time, and none during a pause. */
export interface RateLimit {
  /** Runs a task when it may be sent. Fails if that would be after the deadline. */
  run<T>(task: () => Promise<T>, until: Until): Promise<T>;
  /** Delays all requests by `delay` milliseconds, and halves how many are sent at a time. */
  pause(delay: number): void;
  /** Counts a success. After enough of them, one more request may be sent at a time. */
  succeed(): void;
  /** The number of pauses so far. */
  readonly pauses: number;
}

/** The end of a caller's patience. */
export interface Until {
  /** On the clock of {@link Clock.now}. */
  deadline: number;
  signal?: AbortSignal | undefined;
}

/** The first request after a pause. The others wait for its result. */
interface Probe {
  result?: Promise<void>;
}

const successesPerStep = 20;

export function createRateLimit(options: { concurrency: number; clock: Clock }): RateLimit {
  const { concurrency, clock } = options;
  const limit = pLimit(concurrency);
  let notBefore = Number.NEGATIVE_INFINITY;
  let probe: Probe | undefined;
  let successes = 0;
  let pauses = 0;

  function run<T>(task: () => Promise<T>, until: Until): Promise<T> {
    return limit(async () => {
      const release = await turn(until);
      try {
        return await task();
      } finally {
        release();
      }
    });
  }

  /** Waits for the end of a pause. Returns the function to call after the request. */
  async function turn({ deadline, signal }: Until): Promise<() => void> {
    for (;;) {
      signal?.throwIfAborted();
      if (notBefore >= deadline) throw new FailureError(totalTimeout);
      const wait = notBefore - clock.now();
      if (wait > 0) await sleep(clock, wait, signal);
      else if (!probe) return () => undefined;
      else if (probe.result) await probe.result;
      else return startProbe(probe);
    }
  }

  function startProbe(own: Probe): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    own.result = promise;
    return () => {
      // A pause during this probe needs another one.
      if (probe === own) probe = undefined;
      resolve();
    };
  }

  function pause(delay: number): void {
    const now = clock.now();
    if (now >= notBefore) {
      pauses += 1;
      limit.concurrency = Math.max(1, Math.floor(limit.concurrency / 2));
    }
    notBefore = Math.max(notBefore, now + delay);
    successes = 0;
    probe = {};
  }

  function succeed(): void {
    successes += 1;
    if (successes < successesPerStep || limit.concurrency >= concurrency) return;
    successes = 0;
    limit.concurrency += 1;
  }

  return {
    run,
    pause,
    succeed,
    get pauses() {
      return pauses;
    },
  };
}
