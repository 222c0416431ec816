import type { ArticlesErrorCode } from '../../errors.ts';
import { sleep } from '../../shared/clock.ts';
import { attempt, type Connection, type RequestSpec } from './attempt.ts';
import { FailureError, toRequestError, totalTimeout } from './failure.ts';
import { createRateLimit, type Until } from './rate-limit.ts';
import { type Decision, decide, type RetrySettings } from './retry.ts';

export interface RequesterOptions extends Connection {
  /** Requests that are sent at a time. */
  concurrency: number;
  /** Milliseconds for one attempt, from the request to the last byte. */
  timeout: number;
  retry: RetrySettings;
  onAttempt?: ((event: AttemptEvent) => void) | undefined;
}

/** One finished attempt, for logs. */
export interface AttemptEvent {
  url: string;
  /** Counted from 1. */
  attempt: number;
  /** Milliseconds that the attempt took. */
  duration: number;
  /** What went wrong. Absent when the attempt succeeded. */
  failure?: string;
  code?: ArticlesErrorCode;
}

/** The requests of a requester so far. */
export interface Traffic {
  /** Requests sent. Every attempt counts. */
  requests: number;
  /** The number of those that were retries. */
  retries: number;
  /** How often the service made all requests wait. */
  pauses: number;
}

export interface Requester {
  /**
   * Sends a request until it has a usable response, or another attempt is not worth it.
   *
   * @throws {ArticlesRequestError} for the last attempt, the reason of an aborted signal, or an error of
   *   `spec.read` that is not a {@link FailureError}
   */
  request<T>(spec: RequestSpec<T>, until: Until): Promise<T>;
  traffic(): Traffic;
}

type Outcome<T> = { action: 'return'; value: T } | Extract<Decision, { action: 'retry' }>;

const freeRetries = 20;
const retriesPerSuccess = 0.1;

/** Creates the HTTP client for one service: one rate limit and one retry policy for all requests. */
export function createRequester(options: RequesterOptions): Requester {
  const { clock, redact, retry, timeout, onAttempt } = options;
  const rateLimit = createRateLimit(options);
  let requests = 0;
  let retries = 0;
  // During an outage, a run must not wait for all the retries of every single request.
  let budget = freeRetries;

  async function request<T>(spec: RequestSpec<T>, until: Until): Promise<T> {
    const history = { attempts: 0, retries: 0, throttled: 0, waited: 0 };
    const url = redact(spec.url.href);

    async function send(): Promise<Outcome<T>> {
      const start = clock.now();
      const timeLeft = until.deadline - start;
      if (timeLeft <= 0) throw new FailureError(totalTimeout);
      requests += 1;
      if (history.attempts > 1) retries += 1;
      const report = (failure: Pick<AttemptEvent, 'failure' | 'code'> = {}) =>
        onAttempt?.({ url, attempt: history.attempts, duration: clock.now() - start, ...failure });
      try {
        const limits = { ...timeLimit(timeLeft), signal: until.signal };
        const value = await attempt(options, spec, limits);
        rateLimit.succeed();
        budget += retriesPerSuccess;
        report();
        return { action: 'return', value };
      } catch (error) {
        until.signal?.throwIfAborted();
        if (!(error instanceof FailureError)) throw error;
        report({ failure: redact(error.failure.reason), code: error.failure.code });
        return next(error);
      }
    }

    function next({ failure, cause }: FailureError): Outcome<T> {
      const decision = decide(failure, {
        history,
        retry,
        throttledLimit: spec.throttledLimit ?? Number.POSITIVE_INFINITY,
        timeLeft: until.deadline - clock.now(),
        hasBudget: budget >= 1,
        random: clock.random(),
      });
      if (decision.action === 'give-up') {
        const { code = failure.code, note } = decision;
        throw new FailureError({ ...failure, code, ...(note ? { note } : {}) }, { cause });
      }
      if (decision.pausesAll) rateLimit.pause(decision.wait);
      return decision;
    }

    try {
      for (;;) {
        history.attempts += 1;
        const outcome = await rateLimit.run(send, until);
        if (outcome.action === 'return') return outcome.value;
        if (outcome.isFree) {
          history.throttled += 1;
          history.waited += outcome.wait;
        } else {
          history.retries += 1;
          budget -= 1;
        }
        // The rate limit itself waits when all requests pause.
        if (!outcome.pausesAll) await sleep(clock, outcome.wait, until.signal);
      }
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      throw toRequestError(error, { url, attempts: history.attempts, redact });
    }
  }

  /** The last attempt ends with the time of the whole call. */
  function timeLimit(timeLeft: number) {
    if (timeLeft < timeout) return { timeout: timeLeft, timeoutFailure: totalTimeout };
    const reason = `no complete response within ${timeout} ms`;
    return { timeout, timeoutFailure: { code: 'timeout' as const, reason } };
  }

  return { request, traffic: () => ({ requests, retries, pauses: rateLimit.pauses }) };
}
