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
import type { FetchInit, Reply, ReplyHead, Send } from './send.ts';

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
  readHead?: (response: ReplyHead) => T | undefined;
  /**
   * Turns the body into the result. A {@link FailureError} fails the attempt, which may be retried;
   * any other error is passed on to the caller.
   */
  read: (body: Uint8Array, response: ReplyHead) => T | Promise<T>;
}

/** The settings that all attempts of a requester share. */
export interface Connection {
  fetch: Send;
  /** Headers of every request. */
  headers: Record<string, string>;
  /** Errors quote the responses of the same origin only. */
  redirects: RedirectPolicy;
  redact: Redact;
  clock: Clock;
}

/** The settings that all attempts with a time limit share. */
export interface LimitedConnection extends Connection {
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
 * Sends a request once, within its time limit. Redirects, reading the body, parsing it and checking its shape are part of the
 * attempt, because a truncated body has to be retried, too.
 *
 * @throws {FailureError}, the reason of the signal, or an error of `spec.read`
 */
export async function attempt<T>(
  connection: LimitedConnection,
  spec: RequestSpec<T>,
  { deadline, signal }: CallLimits,
): Promise<T> {
  signal?.throwIfAborted();
  const { clock, timeout } = connection;
  const timeLeft = deadline - clock.now();
  const abort = new AbortController();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (reason: unknown) => {
    reject(reason);
    abort.abort(reason);
  };
  const forward = () => stop(signal?.reason);
  signal?.addEventListener('abort', forward, { once: true });
  const reason = `no complete response within ${timeout} ms`;
  const failure: Failure = timeLeft < timeout ? totalTimeoutFailure : { code: 'timeout', reason };
  const onTimeout = () => stop(new FailureError(failure));
  const cancelTimer = clock.after(Math.min(timeout, timeLeft), onTimeout);
  const sending: Sending = { signal: abort.signal, onBody: cancelTimer, requested: {} };
  try {
    // A custom fetch may ignore the signal, or reject with an error of its own.
    return await Promise.race([stopped, perform(connection, spec, sending)]);
  } catch (error) {
    throw error instanceof FailureError ? withFacts(error, sending.requested) : error;
  } finally {
    cancelTimer();
    signal?.removeEventListener('abort', forward);
    // Cancels a body that was not read completely. Without a reason, this would create an error, with its stack.
    abort.abort('The attempt has ended.');
  }
}

export interface Sending {
  signal: AbortSignal | null | undefined;
  /** Called when the body has been received. */
  onBody?: () => void;
  /** Receives the URL that is requested. */
  requested: Pick<Failure, 'url' | 'method'>;
}

/**
 * Sends a request once, without a time limit.
 *
 * @throws {FailureError} or an error of `spec.read`
 */
export async function perform<T>(
  connection: Connection,
  spec: RequestSpec<T>,
  sending: Sending,
): Promise<T> {
  const { fetch, redirects, redact, clock } = connection;
  const { url, acceptStatus = [200], readHead } = spec;
  const { signal, requested } = sending;
  const init: FetchInit = {
    headers: { ...connection.headers, ...spec.headers },
    redirect: 'manual',
    signal: signal ?? null,
    onRequest(url, method) {
      requested.url = url;
      requested.method = method;
    },
  };
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
    const quoted = await quoteResponse(response, connection);
    throw new FailureError(statusFailure(response, clock.date(), quoted));
  }
  return readHead?.(response) ?? receive(response, connection, spec, sending);
}

async function quoteResponse(
  response: Reply,
  { redirects, redact, clock }: Connection,
): Promise<QuotedBody> {
  if (redirects === 'any-origin') return noQuote;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancelTimer = clock.after(detailTimeout, reject);
  try {
    return quoteBody(await Promise.race([readBody(response, maxErrorBytes), late]), redact);
  } catch {
    return noQuote;
  } finally {
    cancelTimer();
  }
}

/** Reads a response. Its failures have the status, and quote the body. */
async function receive<T>(
  response: Reply,
  { redact, redirects }: Connection,
  { maxBytes, read }: RequestSpec<T>,
  { signal, onBody }: Sending,
): Promise<T> {
  let body = new Uint8Array();
  try {
    body = await readBody(response, maxBytes, signal).catch((error) => {
      throw error instanceof FailureError ? error : bodyFailure(error, response, redact);
    });
    onBody?.();
    return await read(body, response);
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    const quoted = redirects === 'same-origin' ? quoteBody(body, redact) : noQuote;
    const { status, headers } = response;
    throw withFacts(error, { status, headers, reason: error.failure.reason + quoted.text });
  }
}
