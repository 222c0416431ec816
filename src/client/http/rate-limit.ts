import pLimit from 'p-limit';
import { type Clock, sleep } from '../../shared/clock.ts';
import { type Fault, FaultSignal } from './failure.ts';

const successesPerStep = 20;

/** The fault of a request for which no time is left. */
export const totalTimeout: Fault = {
  code: 'total-timeout',
  reason: 'no time was left within `totalTimeout`',
  hint: 'Raise `totalTimeout`, or find out why the service is slow.',
};

/** Decides when a request may leave: how many at once, and not before when. */
export interface Pace {
  /** Runs a task in its turn, or fails when that would come too late. */
  run<T>(task: () => Promise<T>, until: Until): Promise<T>;
  /** Holds everybody back for `delay` milliseconds, and halves how many go at once. */
  pause(delay: number): void;
  /** Counts a success: after enough of them in a row, one more may go at once. */
  advance(): void;
  /** How often everybody was held back. */
  readonly pauses: number;
}

/** When a caller stops waiting. */
export interface Until {
  /** On the clock of {@link Clock.now}. */
  deadline: number;
  signal?: AbortSignal | undefined;
}

export function createPace({ concurrency, clock }: { concurrency: number; clock: Clock }): Pace {
  const limit = pLimit(concurrency);
  let notBefore = Number.NEGATIVE_INFINITY;
  let successes = 0;
  let pauses = 0;
  /** After a pause one request goes first; the others learn from it. */
  let probe: { underWay?: Promise<void> } | undefined;

  async function run<T>(task: () => Promise<T>, until: Until): Promise<T> {
    return limit(async () => {
      const release = await turn(until);
      try {
        return await task();
      } finally {
        release();
      }
    });
  }

  /** Waits for its turn, and returns what to call when it is over. */
  async function turn({ deadline, signal }: Until): Promise<() => void> {
    for (;;) {
      signal?.throwIfAborted();
      const wait = notBefore - clock.now();
      if (notBefore >= deadline) throw new FaultSignal(totalTimeout);
      if (wait > 0) await sleep(clock, wait, signal);
      else if (!probe) return () => undefined;
      else if (probe.underWay) await probe.underWay;
      else return startProbe(probe);
    }
  }

  function startProbe(own: { underWay?: Promise<void> }): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    own.underWay = promise;
    return () => {
      // A pause during the probe has set up the next one, which must stay.
      if (probe === own) probe = undefined;
      resolve();
    };
  }

  function advance() {
    successes += 1;
    if (successes < successesPerStep || limit.concurrency >= concurrency) return;
    successes = 0;
    limit.concurrency += 1;
  }

  function pause(delay: number) {
    const now = clock.now();
    if (now >= notBefore) {
      pauses += 1;
      limit.concurrency = Math.max(1, Math.floor(limit.concurrency / 2));
    }
    notBefore = Math.max(notBefore, now + delay);
    successes = 0;
    probe = {};
  }

  return {
    run,
    pause,
    advance,
    get pauses() {
      return pauses;
    },
  };
}
