import pLimit from 'p-limit';
import { redactNothing } from '../http/api-key.ts';
import type { RequestSpec } from '../http/attempt.ts';
import { createRequester, type RequesterOptions } from '../http/request.ts';
import type { Fetch } from '../http/send.ts';
import type { Clock } from '../shared/clock.ts';
import { type ImageKind, imageType } from '../shared/image-kinds.ts';
import { userAgent } from '../shared/version.ts';
import { createGuardedSend, type GuardOptions } from './guarded-send.ts';

export interface HostRequestsOptions extends GuardOptions {
  /** The kinds of images to request. A host may send another kind. */
  kinds: readonly ImageKind[];
  /** The site's own `fetch`, for URLs on the service's origin: they may need what it adds. */
  fetch?: Fetch | undefined;
  clock: Clock;
  deadline: number;
  signal: AbortSignal;
}

/** The time limit of one attempt in milliseconds, redirects included. */
const timeout = 30_000;
/** Concurrent requests to all hosts, which usually serve other sites, too. */
const concurrency = 6;
const imageRetry = { limit: 2, maxDelay: 30_000 };

/** Returns a function that sends requests for images, without the API key, and with a rate limit for each host. */
export function createHostRequests(options: HostRequestsOptions) {
  const { kinds, clock, deadline, signal } = options;
  const headers = {
    // Hosts that choose a kind by this header send AVIF where it names it, and a large one cannot be decoded.
    accept: [...kinds.filter((kind) => kind !== 'avif').map(imageType), 'image/*;q=0.8'].join(','),
    // Images are compressed already, and Node's `fetch`, which a dispatcher of the site needs, accepts a gzip stream that was cut off (https://github.com/nodejs/undici/pull/2126).
    'accept-encoding': 'identity',
    'user-agent': userAgent,
  };
  const limit = pLimit(concurrency);
  const hosts = new Map<string, ReturnType<typeof createRequester>>();
  const guarded = createGuardedSend(options);

  const settings: RequesterOptions = {
    async fetch(url, init) {
      // Each URL of a redirect, too.
      if (options.fetch && new URL(url).origin === options.baseUrl.origin)
        return options.fetch(url, init);
      return guarded(url, init);
    },
    headers,
    retry: imageRetry,
    timeout,
    clock,
    concurrency,
    redirects: 'any-origin',
    redact: redactNothing,
  };

  /** @throws {ArticlesRequestError} */
  return <T>(spec: RequestSpec<T>): Promise<T> => {
    const { host: name } = spec.url;
    const host = hosts.get(name) ?? createRequester(settings);
    hosts.set(name, host);
    return limit(() => host.request(spec, { deadline, signal }));
  };
}
