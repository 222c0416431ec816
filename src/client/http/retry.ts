import type { ArticlesErrorCode } from '../../errors.ts';
import type { Fault } from './failure.ts';

export interface RetryOptions {
  /** How many times a request is sent again at most, 0–10. @default 4 */
  limit?: number | undefined;
  /**
   * The longest wait, in ms, that the service may ask for with `Retry-After`. If it asks for more,
   * the sync fails at once and says so. @default 120_000
   */
  maxDelay?: number | undefined;
  /**
   * Whether an answer that only asks to slow down uses up a retry, too: for callers who would rather
   * fail than wait. @default false
   */
  countThrottled?: boolean | undefined;
}

const baseDelay = 500;
const longestBackoff = 20_000;

/** The next step after a failed attempt: wait and try again, or stop, and why. */
export type Decision =
  | { wait: number; throttled: boolean; counted: boolean }
  | { stop?: string; code?: ArticlesErrorCode };

export interface Standing {
  /** The attempt that just failed, counted from 1. */
  attempt: number;
  /** The same without the attempts that were only throttled: they use up no retries. */
  counted: number;
  limit: number;
  maxDelay: number;
  countThrottled: boolean;
  /** Milliseconds left of the total time. */
  timeLeft: number;
  /** Whether the run may still afford a retry. */
  budget: boolean;
  /** A number from 0 up to 1. */
  random: number;
}

/** Decides what follows a failed attempt. */
export function decide(fault: Fault, standing: Standing): Decision {
  const { attempt, counted, limit, maxDelay, timeLeft, budget, random } = standing;
  const throttled = isThrottling(fault);
  const costs = standing.countThrottled || fault.code !== 'throttled';

  const retries = costs || limit === 0 ? limit : Number.POSITIVE_INFINITY;
  if (counted > Math.min(retries, retriesFor(fault))) return {};
  if (fault.retryAfter !== undefined && fault.retryAfter > maxDelay) {
    return {
      stop: `the service asks to wait ${seconds(fault.retryAfter)}, longer than \`retry.maxDelay\``,
    };
  }
  if (costs && !budget) {
    return { code: 'unavailable', stop: 'too many requests of this run failed to go on trying' };
  }
  const wait = delayBefore(fault, { attempt, random });
  if (wait >= timeLeft) return { stop: '`totalTimeout` leaves no time for another' };
  return { wait, throttled, counted: costs };
}

/** Answers that ask everybody to slow down, not just this request. */
function isThrottling({ status }: Fault): boolean {
  return status === 429 || status === 503;
}

/** How often it is worth asking again: faults of the moment often, faults of the data hardly. */
function retriesFor({ code, status }: Fault): number {
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

/** 500, 502–504, and the 52x that proxies in front of a service invent for it. */
export function isTransient(status = 0): boolean {
  return status === 500 || (status >= 502 && status <= 504) || (status >= 520 && status <= 529);
}

function delayBefore(
  fault: Fault,
  { attempt, random }: { attempt: number; random: number },
): number {
  // Up to a tenth more than asked, so that not everybody comes back at the same moment.
  if (fault.retryAfter !== undefined && fault.retryAfter > 0)
    return fault.retryAfter * (1 + random / 10);
  return backoff(attempt, random);
}

/** Full jitter: anything up to a bound that doubles with each attempt. */
export function backoff(attempt: number, random: number): number {
  return random * Math.min(longestBackoff, baseDelay * 2 ** (attempt - 1));
}

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3): seconds, or a date. The date is compared with the answer's
 * own `Date`, since the two clocks may differ. What is neither says nothing.
 */
export function retryAfter(headers: Headers, date: number): { retryAfter?: number } {
  const value = headers.get('retry-after')?.trim();
  if (!value) return {};
  if (/^\d+$/.test(value)) return { retryAfter: Number(value) * 1000 };
  const until = /^[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(until)) return {};
  const served = Date.parse(headers.get('date') ?? '');
  return { retryAfter: Math.max(0, until - (Number.isNaN(served) ? date : served)) };
}

/** A duration in whole seconds, as people read it. */
export function seconds(milliseconds: number): string {
  return `${Math.ceil(milliseconds / 1000)} s`;
}
