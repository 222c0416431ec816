import {
  type ArticlesErrorCode,
  ArticlesRequestError,
  type Redact,
  redactCause,
} from '../errors.ts';
import { messageOf } from '../messages.ts';
import { excerpt } from './api-key.ts';
import { hintOfProxy } from './proxy.ts';
import { noQuote, type QuotedBody } from './quote-body.ts';
import { requiredWait } from './response-times.ts';
import type { ReplyHead } from './send.ts';

/** The reason why one attempt failed. */
export interface Failure {
  code: ArticlesErrorCode;
  /** What happened. It follows the method and the URL in the message. */
  reason: string;
  status?: number;
  /** The headers of the response with this status. */
  headers?: Headers;
  /** The wait that the service requires. */
  retryAfterMs?: number;
  /** What to do, if the default hint of the code does not apply. */
  hint?: string | undefined;
  /** Why the request is not sent again. */
  note?: string;
  /** The URL that was requested, if it is not the URL of the caller: after a redirect, or by a translation. */
  url?: string;
  /** The method of the request, if a translation has sent it. */
  method?: string;
}

/** An error that fails an attempt. Callers of a requester receive an {@link ArticlesRequestError} instead. */
export class FailureError extends Error {
  override name = 'FailureError';
  readonly failure: Failure;

  /** Recognises failures of any copy of this package: astro.config and the loaders may use two copies. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    return error instanceof Error && error.name === 'FailureError';
  }

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.reason, options);
    this.failure = failure;
  }
}

/** Adds facts to an error, which may be of another copy of this package. */
export function withFacts(error: FailureError, facts: Partial<Failure>): FailureError {
  return new FailureError({ ...error.failure, ...facts }, { cause: error.cause });
}

/** The failure of a request whose deadline has passed. */
export const totalTimeoutFailure: Failure = {
  code: 'total-timeout',
  reason: 'the time limit of all requests was reached',
};

const tryLater = 'Try again later. If the failure persists, the service has to be fixed.';
const hints: Partial<Record<ArticlesErrorCode, string>> = {
  unauthorized:
    'Check the API key, which the service refuses. The service issues it, and may show it only once. It is read from ' +
    'ARTICLES_API_KEY unless `apiKey` is set.',
  'not-found':
    'Check `baseUrl`, or ARTICLES_BASE_URL. The path /api/integrations/project/articles/ is added to it automatically.',
  refused: 'The service does not accept this request. Its response may say why.',
  'server-error': `${tryLater} If it cannot send large pages of the listing, lower \`pageSize\`.`,
  throttled: 'Try again later, or lower `concurrency`.',
  timeout: 'If the service is slow, raise `timeout`, or request smaller pages with `pageSize`.',
  'total-timeout': 'Find out why the service is slow.',
  network:
    'Try again later. Check `baseUrl` or ARTICLES_BASE_URL, and whether this machine can reach it.',
  dns:
    'Check `baseUrl` or ARTICLES_BASE_URL, and whether this machine can resolve public host names. Without a service, ' +
    '`npx astro-articles serve` runs one with examples, and prints what to set.',
  redirect:
    'If the service has moved there, set `baseUrl` to its final URL, because the API key is sent to the origin of `baseUrl` only. If it is a login page, a proxy or the network requires a login.',
  'body-too-large':
    'Check `baseUrl`. If the listing is too large, request smaller pages with `pageSize`.',
  'not-json':
    'Open the URL in a browser, and check `baseUrl` or ARTICLES_BASE_URL. A login page or a firewall may respond instead of the service.',
};

const translationPage = 'node_modules/astro-articles/docs/start/translate.md';
/** The hints for requests of a translation, whose paths and shapes are its own. */
const translationHints: typeof hints = {
  'not-found': 'Check `baseUrl` or ARTICLES_BASE_URL, and the path that the translation requests.',
  'unexpected-shape': `Correct the functions that translateApi() received, or fix the service: see ${translationPage}.`,
};
/** The hint for a refusal that is not JSON. */
const proxyHint =
  'A proxy, a firewall or a login page may have responded instead of the service: open the URL in a browser. If it is ' +
  'the service, check the API key.';

/** Creates the error for the caller, after the last attempt. */
export function toRequestError(
  { failure, cause }: FailureError,
  { url: requestedUrl, attempts, redact }: { url: string; attempts: number; redact: Redact },
): ArticlesRequestError {
  const { code, status, note, method } = failure;
  const url = redact(failure.url ?? requestedUrl);
  const hasNoResponse = ['network', 'timeout'].includes(code) && status === undefined;
  const proxy = hasNoResponse ? hintOfProxy(url) : undefined;
  const ofTranslation = method ? translationHints[code] : undefined;
  const hint = proxy ?? ofTranslation ?? failure.hint ?? hints[code] ?? tryLater;
  const reason = redact(failure.reason);
  const notes = [attempts > 1 && `${attempts} attempts`, note].filter(Boolean).join('; ');
  const message = `${method ?? 'GET'} ${url}: ${reason}${notes && ` (${notes})`}.`;
  const copy = redactCause(cause, redact);
  const headers = failure.headers && shownHeaders(failure.headers, redact);
  const details = { url, reason, status, headers, hint, attempts, cause: copy };
  return new ArticlesRequestError(code, message, details);
}

/** Returns the headers of a response without the key, and without cookies, which are secrets of a session. */
function shownHeaders(headers: Headers, redact: Redact): Record<string, string> {
  const shown = [...headers].filter(([name]) => name !== 'set-cookie');
  return Object.fromEntries(shown.map(([name, value]) => [redact(name), redact(value)]));
}

const longHeadersHint =
  'The headers of the response are too long. Let the service, or a proxy before it, send fewer headers, for example fewer cookies.';
const tlsCode = /CERT|UNABLE_TO_|EPROTO|ERR_(?:TLS|SSL_)/;

/** Describes an error of `fetch`. */
export function networkFailure(error: unknown, url: URL, redact: Redact): FailureError {
  const { host } = url;
  const system = systemCode(error);
  const detail = detailOf(error, redact);
  const failure = (code: ArticlesErrorCode, problem: string, hint?: string) =>
    new FailureError({ code, reason: `${problem} (${detail})`, hint }, { cause: error });
  if (system && tlsCode.test(system)) {
    const [problem, hint] = tlsProblem(system, host);
    return failure('tls', problem, hint);
  }
  // With a proxy, the name may be that of the proxy, or one that only the proxy can resolve.
  if (system === 'ENOTFOUND' && !hintOfProxy(url.href)) {
    return failure('dns', `the host name ${host} could not be resolved`);
  }
  const hint = system?.endsWith('_OVERFLOW') ? longHeadersHint : undefined;
  return failure('network', `the connection to ${host} failed`, hint);
}

/** Returns what is wrong with a TLS connection, and what to do. */
function tlsProblem(code: string, host: string): [problem: string, hint: string] {
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const hint = `The certificate of ${host} has to be renewed. If it is valid, correct the clock of this machine.`;
    return [`the certificate of ${host} has expired, or is not valid yet`, hint];
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return [`the certificate of ${host} is for another host`, 'Check the host name of `baseUrl`.'];
  }
  if (/CERT|UNABLE_TO_/.test(code)) {
    const hint = 'For a private certificate authority, set NODE_EXTRA_CA_CERTS to its file.';
    return [`the certificate of ${host} is from an unknown authority`, hint];
  }
  return [`the port of ${host} has no usable TLS`, 'Check the scheme and port of `baseUrl`.'];
}

