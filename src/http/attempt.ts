import type { Redact } from '../errors.ts';
import type { Clock } from '../shared/clock.ts';
import { readBody } from './body.ts';
import {
  bodyFailure,
  type Failure,
  FailureError,
  networkFailure,
  statusFailure,
  totalTimeoutFailure,
  withFacts,
} from './failure.ts';
import { noQuote, type QuotedBody, quoteBody } from './quote-body.ts';
import { followRedirects, type RedirectPolicy } from './redirects.ts';
import type { FetchInit, Reply, Send } from './send.ts';

/** One request, as its caller describes it. */
export interface RequestSpec<T> {
  url: URL;
  /** Size limit of the body in bytes, after decompression. */
  maxBytes: number;
  /** Headers of this request alone. */
  headers?: Record<string, string> | undefined;
  /** The statuses of a usable response. @default [200] */
  acceptStatus?: readonly number[] | undefined;
  /** Returns the result if the head of the response is enough. The body is not received then. */
  readHead?: (response: Omit<Reply, 'body'>) => T | undefined;
  /**
   * Turns the body into the result. A {@link FailureError} fails the attempt, which may be retried;
   * any other error is passed on to the caller.
   */
  read: (body: Uint8Array, response: Omit<Reply, 'body'>) => T | Promise<T>;
}

/** The settings that all attempts of a requester share. */
export interface Connection {
  fetch: Send;
  /** Headers of every request. */
  headers: Record<string, string>;
  redirects: RedirectPolicy;
  redact: Redact;
  /** Whether errors quote the responses. */
  quotes: boolean;
  clock: Clock;
  /** Milliseconds for one attempt, from the request to the last byte. */
  timeout: number;
}

/** The time limit and the signal of a call. */
export interface CallLimits {
  /** In ms, on the clock of {@link Clock.now}. */
  deadline: number;
  signal?: AbortSignal | undefined;
}

const maxErrorBytes = 65_536;
/** Milliseconds to wait for the body of an error response. After that, the status is reported without it. */
const detailTimeout = 1_000;

/**
 * Sends a request once. Redirects, reading the body, parsing it and checking its shape are part of the attempt,
 * because a truncated body has to be retried, too.
 *
 * @throws {FailureError}, the reason of the signal, or an error of `spec.read`
 */
export async function attempt<T>(
  connection: Connection,
  spec: RequestSpec<T>,
  { deadline, signal }: CallLimits,
): Promise<T> {
  signal?.throwIfAborted();
  const { clock, timeout } = connection;
  const timeLeft = deadline - clock.now();
  const abort = new AbortController();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  abort.signal.addEventListener('abort', () => reject(abort.signal.reason), { once: true });
  const forward = () => abort.abort(signal?.reason);
  signal?.addEventListener('abort', forward, { once: true });
  const reason = `no complete response within ${timeout} ms`;
  const failure: Failure = timeLeft < timeout ? totalTimeoutFailure : { code: 'timeout', reason };
  const onTimeout = () => abort.abort(new FailureError(failure));
  const cancelTimer = clock.after(Math.min(timeout, timeLeft), onTimeout);

  const requested: Pick<Failure, 'url' | 'isTranslated'> = {};

  try {
    // A custom fetch may ignore the signal, or reject with an error of its own.
    const result = perform(connection, spec, {
      signal: abort.signal,
      onBody: cancelTimer,
      requested,
    });
    return await Promise.race([aborted, result]);
  } catch (error) {
    const cause = abort.signal.aborted ? abort.signal.reason : error;
    throw cause instanceof FailureError ? withFacts(cause, requested) : cause;
  } finally {
    cancelTimer();
    signal?.removeEventListener('abort', forward);
    // Cancels a body that was not read completely. Without a reason, this would create an error, with its stack.
    abort.abort('The attempt has ended.');
  }
}

interface Sending {
  signal: AbortSignal;
  /** Called when the body has been received. */
  onBody: () => void;
  /** Receives the URL that is requested. */
  requested: Pick<Failure, 'url' | 'isTranslated'>;
}

async function perform<T>(
  { fetch, redirects, redact, quotes, clock, ...connection }: Connection,
  { url, maxBytes, headers: moreHeaders, acceptStatus = [200], read, readHead }: RequestSpec<T>,
  { signal, onBody, requested }: Sending,
): Promise<T> {
  const headers = { ...connection.headers, ...moreHeaders };
  const onRequest = (url: string) => {
    requested.url = url;
    requested.isTranslated = true;
  };
  const init: FetchInit = { headers, redirect: 'manual', signal, onRequest };
  const send = (target: URL) => {
    requested.url = target.href;
    return fetch(target.href, init);
  };
  let response: Reply;
  try {
    response = await followRedirects(url, redirects, send);
    // A function for `fetch` may have requested another URL.
    if (response.url) requested.url = response.url;
  } catch (error) {
    throw error instanceof FailureError ? error : networkFailure(error, url, redact);
  }
  if (!acceptStatus.includes(response.status)) {
    const { promise: late, resolve } = Promise.withResolvers<QuotedBody>();
    const cancelTimer = clock.after(detailTimeout, () => resolve(noQuote));
    const quoted = quotes ? quoteResponse(response, redact) : noQuote;
    const shown = await Promise.race([quoted, late]).finally(cancelTimer);
    throw new FailureError(statusFailure(response, clock.date(), shown));
  }
  const early = readHead?.(response);
  if (early !== undefined) return early;
  return receive(response, {
    maxBytes,
    signal,
    redact,
    quotes,
    read(body) {
      onBody();
      return read(body, response);
    },
  });
}

async function quoteResponse(response: Reply, redact: Redact): Promise<QuotedBody> {
  try {
    return quoteBody(await readBody(response, maxErrorBytes), redact);
  } catch {
    return noQuote;
  }
}

/** The failures of a response whose first characters may say what it is. */
const quotedCodes: readonly string[] = ['not-json', 'bad-json', 'bad-text', 'unexpected-shape'];

/**
 * Reads a response. Its failures have the status, and quote the body.
 *
 * @throws {FailureError}, the reason of the signal, or an error of `read`
 */
export async function receive<T>(
  response: Reply,
  { maxBytes, redact, quotes, read, signal }: Receiving<T>,
): Promise<T> {
  const { status, headers } = response;
  let body: Uint8Array;
  try {
    body = await readBody(response, maxBytes, signal);
  } catch (error) {
    if (!(error instanceof FailureError)) throw bodyFailure(error, response, redact);
    throw withFacts(error, { status, headers });
  }
  try {
    return await read(body);
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    const { code, reason } = error.failure;
    const isQuoted = quotes && quotedCodes.includes(code);
    const quoted = isQuoted ? quoteBody(body, redact).text : '';
    throw withFacts(error, { status, headers, reason: reason + quoted });
  }
}

interface Receiving<T> extends Pick<Connection, 'redact' | 'quotes'> {
  maxBytes: number;
  read: (body: Uint8Array) => T | Promise<T>;
  signal?: AbortSignal;
}
