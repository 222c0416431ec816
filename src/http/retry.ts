import { ArticlesError, type ArticlesErrorCode } from '../errors.ts';
import { type Clock, sleep } from '../shared/clock.ts';
import { type Failure, FailureError } from './failure.ts';

export interface RetrySettings {
  /** The number of retries per request; twice as many after 429 responses that require no wait. */
  limit: number;
  /** The maximum wait that a service may require, in milliseconds. */
  maxDelay: number;
}

const unlimited = Number.POSITIVE_INFINITY;

/** The maximum number of retries by code, within `retries`. Other codes are not retried. */
const retriesByCode: Partial<Record<ArticlesErrorCode, number>> = {
  network: unlimited,
  timeout: 2,
  dns: 2,
  'bad-json': 2,
  'not-json': 1,
  'unexpected-shape': 1,
  'unexpected-status': 1,
};

const transientStatuses = new Set([206, 408, 409, 423, 425, 500, 502, 503, 504]);

/** Returns whether a status is usually temporary. Proxies use 520–529. */
function isTransient(status = 0): boolean {
  return transientStatuses.has(status) || (status >= 520 && status <= 529);
}

const baseDelayMs = 500;
const maxBackoffMs = 20_000;

/** The wait in milliseconds until the next attempt, or what the last failure gets when it is reported. */
export type Decision = { wait: number } | Pick<Partial<Failure>, 'code' | 'note'>;

export interface Situation {
  /** The number of attempts so far. */
  attempts: number;
  retry: RetrySettings;
  /** Milliseconds left until the deadline. @default unlimited */
  timeLeft?: number;
  /** Whether the run can afford another retry after a failure. @default true */
  hasBudget?: boolean;
  /** A number from 0 up to 1. */
  random: number;
}

/** Decides what follows a failed attempt. */
export function decide(
  failure: Failure,
  { attempts, retry, random, timeLeft = unlimited, hasBudget = true }: Situation,
): Decision {
  const { retryAfterMs = 0 } = failure;
  const { maxDelay } = retry;
  if (attempts > maxRetries(failure, retry)) return {};
  if (retryAfterMs > maxDelay) {
    const seconds = Math.ceil(retryAfterMs / 1000);
    return {
      note: `the service requires a wait of ${seconds} s, longer than ${maxDelay / 1000} s`,
    };
  }
  if (isFailure(failure) && !hasBudget) {
    const note = 'no further retries, because too many requests of this run failed';
    return { code: 'unavailable', note };
  }
  const wait =
    retryAfterMs > 0 ? retryAfterMs * (1 + random / 10) : backoff(failure, attempts, random);
  return wait < timeLeft ? { wait } : { note: 'the time limit leaves no time for another attempt' };
}

function maxRetries({ code, status, retryAfterMs }: Failure, { limit }: RetrySettings): number {
  // Together, the doubling waits are longer than a minute, the time in which most services count requests.
  if (code === 'throttled') return retryAfterMs ? limit : 2 * limit;
  return isTransient(status) ? limit : Math.min(limit, retriesByCode[code] ?? 0);
}

/** Returns whether an attempt has failed, and was not only delayed. */
export function isFailure({ code }: Failure): boolean {
  return code !== 'throttled';
}

/** Returns a doubling wait, with jitter, so that clients do not retry at the same time. */
function backoff(failure: Failure, attempts: number, random: number): number {
  const longest = Math.min(maxBackoffMs, baseDelayMs * 2 ** (attempts - 1));
  return isFailure(failure) ? longest * random : longest * (1 + random / 10);
}

const taskRetry = { limit: 2, maxDelay: 10_000 };

export interface TaskResult {
  ok: boolean;
  attempts: number;
  /** Why the last attempt failed. Absent when it succeeded. */
  error?: string;
}

/**
 * Runs a task that is not a request to the service until it succeeds, or the retry policy gives up: three times at
 * most. Does not throw. An error of other code may be temporary, and may quote addresses and secrets, so only its
 * name is reported.
 */
export async function retryTask(clock: Clock, task: () => Promise<void>): Promise<TaskResult> {
  for (let attempts = 1; ; attempts++) {
    try {
      await task();
      return { ok: true, attempts };
    } catch (error) {
      const failure = failureOf(error);
      const next = decide(failure, { attempts, retry: taskRetry, random: clock.random() });
      if (!('wait' in next)) return { ok: false, attempts, error: failure.reason };
      await sleep(clock, next.wait);
    }
  }
}

/** Describes the error of a task. */
export function failureOf(error: unknown): Failure {
  if (error instanceof FailureError) return error.failure;
  if (ArticlesError.is(error)) return { code: error.code, reason: error.message };
  const name = error instanceof Error ? error.name : 'an error';
  return { code: 'network', reason: `It failed with ${name}.` };
}
