import { type ArticlesErrorCode, ArticlesRequestError } from '../../errors.ts';
import type { Redact } from './redact.ts';

/** The reason why one attempt failed, before it is known whether another one follows. */
export interface Failure {
  code: ArticlesErrorCode;
  /** What happened. It follows "GET …: " in the message. */
  reason: string;
  status?: number;
  /** The wait that the service requires, in milliseconds. */
  retryAfter?: number;
  hint?: string;
  /** Why there is no other attempt. */
  note?: string;
}

/** Fails an attempt. It never leaves a requester. */
export class FailureError extends Error {
  override name = 'FailureError';
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.reason, options);
    this.failure = failure;
  }
}

/** The failure of a request for which no time is left. */
export const totalTimeout: Failure = {
  code: 'total-timeout',
  reason: 'no time was left within `totalTimeout`',
  hint: 'Raise `totalTimeout`, or find out why the service is slow.',
};

const tryLater = 'Try again later. If the failure persists, the service has to be fixed.';
const hints: Partial<Record<ArticlesErrorCode, string>> = {
  refused: 'The service does not accept this request. Its response may say why.',
  throttled: 'Try again later, or send fewer requests at a time: lower `concurrency`.',
  timeout: 'If the service is slow, raise `timeout`, or request smaller pages with `pageSize`.',
  unavailable: tryLater,
  'server-error': tryLater,
  'unexpected-status': tryLater,
  'empty-body': tryLater,
  'bad-json': tryLater,
  'bad-text': tryLater,
  'too-deep': tryLater,
};

/** Creates the error that callers see, after the last attempt. */
export function toRequestError(
  { failure, cause }: FailureError,
  { url, attempts, redact }: { url: string; attempts: number; redact: Redact },
): ArticlesRequestError {
  const { code, status, retryAfter, note, hint = hints[code] } = failure;
  const reason = redact(failure.reason);
  const notes = [attempts > 1 && `${attempts} attempts`, note].filter(Boolean).join('; ');
  const message = `GET ${url}: ${reason}${notes && ` (${notes})`}.`;
  const details = { url, reason, status, retryAfter, hint, attempts, cause };
  return new ArticlesRequestError(code, message, details);
}
