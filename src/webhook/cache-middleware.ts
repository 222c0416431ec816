/** The part of Astro's context that the middleware uses. */
interface CachingContext {
  request: Request;
  cache?: {
    readonly enabled: boolean;
    readonly options: { readonly maxAge?: number | undefined };
    set(input: false): void;
  };
}

const key = Symbol.for('astro-articles.purges');
/** Counts purges. It is global, because Vite bundles middleware and endpoints with copies of this module. */
const counter = globalThis as { [key]?: number };

/**
 * Keeps a response out of Astro's cache if `purge()` ran while it was rendered: it may show the old version of
 * the article, and would be stored after the purge. It has to be the first middleware.
 */
export async function onRequest(
  { request, cache }: CachingContext,
  next: () => Promise<Response>,
): Promise<Response> {
  if (!cache?.enabled || request.method !== 'GET') return next();
  const before = counter[key];
  const response = await next();
  if (!cache.options.maxAge) return response;
  // The body may still be rendering. Once it is complete, Astro stores it within milliseconds.
  await response.clone().arrayBuffer();
  if (counter[key] !== before) cache.set(false);
  return response;
}

/** Records a purge, so that responses that are being rendered are not cached. */
export function recordPurge(): void {
  counter[key] = (counter[key] ?? 0) + 1;
}
