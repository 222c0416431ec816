import { createArticlesClient } from '../../client/client.ts';
import type { ResolvedOptions } from '../../options/options.ts';
import { systemClock } from '../../shared/clock.ts';

/** A response, before redirects were followed. */
export interface Exchange {
  url: string;
  status: number;
  headers: Headers;
}

/** The limit of requests is reached. */
export class RequestsUsedUp extends Error {
  override name = 'RequestsUsedUp';
}

export type Requests = ReturnType<typeof createRequests>;

/** The time of one call in milliseconds. Less than half a minute, because a person waits. */
const callTime = 25_000;
/** In milliseconds. Two attempts have to fit into the time limit of a call. */
const attemptTime = 10_000;
const retry = { limit: 1, maxDelay: 5_000, countThrottled: true };

/** Sends the requests of a check, and no more than allowed. */
export function createRequests(options: ResolvedOptions, limit: number) {
  const usedUp = new AbortController();
  const exchanges: Exchange[] = [];
  let used = 0;

  async function countedFetch(url: string, init: RequestInit): Promise<Response> {
    if (used >= limit) {
      usedUp.abort(new RequestsUsedUp(`the limit of ${limit} requests was reached`));
      throw usedUp.signal.reason;
    }
    used += 1;
    const response = await (options.fetch ?? fetch)(url, init);
    exchanges.push({ url, status: response.status, headers: response.headers });
    return response;
  }

  const timeout = Math.min(options.timeout, attemptTime);
  const settings = { ...options, concurrency: 4, timeout, retry, fetch: countedFetch };
  return {
    client: createArticlesClient(settings),
    /** Creates a client that sends another key, and never retries. */
    clientWithKey: (apiKey: string) =>
      createArticlesClient({ ...settings, apiKey, retry: { ...retry, limit: 0 } }),
    /** Limits the time of the next call. */
    call: () => ({ signal: usedUp.signal, deadline: systemClock.now() + callTime }),
    /** Counts requests that are sent without the client. */
    add(requests: number) {
      used += requests;
    },
    get used() {
      return used;
    },
    limit,
    exchanges,
  };
}
