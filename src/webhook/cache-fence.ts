/** The part of Astro's context that is used. */
interface CachingContext {
  request: Request;
  cache?: {
    readonly enabled: boolean;
    readonly options: { readonly maxAge?: number | undefined };
    set(input: false): void;
  };
}

const key = Symbol.for('astro-articles.purges');

/**
 * Keeps a response out of Astro's cache when `purge()` ran while it was rendered: it can show the article as
 * it was before, and would be stored after the purge. For `addMiddleware()`, before all others.
 */
export async function onRequest(
  { request, cache }: CachingContext,
  next: () => Promise<Response>,
): Promise<Response> {
  if (!cache?.enabled || request.method !== 'GET') return next();
  const before = purges();
  const response = await next();
  if (!cache.options.maxAge) return response;
  // The body can still be rendered. From here on, storing it needs no more time than reading memory.
  await response.clone().arrayBuffer();
  if (purges() !== before) cache.set(false);
  return response;
}

/** Marks the responses that are being rendered as possibly stale. */
export function notePurge(): void {
  const holder = globalThis as { [key]?: number };
  holder[key] = purges() + 1;
}

/** The number of purges. Vite bundles middleware and endpoints with copies of this module. */
function purges(): number {
  const holder = globalThis as { [key]?: number };
  return holder[key] ?? 0;
}
