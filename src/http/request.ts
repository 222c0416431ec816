import pLimit from 'p-limit';
import { type Clock, sleep } from '../shared/clock.ts';
import { attempt, type CallLimits, type Connection, type RequestSpec } from './attempt.ts';
import { type Failure, FailureError, toRequestError, totalTimeout } from './failure.ts';
import { decide, isFailure, type RetrySettings } from './retry.ts';

export interface RequesterOptions extends Connection {
  concurrency: number;
  retry: RetrySettings;
  onAttempt?: ((event: AttemptEvent) => void) | undefined;
}

/** One finished attempt, for logs. */
export interface AttemptEvent {
  url: string;
  /** Counted from 1. */
  attempt: number;
  /** The duration of the attempt in milliseconds. */
  duration: number;
  /** Why the attempt failed. Absent when it succeeded. */
  failure?: string;
}

/** The requests of a requester so far. */
export interface Traffic {
  /** The number of attempts. */
  requests: number;
  /** The number of attempts that were retries. */
  retries: number;
}

/** Milliseconds without a response after which a service gets only vital requests. */
const silentLimit = 120_000;
/** The number of retries of all requests together, without any success. */
const initialBudget = 20;
const retriesPerSuccess = 0.1;

/** Creates the HTTP client for one service: one rate limit and one retry policy for all requests. */
export function createRequester(options: RequesterOptions) {
  const { clock, redact, retry, onAttempt } = options;
  const rateLimit = createRateLimit(options);
  let requests = 0;
  let retries = 0;
  /** When the first request since the last response was sent. */
  let silentSince: number | undefined;
  // Limits the retries of all requests together, so that an outage fails the run quickly.
  let budget = initialBudget;

  /**
   * Sends a request until it has a usable response, or the retry policy gives up.
   *
   * @throws {ArticlesRequestError} for the last attempt, the reason of an aborted signal, or an error of
   *   `spec.read` that is not a {@link FailureError}
   */
  async function request<T>(spec: RequestSpec<T>, until: CallLimits): Promise<T> {
    const url = spec.url.href;
    let attempts = 0;
    try {
      for (;;) {
        const outcome = await rateLimit.run(send, until);
        if ('value' in outcome) return outcome.value;
        await sleep(clock, outcome.wait, until.signal);
      }
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      throw toRequestError(error, { url, attempts, redact });
    }

    /** Makes one attempt, which begins now. Returns its result, or the wait until the next one. */
    async function send(start: number) {
      if (!spec.othersDependOnIt) checkSilence(start);
      attempts += 1;
      requests += 1;
      if (attempts > 1) retries += 1;
      let value: T;
      try {
        value = await attempt(options, spec, until);
      } catch (error) {
        until.signal?.throwIfAborted();
        return afterError(error, start);
      }
      rateLimit.succeed();
      silentSince = undefined;
      budget += retriesPerSuccess;
      report(start);
      return { value };
    }

    /** @throws the error of `spec.read`, or {@link FailureError} when the retry policy gives up */
    function afterError(error: unknown, start: number): { wait: number } {
      // Any other error is one of `spec.read`, which has a response.
      const failure = error instanceof FailureError ? error.failure : undefined;
      if (failure?.code !== 'timeout') silentSince = undefined;
      report(start, failure);
      if (!(error instanceof FailureError)) throw error;
      return prepareRetry(error);
    }

    function report(start: number, failure?: Failure): void {
      onAttempt?.({
        url: redact(failure?.url ?? url),
        attempt: attempts,
        duration: clock.now() - start,
        ...(failure && { failure: redact(failure.reason) }),
      });
    }

    /** @throws {FailureError} when the retry policy gives up */
    function prepareRetry({ failure, cause }: FailureError): { wait: number } {
      const next = decide(failure, {
        attempts,
        retry,
        timeLeft: until.deadline - clock.now(),
        hasBudget: budget >= 1,
        random: clock.random(),
      });
      if ('failure' in next) throw new FailureError(next.failure, { cause });
      if (isFailure(failure)) budget -= 1;
      if (failure.status === 429 || failure.status === 503) rateLimit.pause(next.wait);
      return next;
    }
  }

  /** @throws {FailureError} when the service does not respond at all, so that a hanging one fails a build soon */
  function checkSilence(now: number): void {
    silentSince ??= now;
    if (now - silentSince < silentLimit) return;
    throw new FailureError({
      code: 'timeout',
      reason: `no response within ${silentLimit / 1000} s`,
      hint: 'Check `baseUrl`, and whether the service responds.',
    });
  }

  return { request, traffic: (): Traffic => ({ requests, retries }) };
}

const successesPerStep = 20;

/** Limits the number of concurrent requests, and sends none during a pause. */
export function createRateLimit({ concurrency, clock }: { concurrency: number; clock: Clock }) {
  const limit = pLimit(concurrency);
  let notBefore = Number.NEGATIVE_INFINITY;
  let successes = 0;

  return {
    /** Runs a task as soon as the limit allows, with the time. Fails if that would be after the deadline. */
    async run<T>(
      task: (start: number) => Promise<T>,
      { deadline, signal }: CallLimits,
    ): Promise<T> {
      for (;;) {
        signal?.throwIfAborted();
        const now = clock.now();
        if (Math.max(notBefore, now) >= deadline) throw new FailureError(totalTimeout);
        if (now < notBefore) await sleep(clock, notBefore - now, signal);
        const result = await limit(async () => {
          // A pause may begin, and time may pass, while a request is in the queue.
          const start = clock.now();
          return start >= notBefore && start < deadline ? { value: await task(start) } : undefined;
        });
        if (result) return result.value;
      }
    },

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
