import { ArticlesError, type ArticlesErrorCode } from '../errors.ts';
import { type Clock, sleep } from '../shared/clock.ts';
import { type Failure, FailureError } from './failure.ts';

export interface RetrySettings {
  /** The number of retries per request. */
  limit: number;
  /** The maximum wait for `Retry-After`, in milliseconds. */
  maxDelay: number;
  /** For how long, in ms, a request may wait after 429 responses without using up a retry. @default 0 */
  patience?: number;
}

const unlimited = Number.POSITIVE_INFINITY;

/** The maximum number of retries by code, within `retries`. Other codes are not retried. */
const retriesByCode: Partial<Record<ArticlesErrorCode, number>> = {
  network: unlimited,
  throttled: unlimited,
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

const baseDelay = 500;
const maxBackoff = 20_000;
/** The number of times that a request for an article waits after 429 responses that do not say how long. */
const maxGuesses = 8;

/** The wait in milliseconds until the next attempt, and whether that uses up no retry; or the failure to report. */
export type Decision = { wait: number; isFree: boolean } | { failure: Failure };

export interface Situation {
  /** The request so far. `waited`: the pauses after 429 responses that used up no retry, in milliseconds. */
  history: { attempts: number; retries: number; waited: number };
  retry: RetrySettings;
  isVital?: boolean | undefined;
  /** Milliseconds left until the deadline. @default unlimited */
  timeLeft?: number;
  /** Whether the run can afford another retry. @default true */
  hasBudget?: boolean;
  /** A number from 0 up to 1. */
  random: number;
}

/** Decides what follows a failed attempt. */
export function decide(
  failure: Failure,
  { history, retry, random, isVital = false, timeLeft = unlimited, hasBudget = true }: Situation,
): Decision {
  const { code, status = 0, retryAfter = 0 } = failure;
  const { limit, maxDelay, patience = 0 } = retry;
  const maxRetries = isTransient(status) ? unlimited : (retriesByCode[code] ?? 0);
  const isFree = code === 'throttled' && patience > 0 && limit > 0;

  // Each wait is one of all requests, so one article that never succeeds must not repeat it for minutes.
  const maxAttempts = retryAfter === 0 && !isVital ? maxGuesses : unlimited;
  const isUsedUp = isFree
    ? history.waited >= patience || history.attempts > maxAttempts
    : history.retries >= Math.min(maxRetries, limit);
  if (isUsedUp) return { failure };
  if (retryAfter > maxDelay) {
    const seconds = Math.ceil(retryAfter / 1000);
    const note = `the service requires a wait of ${seconds} s, longer than ${maxDelay / 1000} s`;
    return { failure: { ...failure, note } };
  }
  if (!isFree && !hasBudget) {
    const note = 'no further retries, because too many requests of this run failed';
    return { failure: { ...failure, code: 'unavailable', note } };
  }
  // Jitter, so that clients do not retry at the same time.
  const backoff = random * Math.min(maxBackoff, baseDelay * 2 ** (history.attempts - 1));
  const wait = retryAfter > 0 ? retryAfter * (1 + random / 10) : backoff;
  if (wait < timeLeft) return { wait, isFree };
  const note = 'the time limit leaves no time for another attempt';
  return { failure: { ...failure, note } };
}

const retry = { limit: 2, maxDelay: 10_000 };

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
      const history = { attempts, retries: attempts - 1, waited: 0 };
      const next = decide(failure, { history, retry, random: clock.random() });
      if ('failure' in next) return { ok: false, attempts, error: failure.reason };
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
