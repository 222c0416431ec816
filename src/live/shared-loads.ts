import { systemClock } from '../shared/clock.ts';

/** In workerd, the I/O of a request ends with it, so another request that waits for it might never end. */
const mayShare = globalThis.navigator?.userAgent !== 'Cloudflare-Workers';

/**
 * Creates a function that runs equal loads that are in flight once, so that many readers of one page cause one request
 * to the service.
 *
 * @param maxAge the time in ms for which a load is shared. The site's own functions may never end.
 */
export function createSharedLoads(maxAge: number) {
  const inFlight = new Map<string, { result: Promise<unknown>; until: number }>();

  return async <T>(load: readonly unknown[], run: () => Promise<T>): Promise<T> => {
    const key = JSON.stringify(load);
    const running = inFlight.get(key);
    // A copy, because a page may change its entry.
    if (running && systemClock.now() < running.until) {
      return structuredClone((await running.result) as T);
    }
    const own = { result: run(), until: systemClock.now() + maxAge };
    if (mayShare) inFlight.set(key, own);
    try {
      return await own.result;
    } finally {
      if (inFlight.get(key) === own) inFlight.delete(key);
    }
  };
}
