const key = Symbol.for('astro-articles.purges');
/** Counts purges. It is global, because Vite bundles middleware and endpoints with copies of this module. */
const counter = globalThis as { [key]?: number };

/** Returns the number of purges of this process. What was loaded before the last one may be an old version. */
export function purgeCount(): number {
  return counter[key] ?? 0;
}

/** Records a purge, so that responses that are being rendered are not cached. */
export function recordPurge(): void {
  counter[key] = purgeCount() + 1;
}
