import { purgeCount } from '../shared/purge-count.ts';

/** The part of Astro's context that the middleware uses. */
interface CachingContext {
  request: Request;
  cache?: {
    readonly enabled: boolean;
    readonly options: { readonly maxAge?: number | undefined };
    set(input: false): void;
  };
}

/**
 * Keeps a response out of Astro's cache if `purge()` ran while it was rendered: it may show the old version of
 * the article, and would be stored after the purge. It has to be the first middleware.
 */
export async function onRequest(
  { request, cache }: CachingContext,
  next: () => Promise<Response>,
): Promise<Response> {
  if (!cache?.enabled || request.method !== 'GET') return next();
  const before = purgeCount();
  const response = await next();
  if (!cache.options.maxAge) return response;
  // The body may still be rendering. Once it is complete, Astro stores it within milliseconds.
  await response.clone().arrayBuffer();
  if (purgeCount() !== before) cache.set(false);
  return response;
}
