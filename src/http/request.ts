import pLimit from 'p-limit';
import { type Clock, sleep } from '../shared/clock.ts';
import { attempt, type CallLimits, type LimitedConnection, type RequestSpec } from './attempt.ts';
import { FailureError, toRequestError, totalTimeoutFailure, withFacts } from './failure.ts';
import { decide, isFailure, type RetrySettings } from './retry.ts';

export interface RequesterOptions extends LimitedConnection {
  concurrency: number;
  retry: RetrySettings;
}

/** The requests of a requester so far. */
export interface Traffic {
  /** The number of attempts. */
  requests: number;
  /** The number of attempts that were retries. */
  retries: number;
}

/** The number of retries of all requests together, without any success. */
const initialBudget = 20;
const retriesPerSuccess = 0.1;

/** Creates the HTTP client for one service: one rate limit and one retry policy for all requests. */
export function createRequester(options: RequesterOptions) {
  const { clock, redact, retry } = options;
  const rateLimit = createRateLimit(options);
  const traffic: Traffic = { requests: 0, retries: 0 };
  // Limits the retries of all requests together, so that an outage fails the run quickly.
  let budget = initialBudget;

  /**
   * Sends a request until it has a usable response, or the retry policy gives up.
   *
   * @throws {ArticlesRequestError} for the last attempt, the reason of an aborted signal, or an error of
   *   `spec.read` that is not a {@link FailureError}
   */
  async function request<T>(spec: RequestSpec<T>, until: CallLimits): Promise<T> {
    let attempts = 0;
    const sendNext = () => {
      attempts += 1;
      traffic.requests += 1;
      if (attempts > 1) traffic.retries += 1;
      return sendOnce(spec, until, attempts);
    };
    try {
      for (;;) {
        const result = await rateLimit.run(until, async () => {
          let next = await sendNext();
          // After a pause, its retry is sent before the requests in the queue. Behind twelve of them, it would fail each time
          // where each fourth response is a failure, as with four servers that respond in turn.
          while ('wait' in next && rateLimit.isAlone()) {
            await sleep(clock, next.wait, until.signal);
            await rateLimit.waitForPause(until);
            next = await sendNext();
          }
          return next;
        });
        if ('value' in result) return result.value;
        await sleep(clock, result.wait, until.signal);
      }
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      throw toRequestError(error, { url: spec.url.href, attempts, redact });
    }
  }

  /**
   * Makes one attempt. Pauses all requests if the service requires it.
   *
   * @returns its result, or the wait until the next attempt in milliseconds
   * @throws {FailureError} when the retry policy gives up
   */
  async function sendOnce<T>(
    spec: RequestSpec<T>,
    until: CallLimits,
    attempts: number,
  ): Promise<{ value: T } | { wait: number }> {
    try {
      const value = await attempt(options, spec, until);
      rateLimit.succeed();
      budget += retriesPerSuccess;
      return { value };
    } catch (error) {
      until.signal?.throwIfAborted();
      // Any other error was thrown by `spec.read`, which has a response.
      if (!(error instanceof FailureError)) throw error;
      const { failure } = error;
      const timeLeft = until.deadline - clock.now();
      const hasBudget = budget >= 1;
      const random = clock.random();
      const next = decide(failure, { attempts, retry, timeLeft, hasBudget, random });
      if (!('wait' in next)) throw withFacts(error, next);
      if (isFailure(failure)) budget -= 1;
      if (failure.status === 429 || failure.status === 503) rateLimit.pause(next.wait);
      return next;
    }
  }

  return { request, traffic: (): Traffic => ({ ...traffic }) };
}

const successesPerStep = 20;

/** Limits the number of concurrent requests, and sends none during a pause. */
export function createRateLimit({ concurrency, clock }: { concurrency: number; clock: Clock }) {
  const limit = pLimit(concurrency);
  let notBefore = Number.NEGATIVE_INFINITY;
  let successes = 0;

  /** Waits until the pause has ended. Fails if that is after the deadline. */
  async function waitForPause({ deadline, signal }: CallLimits): Promise<void> {
    signal?.throwIfAborted();
    const now = clock.now();
    if (Math.max(notBefore, now) >= deadline) throw new FailureError(totalTimeoutFailure);
    if (now < notBefore) await sleep(clock, notBefore - now, signal);
  }

  return {
    waitForPause,

    /** Sends a request when the limit allows it, and after a pause. Fails if its turn comes after the deadline. */
    run<T>(until: CallLimits, send: () => Promise<T>): Promise<T> {
      return limit(async () => {
        // A pause lets one request begin, so all others wait behind this one.
        await waitForPause(until);
        return send();
      });
    },

    /** Returns whether a pause has begun, and no request but the one that calls this is in flight. */
    isAlone: () => clock.now() < notBefore && limit.activeCount === 1,

    /** Delays all requests by `delay` milliseconds. After the pause, one request is sent alone. */
    pause(delay: number): void {
      notBefore = Math.max(notBefore, clock.now() + delay);
      successes = 0;
      limit.concurrency = 1;
    },

    /** Counts a success. After every 20 successes, the number of concurrent requests grows by one. */
    succeed(): void {
      if (limit.concurrency === concurrency || clock.now() < notBefore) return;
      successes += 1;
      if (successes % successesPerStep === 0) limit.concurrency += 1;
    },
  };
}
