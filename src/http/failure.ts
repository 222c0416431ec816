import { type ArticlesErrorCode, ArticlesRequestError } from '../errors.ts';
import type { Redact } from './api-key.ts';

/** The reason why one attempt failed. */
export interface Failure {
  code: ArticlesErrorCode;
  /** What happened. It follows "GET …: " in the message. */
  reason: string;
  status?: number;
  /** The wait that the service requires, in milliseconds. */
  retryAfter?: number;
  /** What to do, if the default hint of the code does not apply. */
  hint?: string;
  /** Why the request is not sent again. */
  note?: string;
}

/** An error that fails an attempt. Callers of a requester receive an {@link ArticlesRequestError} instead. */
export class FailureError extends Error {
  override name = 'FailureError';
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.reason, options);
    this.failure = failure;
  }
}

/** The failure of a request whose deadline has passed. */
export const totalTimeout: Failure = {
  code: 'total-timeout',
  reason: 'the time limit of all requests was reached',
};

/** The number of causes that are kept, each that of the one before. */
const maxCauses = 5;
const tryLater = 'Try again later. If the failure persists, the service has to be fixed.';
const hints: Partial<Record<ArticlesErrorCode, string>> = {
  unauthorized:
    'Check the key, which the service issues and may show only once. It is read from ARTICLES_API_KEY unless ' +
    '`apiKey` is set.',
  'not-found':
    'Check `baseUrl`. The path /api/integrations/project/articles/ is added to it automatically.',
  refused: 'The service does not accept this request. Its response may say why.',
  throttled: 'Try again later, or lower `concurrency`.',
  timeout: 'If the service is slow, raise `timeout`, or request smaller pages with `pageSize`.',
  'total-timeout': 'Find out why the service is slow.',
  network: 'Try again later. Check `baseUrl`, and whether this machine can reach it.',
  dns: 'Check `baseUrl`, and whether this machine can resolve public host names.',
  tls: 'If the service uses a private certificate authority, set NODE_EXTRA_CA_CERTS to its file.',
  protocol:
    'Check the scheme and port of `baseUrl`. This happens when https is sent to an http port.',
  redirect: 'Set `baseUrl` to the final address of the service.',
  'body-too-large':
    'Check `baseUrl`. If the listing is too large, request smaller pages with `pageSize`.',
  'not-json':
    'Open the URL in a browser, and check `baseUrl`. A login page or a firewall may respond instead of the service.',
};

/** Creates the error for the caller, after the last attempt. */
export function toRequestError(
  { failure, cause }: FailureError,
  { url, attempts, redact }: { url: string; attempts: number; redact: Redact },
): ArticlesRequestError {
  const { code, status, retryAfter, note, hint = hints[code] ?? tryLater } = failure;
  const reason = redact(failure.reason);
  const notes = [attempts > 1 && `${attempts} attempts`, note].filter(Boolean).join('; ');
  const message = `GET ${url}: ${reason}${notes && ` (${notes})`}.`;
  const details = { url, reason, status, retryAfter, hint, attempts, cause: copyOf(cause, redact) };
  return new ArticlesRequestError(code, message, details);
}

/** Copies an error and its causes without the key, which the errors of a custom `fetch` may contain. */
function copyOf(error: unknown, redact: Redact, depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth === maxCauses) return undefined;
  const cause = copyOf(error.cause, redact, depth + 1);
  const copy = new Error(redact(error.message), cause && { cause });
  const stack = error.stack?.split('\n').map(redact).join('\n');
  const code = 'code' in error && typeof error.code === 'string' && { code: redact(error.code) };
  return Object.assign(copy, { name: error.name, stack }, code);
}
