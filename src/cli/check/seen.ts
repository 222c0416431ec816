import type { Exchange, Requests } from './check-requests.ts';
import type { Facts } from './facts.ts';

/** What all the answers show together. */
export function seen({
  exchanges,
  durations,
}: Requests): Pick<Facts, 'throttling' | 'redirects' | 'time'> {
  const throttled = exchanges.filter(({ status }) => status === 429);
  const limits = exchanges.flatMap(({ headers }) => [...headers]).filter(isAboutLimits);
  const sorted = durations.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  return {
    throttling: {
      throttled: throttled.length,
      retryAfter:
        throttled.map(({ headers }) => headers.get('retry-after')).findLast(Boolean) ?? null,
      headers: Object.fromEntries(limits),
    },
    redirects: redirectsIn(exchanges),
    time: median === undefined ? null : { median, slowest: sorted.at(-1) ?? median },
  };
}

function isAboutLimits([name]: [string, string]): boolean {
  return /^(x-)?ratelimit/.test(name);
}

/** Those of the addresses that the package asks, each once. The one without a slash is not. */
function redirectsIn(exchanges: readonly Exchange[]): Facts['redirects'] {
  const found = new Map<string, Facts['redirects'][number]>();
  for (const { url, status, headers } of exchanges) {
    const location = headers.get('location');
    const { pathname, search, origin } = new URL(url);
    if (status < 301 || status > 308 || !location || !pathname.endsWith('/')) continue;
    const target = URL.canParse(location, url) ? new URL(location, url) : undefined;
    const to = target ? target.origin + target.pathname : location;
    found.set(origin + pathname, { from: url.slice(0, url.length - search.length), to, status });
  }
  return [...found.values()];
}
