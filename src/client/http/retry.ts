import type { ArticlesErrorCode } from '../../errors.ts';
import type { Failure } from './failure.ts';
import { isTransient } from './status.ts';

export interface RetryOptions {
  /** The number of retries per request, 0–10. @default 4 */
  limit?: number | undefined;
  /**
   * The longest `Retry-After`, in milliseconds, that is waited for. A request for which the service
   * sends a longer one fails at once. @default 120_000
   */
  maxDelay?: number | undefined;
  /**
   * Whether a 429 response uses up a retry, too. Otherwise the listing is requested until its time is up,
   * and an article up to nine times. @default false
   */
  countThrottled?: boolean | undefined;
}

export type RetrySettings = { [K in keyof RetryOptions]-?: NonNullable<RetryOptions[K]> };

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
  /** The request so far: `throttled` free retries took `waited` milliseconds. */
  history: { attempts: number; retries: number; throttled: number; waited: number };
  retry: RetrySettings;
  /** The number of free retries that this request may make. */
  throttledLimit: number;
  /** Milliseconds left until the deadline. */
  timeLeft: number;
  /** Whether the run can afford another retry. */
  hasBudget: boolean;
  /** A number from 0 up to 1. */
  random: number;
}

const baseDelay = 500;
const maxBackoff = 20_000;

/** Decides what follows a failed attempt. */
export function decide(failure: Failure, situation: Situation): Decision {
  const { history, retry, timeLeft, random } = situation;
  const { status, retryAfter = 0 } = failure;
  const isFree = failure.code === 'throttled' && !retry.countThrottled && retry.limit > 0;

  const isUsedUp = isFree
    ? hasWaitedEnough(situation)
    : history.retries >= Math.min(retry.limit, retriesFor(failure));
  if (isUsedUp) return { action: 'give-up' };
  if (retryAfter > retry.maxDelay) {
    const seconds = Math.ceil(retryAfter / 1000);
    const note = `the service requires a wait of ${seconds} s, longer than \`retry.maxDelay\``;
    return { action: 'give-up', note };
  }
  if (!isFree && !situation.hasBudget) {
    const note = 'no further retries, because too many requests of this run failed';
    return { action: 'give-up', code: 'unavailable', note };
  }
  // A tenth more at most, so that not all clients return at the same moment.
  const wait = retryAfter > 0 ? retryAfter * (1 + random / 10) : backoff(history.attempts, random);
  if (wait >= timeLeft) {
    return { action: 'give-up', note: '`totalTimeout` leaves no time for another attempt' };
  }
  return { action: 'retry', wait, pausesAll: status === 429 || status === 503, isFree };
}

/** Full jitter: any delay up to a bound that doubles with each attempt. */
export function backoff(attempt: number, random: number): number {
  return random * Math.min(maxBackoff, baseDelay * 2 ** (attempt - 1));
}

/** Whether an address that always responds 429 has to be given up, since all requests wait for it. */
function hasWaitedEnough({ history, throttledLimit, retry }: Situation): boolean {
  if (throttledLimit === Number.POSITIVE_INFINITY) return false;
  return history.throttled >= throttledLimit || history.waited >= retry.maxDelay;
}

/** The number of retries that a failure is worth, whatever `retry.limit` allows. */
function retriesFor({ code, status }: Failure): number {
  switch (code) {
    case 'network':
    case 'throttled':
      return Number.POSITIVE_INFINITY;
    case 'server-error':
      return isTransient(status) ? Number.POSITIVE_INFINITY : 0;
    case 'refused':
      if (status === 408 || status === 425) return Number.POSITIVE_INFINITY;
      return status === 409 || status === 423 ? 2 : 0;
    case 'unexpected-status':
      return status === 206 ? Number.POSITIVE_INFINITY : 1;
    case 'timeout':
    case 'dns':
    case 'bad-json':
    case 'empty-body':
      return 2;
    case 'protocol':
    case 'not-json':
    case 'unexpected-shape':
    case 'wrong-article':
      return 1;
    default:
      return 0;
  }
}
