import { purgeCount } from '../shared/purge-count.ts';

/** In workerd, the I/O of a request ends with it, so another request that waits for it might never end. */
const mayShare = globalThis.navigator?.userAgent !== 'Cloudflare-Workers';

/**
 * Creates a function that runs equal loads that are in flight once, so that many readers of one page cause one request
 * to the service. A load after a purge in this process never gets the result of one that began before it.
 */
export function createSharedLoads() {
  const inFlight = new Map<string, Promise<unknown>>();

  return async <T>(load: readonly unknown[], run: () => Promise<T>): Promise<T> => {
    const key = JSON.stringify([purgeCount(), load]);
    const running = inFlight.get(key) as Promise<T> | undefined;
    // A copy, because a page may change its entry.
    if (running) return structuredClone(await running);
    const result = run();
    if (mayShare) inFlight.set(key, result);
    try {
      return await result;
    } finally {
      inFlight.delete(key);
    }
  };
}
