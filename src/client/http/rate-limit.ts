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

const successesPerStep = 20;

export function createRateLimit(options: { concurrency: number; clock: Clock }): RateLimit {
  const { concurrency, clock } = options;
  const limit = pLimit(concurrency);
  let allowed = concurrency;
  let notBefore = Number.NEGATIVE_INFINITY;
  let successes = 0;
  let pauses = 0;

  const isPaused = () => clock.now() < notBefore;

  return {
    async run(task, { deadline, signal }) {
      for (;;) {
        signal?.throwIfAborted();
        if (Math.max(notBefore, clock.now()) >= deadline) throw new FailureError(totalTimeout);
        if (isPaused()) await sleep(clock, notBefore - clock.now(), signal);
        // A pause may begin, and time may pass, while a request is in the queue.
        const mayRun = () => !isPaused() && clock.now() < deadline;
        const result = await limit(async () => (mayRun() ? { value: await task() } : undefined));
        if (result) return result.value;
      }
    },

    pause(delay) {
      if (!isPaused()) {
        pauses += 1;
        allowed = Math.max(1, Math.floor(allowed / 2));
      }
      notBefore = Math.max(notBefore, clock.now() + delay);
      successes = 0;
      // After the pause one request goes first, and the others follow if it succeeds.
      limit.concurrency = 1;
    },

    succeed() {
      if (isPaused()) return;
      successes += 1;
      if (successes % successesPerStep === 0) allowed = Math.min(allowed + 1, concurrency);
      if (limit.concurrency !== allowed) limit.concurrency = allowed;
    },

    get pauses() {
      return pauses;
    },
  };
}
