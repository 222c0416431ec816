import pLimit from 'p-limit';
import { createRedact } from '../http/api-key.ts';
import type { RequestSpec } from '../http/attempt.ts';
import { FailureError } from '../http/failure.ts';
import { createRequester } from '../http/request.ts';
import type { Clock } from '../shared/clock.ts';
import { userAgent } from '../shared/version.ts';
import { createGuardedFetch, type GuardOptions } from './guarded-fetch.ts';

export interface HostRequestsOptions extends GuardOptions {
  clock: Clock;
  deadline: number;
  signal: AbortSignal;
}

/** The time limit of one attempt in milliseconds, redirects included. */
export const timeout = 30_000;
/** Concurrent requests to all hosts. */
const concurrency = 8;
const retry = { limit: 2, maxDelay: 30_000 };
/** Concurrent requests to one host, which usually serves other sites, too. */
const hostConcurrency = 6;
/** The number of time-outs in a row after which no more requests are sent to a host. */
const maxTimeouts = 6;
const headers = {
  accept: 'image/avif,image/webp,image/png,image/jpeg,image/gif,image/*;q=0.8',
  // Node's `fetch` accepts a gzip stream that was cut off.
  'accept-encoding': 'identity',
  'user-agent': userAgent,
};

/** Sends requests for images, without the API key, and with a rate limit for each host. */
export function createHostRequests(options: HostRequestsOptions) {
  const { clock, deadline, signal } = options;
  const limit = pLimit(concurrency);
  const hosts = new Map<string, ReturnType<typeof createHost>>();
  // undici is loaded only when something has to be downloaded.
  let guarded: ReturnType<typeof createGuardedFetch> | undefined;

  function createHost(name: string) {
    let timeouts = 0;
    const requester = createRequester({
      async fetch(url, init) {
        if (timeouts >= maxTimeouts) {
          const reason = `${name} did not respond in time ${maxTimeouts} times in a row`;
          throw new FailureError({ code: 'unavailable', reason });
        }
        guarded ??= createGuardedFetch(options);
        return (await guarded).fetch(url, init);
      },
      onAttempt({ code }) {
        if (code === 'timeout') timeouts += 1;
        else if (code !== 'unavailable') timeouts = 0;
      },
      headers,
      retry,
      timeout,
      clock,
      redirects: 'any-origin',
      redact: createRedact(''),
      concurrency: hostConcurrency,
    });
    return { limit: pLimit(hostConcurrency), requester };
  }

  return {
    /** @throws {ArticlesRequestError} */
    request<T>(spec: RequestSpec<T>): Promise<T> {
      const { host: name } = spec.url;
      const host = hosts.get(name) ?? createHost(name);
      hosts.set(name, host);
      // The host's limit is first, so that requests that wait for one host do not block those to others.
      return host.limit(() => limit(() => host.requester.request(spec, { deadline, signal })));
    },

    count: () =>
      [...hosts.values()].reduce((sum, { requester }) => sum + requester.traffic().requests, 0),

    close: async () => (await guarded)?.close(),
  };
}
