import type { LoadedArticles } from './pipeline.ts';

/**
 * Returns a function that says of an article that a load does not have whether the service may still have it, as an
 * older one than the `newest`; undefined without this option. The slugs of such an article are kept.
 */
export function mayExistAfter(
  { versions, before, left }: Pick<LoadedArticles, 'versions' | 'before' | 'left'>,
  { newest }: { newest?: number | undefined },
): ((id: string) => boolean) | undefined {
  if (newest === undefined) return undefined;
  const loaded = new Set(versions.map(({ article }) => article.id));
  const isGone = (id: string) => before.has(id) && !left.has(id);
  return (id) => !loaded.has(id) && !isGone(id);
}