/** Describes an error of the stream of a body: the connection broke off, or it could not be decompressed. */
export function bodyFailure(
  error: unknown,
  { status, headers }: ReplyHead,
  redact: Redact,
): FailureError {
  const reason = `responded ${status}, but its body could not be read to the end (${detailOf(error, redact)})`;
  const hint = `${tryLater} A proxy may also cut off responses, or compress them wrongly.`;
  return new FailureError({ code: 'network', status, headers, reason, hint }, { cause: error });
}

function detailOf(error: unknown, redact: Redact): string {
  // `fetch` says only that it failed, and its cause why.
  const { cause = error } = Object(error);
  return systemCode(error) ?? excerpt(redact(messageOf(cause)));
}

/** Finds the code of the system or runtime in an error and up to four causes. */
function systemCode(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; current instanceof Error && depth < 5; depth++) {
    const code = 'code' in current && typeof current.code === 'string' ? current.code : '';
    if (/^[A-Z][A-Z\d_]+$/.test(code)) return code;
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return undefined;
}

const codeByStatus: Readonly<Record<number, ArticlesErrorCode>> = {
  401: 'unauthorized',
  403: 'unauthorized',
  404: 'not-found',
  410: 'not-found',
  429: 'throttled',
};

/**
 * Describes an unexpected status that is not a redirect.
 *
 * @param date the time of day, in milliseconds since 1970
 * @param quoted what the body says
 */
export function statusFailure(
  { status, headers }: ReplyHead,
  date: number,
  { isJson, text }: QuotedBody = noQuote,
): Failure {
  const other = status >= 500 ? 'server-error' : status >= 400 ? 'refused' : 'unexpected-status';
  const code = codeByStatus[status] ?? other;
  const type = text.startsWith(';') ? mediaType(headers) : undefined;
  const reason = `responded ${status}${type ? ` with ${type}` : ''}${text}`;
  const isGateway = !isJson && gatewayStatuses.includes(status);
  const hint = isGateway ? proxyHint : undefined;
  const retryAfterMs = requiredWait({ status, headers }, date);
  return { code, status, headers, reason, hint, retryAfterMs };
}

/** The statuses with which a proxy or a network requires a login. */
const gatewayStatuses = [401, 403, 511];

/** Returns the type of a body, without its parameters. */
export function mediaType(headers: Headers): string | undefined {
  return headers.get('content-type')?.split(';')[0]?.trim();
}
