import pLimit from 'p-limit';
import { type Clock, sleep } from '../shared/clock.ts';
import type { Until } from './attempt.ts';
import { FailureError, totalTimeout } from './failure.ts';

const successesPerStep = 20;

/** Limits the number of concurrent requests, and sends none during a pause. */
export function createRateLimit({ concurrency, clock }: { concurrency: number; clock: Clock }) {
  const limit = pLimit(concurrency);
  let allowed = concurrency;
  let notBefore = Number.NEGATIVE_INFINITY;
  let successes = 0;
  let pauses = 0;

  const isPaused = () => clock.now() < notBefore;

  return {
    /** Runs a task as soon as the limit allows. Fails if that would be after the deadline. */
    async run<T>(task: () => Promise<T>, { deadline, signal }: Until): Promise<T> {
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

    /** Delays all requests by `delay` milliseconds, and halves the number of concurrent requests. */
    pause(delay: number): void {
      if (!isPaused()) {
        pauses += 1;
        allowed = Math.max(1, Math.floor(allowed / 2));
      }
      notBefore = Math.max(notBefore, clock.now() + delay);
      successes = 0;
      // After the pause one request is sent alone, and the others follow if it succeeds.
      limit.concurrency = 1;
    },

    /** Counts a success. After every 20 successes, the number of concurrent requests grows by one. */
    succeed(): void {
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
