import { createArticlesClient } from '../../client/client.ts';
import type { ResolvedOptions } from '../../options/options.ts';
import { systemClock } from '../../shared/clock.ts';

export class RequestsUsedUp extends Error {
  override name = 'RequestsUsedUp';
}

export type Requests = ReturnType<typeof createRequests>;

/** The time of one call in milliseconds. Less than half a minute, because a person waits. */
const callTime = 25_000;
/** The time limit of one attempt in milliseconds. Two of them fit into a call. */
const attemptTime = 10_000;
const retry = { limit: 1, maxDelay: 5_000 };

/** Sends the requests of a check, up to the allowed number. */
export function createRequests(options: ResolvedOptions, limit: number) {
  const usedUp = new AbortController();

  async function countedFetch(url: string, init: RequestInit): Promise<Response> {
    if (requests.used >= limit) {
      usedUp.abort(new RequestsUsedUp(`the limit of ${limit} requests was reached`));
      throw usedUp.signal.reason;
    }
    requests.used += 1;
    return (options.fetch ?? fetch)(url, init);
  }

  const timeout = Math.min(options.timeout, attemptTime);
  const settings = { ...options, concurrency: 4, timeout, retry, fetch: countedFetch };
  const clientWith = (apiKey: string) =>
    createArticlesClient({ ...settings, apiKey }, { countThrottled: true });
  const requests = {
    client: clientWith(options.apiKey),
    clientWith,
    /** Limits the time of the next call. */
    call: () => ({ signal: usedUp.signal, deadline: systemClock.now() + callTime }),
    used: 0,
    limit,
  };
  return requests;
}
