import type { ArticlesErrorCode } from '../../errors.ts';
import type { Failure } from './failure.ts';

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

const asOftenAsAllowed = Number.POSITIVE_INFINITY;

/** The number of retries that a failure is worth, within `retry.limit`. Others are worth none. */
const retriesByCode: Partial<Record<ArticlesErrorCode, number>> = {
  network: asOftenAsAllowed,
  throttled: asOftenAsAllowed,
  timeout: 2,
  dns: 2,
  'bad-json': 2,
  'empty-body': 2,
  protocol: 1,
  'not-json': 1,
  'unexpected-shape': 1,
  'unexpected-status': 1,
  'wrong-article': 1,
};

/** The same for statuses. All others count by their code. */
const retriesByStatus: Readonly<Record<number, number>> = {
  206: asOftenAsAllowed,
  408: asOftenAsAllowed,
  409: 2,
  423: 2,
  425: asOftenAsAllowed,
};

/** Whether a status may pass by itself: 500, 502–504, and 52x, which proxies use. */
export function isTransient(status = 0): boolean {
  return status === 500 || (status >= 502 && status <= 504) || (status >= 520 && status <= 529);
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

/** Decides what follows a failed attempt. */
export function decide(failure: Failure, situation: Situation): Decision {
  const { history, retry, throttledLimit, timeLeft, hasBudget, random } = situation;
  const { code, status = 0, retryAfter = 0 } = failure;
  const isFree = code === 'throttled' && !retry.countThrottled && retry.limit > 0;

  if (isFree) {
    // All requests wait for an address that responds 429, so a single one may not do so for ever.
    const isPatient = throttledLimit === Number.POSITIVE_INFINITY;
    const isUsedUp = history.throttled >= throttledLimit || history.waited >= retry.maxDelay;
    if (!isPatient && isUsedUp) return { action: 'give-up' };
  } else {
    const worth = isTransient(status)
      ? asOftenAsAllowed
      : (retriesByStatus[status] ?? retriesByCode[code] ?? 0);
    if (history.retries >= Math.min(worth, retry.limit)) return { action: 'give-up' };
  }
  if (retryAfter > retry.maxDelay) {
    const seconds = Math.ceil(retryAfter / 1000);
    const note = `the service requires a wait of ${seconds} s, longer than \`retry.maxDelay\``;
    return { action: 'give-up', note };
  }
  if (!isFree && !hasBudget) {
    const note = 'no further retries, because too many requests of this run failed';
    return { action: 'give-up', code: 'unavailable', note };
  }
  // Jitter, so that not all clients return at the same moment.
  const backoff = random * Math.min(maxBackoff, baseDelay * 2 ** (history.attempts - 1));
  const wait = retryAfter > 0 ? retryAfter * (1 + random / 10) : backoff;
  if (wait >= timeLeft) {
    return { action: 'give-up', note: '`totalTimeout` leaves no time for another attempt' };
  }
  return { action: 'retry', wait, pausesAll: status === 429 || status === 503, isFree };
}
