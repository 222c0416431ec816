import { type ArticlesClient, createArticlesClient } from '../../client/client.ts';
import type { ResolvedOptions } from '../../options/options.ts';
import { systemClock } from '../../shared/clock.ts';

/** A response, before redirects were followed. */
export interface Exchange {
  url: string;
  status: number;
  headers: Headers;
}

/** The limit of requests is reached. */
export class BudgetUsedUp extends Error {
  override name = 'BudgetUsedUp';
}

/** Sends the requests of a check, and no more than allowed. */
export interface Budget {
  client: ArticlesClient;
  /** Creates a client that sends another key, and never retries. */
  clientWithKey(apiKey: string): ArticlesClient;
  /** Limits a call to some milliseconds. */
  within(time: number): { signal: AbortSignal; deadline: number };
  /** Counts requests that are sent without the client. */
  add(requests: number): void;
  readonly used: number;
  readonly limit: number;
  readonly exchanges: readonly Exchange[];
}

/** The time of one call in milliseconds. Less than half a minute, because a person waits. */
export const callTime = 25_000;
/** Two attempts have to fit into a call. */
const attemptTime = 10_000;
const retry = { limit: 1, maxDelay: 5_000, countThrottled: true };

export function createBudget(options: ResolvedOptions, limit: number): Budget {
  const usedUp = new AbortController();
  const exchanges: Exchange[] = [];
  let used = 0;

  async function countedFetch(url: string, init: RequestInit): Promise<Response> {
    if (used >= limit) {
      const reason = new BudgetUsedUp(`The limit of ${limit} requests was reached.`);
      usedUp.abort(reason);
      throw reason;
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
    clientWithKey: (apiKey) =>
      createArticlesClient({ ...settings, apiKey, retry: { ...retry, limit: 0 } }),
    within: (time) => ({ signal: usedUp.signal, deadline: systemClock.now() + time }),
    add(requests) {
      used += requests;
    },
    get used() {
      return used;
    },
    limit,
    exchanges,
  };
}
