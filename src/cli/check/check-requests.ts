import { attempt, type Question } from '../../client/http/attempt.ts';
import { createBuffers } from '../../client/http/buffer-pool.ts';
import { requestHeaders } from '../../client/http/headers.ts';
import { createRedact } from '../../client/http/redact.ts';
import { createAsker } from '../../client/http/request.ts';
import { type Addresses, createAddresses } from '../../client/urls.ts';
import { ArticlesRequestError } from '../../errors.ts';
import type { ResolvedOptions } from '../../options/options.ts';
import { systemClock } from '../../shared/clock.ts';

/** One answer as it came, before redirects were followed. */
export interface Exchange {
  url: string;
  status: number;
  headers: Headers;
}

/** What came of a question: an answer or the reason why there is none, and all that passed. */
export type Reply<T> =
  | { value: T; exchanges: Exchange[] }
  | { error: ArticlesRequestError; exchanges: Exchange[] };

export interface Requests {
  addresses: Addresses;
  /** Caps of answers in bytes. */
  maxBytes: ResolvedOptions['maxBytes'];
  /** Asks as the loader does: with retries, and with pauses where the service wants them. */
  ask<T>(question: Question<T>): Promise<Reply<T>>;
  /** Asks once, with further headers, and tells all that came, whatever it was. */
  probe(url: URL, headers?: Record<string, string>): Promise<Exchange[]>;
  /** Counts a request that somebody else sends. @throws {RequestsUsedUp} */
  spend(): void;
  readonly used: number;
  readonly limit: number;
  /** Every answer so far. */
  readonly exchanges: readonly Exchange[];
  /** Milliseconds of each attempt that gave an answer, to its last byte. */
  readonly durations: readonly number[];
}

/** No request may be sent any more. */
export class RequestsUsedUp extends Error {}

// A person is waiting: long enough to get over a hiccup, and no longer.
const retry = { countThrottled: true, limit: 2, maxDelay: 30_000 };

/** The way to the service, with a bound on how many requests are sent, redirects and all. */
export function createRequests(options: ResolvedOptions, limit: number): Requests {
  const usedUp = new AbortController();
  const exchanges: Exchange[] = [];
  const durations: number[] = [];
  let used = 0;

  function spend(): void {
    if (used < limit) {
      used += 1;
      return;
    }
    const reason = new RequestsUsedUp(`no request was left (--requests ${limit})`);
    usedUp.abort(reason);
    throw reason;
  }

  const ownFetch = options.fetch ?? ((url, init) => fetch(url, init));
  const connection = {
    async fetch(url: string, init: RequestInit) {
      spend();
      const response = await ownFetch(url, init);
      exchanges.push({ url, status: response.status, headers: response.headers });
      return response;
    },
    headers: requestHeaders(options.apiKey),
    redact: createRedact(options.apiKey),
    buffers: createBuffers(),
    clock: systemClock,
  };
  const asker = createAsker(connection, {
    concurrency: 1,
    timeout: options.timeout,
    retry,
    onAttempt: ({ duration, failure }) => {
      if (!failure) durations.push(duration);
    },
  });

  async function ask<T>(question: Question<T>): Promise<Reply<T>> {
    const start = exchanges.length;
    const until = { deadline: systemClock.now() + options.totalTimeout, signal: usedUp.signal };
    try {
      const value = await asker.ask(question, until);
      return { value, exchanges: exchanges.slice(start) };
    } catch (error) {
      if (!(error instanceof ArticlesRequestError)) throw error;
      return { error, exchanges: exchanges.slice(start) };
    }
  }

  async function probe(url: URL, headers: Record<string, string> = {}): Promise<Exchange[]> {
    const start = exchanges.length;
    const question = { url, maxBytes: options.maxBytes.page, read: () => undefined };
    const own = { ...connection, headers: { ...connection.headers, ...headers } };
    const { timeout } = options;
    await attempt(own, question, { timeout, signal: usedUp.signal }).catch(() => undefined);
    usedUp.signal.throwIfAborted();
    return exchanges.slice(start);
  }

  return {
    addresses: createAddresses(options.baseUrl),
    maxBytes: options.maxBytes,
    ask,
    probe,
    spend,
    get used() {
      return used;
    },
    limit,
    exchanges,
    durations,
  };
}
