import type { Redact } from '../errors.ts';
import type { Clock } from '../shared/clock.ts';
import { isRecord } from '../shared/json-value.ts';
import { excerpt } from './api-key.ts';
import { readBody, readJson } from './body.ts';
import {
  type Failure,
  FailureError,
  networkFailure,
  statusFailure,
  totalTimeout,
} from './failure.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** One request, as its caller describes it. */
export interface RequestSpec<T> {
  url: URL;
  /** Size limit of the body in bytes, after decompression. */
  maxBytes: number;
  /** Headers of this request alone. */
  headers?: Record<string, string> | undefined;
  /** Whether others depend on it: it is also sent while the service does not respond, and waits longer after 429. @default false */
  isVital?: boolean;
  /** The statuses of a usable response. @default [200] */
  acceptStatus?: readonly number[] | undefined;
  /**
   * Turns the body into the result. A {@link FailureError} fails the attempt, which may be retried;
   * any other error is passed on to the caller.
   */
  read: (body: Uint8Array, response: Pick<Response, 'status' | 'headers'>) => T | Promise<T>;
}

/** The settings that all attempts of a requester share. */
export interface Connection {
  fetch: Fetch;
  /** Headers of every request. */
  headers: Record<string, string>;
  redirects: RedirectPolicy;
  redact: Redact;
  clock: Clock;
  /** Milliseconds for one attempt, from the request to the last byte. */
  timeout: number;
}

/** The time limit and the signal of a call. */
export interface Until {
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
  { deadline, signal }: Until,
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
  const failure: Failure = timeLeft < timeout ? totalTimeout : { code: 'timeout', reason };
  const onTimeout = () => abort.abort(new FailureError(failure));
  const cancelTimer = clock.after(Math.min(timeout, timeLeft), onTimeout);

  try {
    // A custom fetch may ignore the signal, or reject with an error of its own.
    const result = perform(connection, spec, { signal: abort.signal, onBody: cancelTimer });
    return await Promise.race([aborted, result]);
  } catch (error) {
    throw abort.signal.aborted ? abort.signal.reason : error;
  } finally {
    cancelTimer();
    signal?.removeEventListener('abort', forward);
    // Cancels a body that was not read completely. Without a reason, this would create an error, with its stack.
    abort.abort('The attempt has ended.');
  }
}

async function perform<T>(
  { fetch, redirects, redact, clock, ...connection }: Connection,
  { url, maxBytes, headers: own, acceptStatus = [200], read }: RequestSpec<T>,
  { signal, onBody }: { signal: AbortSignal; onBody: () => void },
): Promise<T> {
  const headers = { ...connection.headers, ...own };
  const send = (target: URL) => fetch(target.href, { headers, redirect: 'manual', signal });
  let response: Response;
  let body: Uint8Array;
  try {
    response = await followRedirects(url, redirects, send);
    if (!acceptStatus.includes(response.status)) {
      const { promise: late, resolve } = Promise.withResolvers<string>();
      const cancelTimer = clock.after(detailTimeout, () => resolve(''));
      const detail = await Promise.race([detailOf(response), late]).finally(cancelTimer);
      const failure = statusFailure(response, excerpt(redact(detail)), clock.date());
      throw new FailureError(failure);
    }
    body = await readBody(response, maxBytes, signal);
  } catch (error) {
    if (error instanceof FailureError) throw error;
    throw networkFailure(error, url.host, redact);
  }
  onBody();
  return read(body, response);
}

/** Reads the explanation in the JSON of an error response. A web page is not quoted. */
async function detailOf(response: Response): Promise<string> {
  try {
    const value = readJson(await readBody(response, maxErrorBytes), response);
    const texts = isRecord(value) ? [value.detail, value.message, value.error] : [];
    return texts.find((text) => typeof text === 'string') ?? '';
  } catch {
    return '';
  }
}

/**
 * The redirects that are followed. `'any-origin'` is for requests without a secret, and does not include
 * redirects from https to http.
 */
export type RedirectPolicy = 'same-origin' | 'any-origin';

const maxRedirects = 5;
const redirectStatuses = [301, 302, 303, 307, 308];

/**
 * Sends a request and follows its redirects. `fetch` must not follow them by itself: it would forward
 * the API key to any other origin, even from https to http (https://github.com/nodejs/undici/issues/4917).
 */
export async function followRedirects(
  start: URL,
  policy: RedirectPolicy,
  send: (url: URL) => Promise<Response>,
): Promise<Response> {
  let url = start;
  for (let count = 0; count <= maxRedirects; count++) {
    const response = await send(url);
    if (!redirectStatuses.includes(response.status)) return response;
    await response.body?.cancel();
    url = targetOf(response, url, policy);
  }
  throw refused(`redirects more than ${maxRedirects} times`);
}

function targetOf({ headers }: Response, from: URL, policy: RedirectPolicy): URL {
  const location = headers.get('location');
  const target = location ? URL.parse(location, from) : null;
  if (!target) throw refused('redirects without a usable `Location`');
  const { origin, protocol, username, password } = target;
  const route = `redirects from ${from.origin} to ${origin === 'null' ? protocol : origin}`;
  if (username || password) throw refused(`${route} with a user name or password`);
  if (policy === 'same-origin' && origin !== from.origin) {
    throw refused(`${route}, which is another origin`);
  }
  const isHttp = protocol === 'http:' && from.protocol === 'http:';
  if (protocol !== 'https:' && !isHttp) throw refused(`${route}, which is not https`);
  return target;
}

function refused(reason: string): FailureError {
  return new FailureError({ code: 'redirect', reason });
}
