import type { ArticlesErrorCode } from '../errors.ts';
import type { Failure } from './failure.ts';

export interface RetrySettings {
  /** The number of retries per request. */
  limit: number;
  /** The maximum wait for `Retry-After`, in milliseconds. */
  maxDelay: number;
}

const unlimited = Number.POSITIVE_INFINITY;

/** The maximum number of retries by code, within `retries`. Other codes are not retried. */
const retriesByCode: Partial<Record<ArticlesErrorCode, number>> = {
  network: unlimited,
  throttled: unlimited,
  timeout: 2,
  dns: 2,
  'bad-json': 2,
  protocol: 1,
  'not-json': 1,
  'unexpected-shape': 1,
  'unexpected-status': 1,
  'wrong-article': 1,
};

const transientStatuses = new Set([206, 408, 409, 423, 425, 500, 502, 503, 504]);

/** Whether a status is usually temporary. Proxies use 520–529. */
export function isTransient(status = 0): boolean {
  return transientStatuses.has(status) || (status >= 520 && status <= 529);
}

const baseDelay = 500;
const maxBackoff = 20_000;

/** The step after a failed attempt. */
export type Decision =
  | {
      action: 'retry';
      /** Milliseconds until the next attempt. */
      wait: number;
      /** Whether all requests wait, because the service limits requests. */
      pausesAll: boolean;
      /** Whether the next attempt uses up no retry. */
      isFree: boolean;
    }
  | { action: 'give-up'; note?: string; code?: ArticlesErrorCode };

export interface Situation {
  /** The request so far. `throttled`: the number of free retries. `waited`: their pauses in milliseconds. */
  history: { attempts: number; retries: number; throttled: number; waited: number };
  retry: RetrySettings;
  /** The number of retries after 429 responses that use up none of `retries`. */
  freeRetries: number;
  /** Milliseconds left until the deadline. */
  timeLeft: number;
  /** Whether the run can afford another retry. */
  hasBudget: boolean;
  /** A number from 0 up to 1. */
  random: number;
}

export function decide(failure: Failure, situation: Situation): Decision {
  const { history, retry, freeRetries, timeLeft, hasBudget, random } = situation;
  const { code, status = 0, retryAfter = 0 } = failure;
  const isFree = code === 'throttled' && freeRetries > 0 && retry.limit > 0;

  if (isFree) {
    // A 429 response makes all requests wait, so a single article must not do so without a limit.
    const isUsedUp = history.throttled >= freeRetries || history.waited >= retry.maxDelay;
    if (freeRetries !== unlimited && isUsedUp) return { action: 'give-up' };
  } else {
    const maxRetries = isTransient(status) ? unlimited : (retriesByCode[code] ?? 0);
    if (history.retries >= Math.min(maxRetries, retry.limit)) return { action: 'give-up' };
  }
  if (retryAfter > retry.maxDelay) {
    const seconds = Math.ceil(retryAfter / 1000);
    const note = `the service requires a wait of ${seconds} s, longer than ${retry.maxDelay / 1000} s`;
    return { action: 'give-up', note };
  }
  if (!isFree && !hasBudget) {
    const note = 'no further retries, because too many requests of this run failed';
    return { action: 'give-up', code: 'unavailable', note };
  }
  // Jitter, so that clients do not retry at the same time.
  const backoff = random * Math.min(maxBackoff, baseDelay * 2 ** (history.attempts - 1));
  const wait = retryAfter > 0 ? retryAfter * (1 + random / 10) : backoff;
  if (wait >= timeLeft) {
    return { action: 'give-up', note: 'the time limit leaves no time for another attempt' };
  }
  return { action: 'retry', wait, pausesAll: status === 429 || status === 503, isFree };
}
