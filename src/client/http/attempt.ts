import type { Clock } from '../../shared/clock.ts';
import { decodeText, readBody } from './body.ts';
import type { Buffers } from './buffer-pool.ts';
import { type Fault, FaultSignal, isFault } from './failure.ts';
import { JsonFault, parseJson } from './json.ts';
import type { Redact } from './redact.ts';
import { statusFault } from './status.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What every attempt of a client shares. */
export interface Connection {
  fetch: Fetch;
  headers: Record<string, string>;
  redact: Redact;
  buffers: Buffers;
  clock: Clock;
}

/** One request, as its caller states it. */
export interface Question<T> {
  url: URL;
  /** Cap of the body in bytes, after decompression. */
  maxBytes: number;
  /** Reads the body, whose bytes are there until it returns. It throws what the attempt then fails with. */
  read: (body: Uint8Array) => T;
}

export interface AttemptOptions {
  /** Milliseconds from asking to the last byte. */
  timeout: number;
  /** What the attempt fails with after that. @default a `timeout` */
  late?: Fault | undefined;
  signal?: AbortSignal | undefined;
}

/** What whoever reads an answer threw, and the answer is not to blame for. */
export class ReadingError extends Error {
  constructor(cause: unknown) {
    super('an answer could not be read', { cause });
  }
}

const maxHops = 5;
const maxErrorBytes = 65_536;
/** One for all: a reason of its own for each attempt would cost a stack trace each. */
const over = new Error('the attempt is over');

/**
 * Asks once: request, redirects, the whole body, its parsing and its shape. All of it is one
 * attempt, since a body that breaks off after its headers is as lost as one that never came.
 */
export async function attempt<T>(
  connection: Connection,
  question: Question<T>,
  { timeout, late = tooSlow(timeout), signal }: AttemptOptions,
): Promise<T> {
  signal?.throwIfAborted();
  const abort = new AbortController();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  abort.signal.addEventListener('abort', () => reject(abort.signal.reason), { once: true });
  const forward = () => abort.abort(signal?.reason);
  signal?.addEventListener('abort', forward, { once: true });
  const cancelTimer = connection.clock.after(timeout, () => abort.abort(new FaultSignal(late)));

  try {
    // A custom fetch may heed no signal, or reject with a reason of its own.
    return await Promise.race([aborted, answer(connection, question, abort.signal)]);
  } catch (error) {
    throw abort.signal.aborted ? abort.signal.reason : error;
  } finally {
    cancelTimer();
    signal?.removeEventListener('abort', forward);
    // Ends a body that nobody reads any further.
    abort.abort(over);
  }
}

function tooSlow(timeout: number): Fault {
  return { code: 'timeout', reason: `no complete answer within ${timeout} ms` };
}

async function answer<T>(
  connection: Connection,
  { url, maxBytes, read }: Question<T>,
  signal: AbortSignal,
): Promise<T> {
  const response = await follow(connection, url, signal);
  if (response.status !== 200) throw await refusal(connection, response);

  const { buffers } = connection;
  return readBody(response, { maxBytes, buffers, signal }, (body) => {
    try {
      return read(body);
    } catch (error) {
      if (!isFault(error)) throw new ReadingError(error);
      if (!(error instanceof JsonFault)) throw error;
      throw likelierFault(body, response.headers.get('content-type')) ?? error;
    }
  });
}

/**
 * Redirects are followed by hand: fetch would carry the key to any other origin, and even from
 * https to http.
 */
async function follow(connection: Connection, start: URL, signal: AbortSignal): Promise<Response> {
  let url = start;
  for (let hop = 0; hop <= maxHops; hop++) {
    const response = await connection.fetch(url.href, {
      headers: connection.headers,
      redirect: 'manual',
      signal,
    });
    if (!isRedirect(response)) return response;
    await response.body?.cancel();
    url = redirectTarget(url, response);
  }
  throw redirectFault(`redirects more than ${maxHops} times`);
}

function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status);
}

function redirectTarget(from: URL, response: Response): URL {
  const location = response.headers.get('location');
  if (!location || !URL.canParse(location, from)) {
    throw redirectFault('redirects without a usable Location');
  }
  const target = new URL(location, from);
  if (target.origin !== from.origin || target.username || target.password) {
    const origin = target.origin === 'null' ? target.protocol : target.origin;
    throw redirectFault(
      `redirects from ${from.origin} to ${origin}, which must not see the API key`,
    );
  }
  return target;
}

function redirectFault(reason: string): FaultSignal {
  return new FaultSignal({
    code: 'redirect',
    reason,
    hint: 'Give the final address of the service as `baseUrl`.',
  });
}

/** Reads what the service says about an error: the `detail` of its JSON, and nothing of a page. */
async function refusal(
  { redact, clock, buffers }: Connection,
  response: Response,
): Promise<FaultSignal> {
  const { status, headers } = response;
  if (status === 204 || status === 205) {
    return new FaultSignal({
      code: 'empty-body',
      status,
      reason: `answered ${status}, without a body`,
    });
  }
  const options = { maxBytes: maxErrorBytes, buffers };
  const text = await readBody(response, options, decodeText).catch(() => '');
  return new FaultSignal(
    statusFault({ status, headers, detail: redact(detailOf(text)), date: clock.date() }),
  );
}

function detailOf(text: string): string {
  try {
    const value = parseJson(text);
    const detail: unknown = typeof value === 'object' && value && Reflect.get(value, 'detail');
    return typeof detail === 'string' ? detail : '';
  } catch {
    return '';
  }
}

/** What a body that is no JSON is instead; nothing when it is just broken JSON. */
function likelierFault(body: Uint8Array, contentType: string | null): FaultSignal | undefined {
  if (decodeText(body).trim() === '') {
    return new FaultSignal({ code: 'empty-body', reason: 'answered 200 with an empty body' });
  }
  if (!contentType || /[/+]json\b/i.test(contentType)) return undefined;
  return new FaultSignal({
    code: 'not-json',
    reason: `answered ${contentType.split(';')[0]?.trim()} instead of JSON`,
    hint: 'A login page, a firewall or a wrong `baseUrl` looks like this: open the address in a browser, and check `baseUrl`.',
  });
}
