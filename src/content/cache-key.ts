import { ArticlesOptionsError, quote } from '../errors.ts';
import { hash } from '../shared/hash.ts';
import { contentDigest } from './store.ts';

/** The fields of an entry that identify its content. */
export interface KeyedEntry {
  id: string;
  collection: string;
  digest?: string | number | undefined;
}

/**
 * Returns the `cacheKey` of a page for Astro's `experimental.incrementalBuild`. Pass all values that the page
 * shows, in their order: entries, texts, and numbers such as the number of the last page. The key changes when
 * a value changes, is added, is removed or moves. The `position` of an entry does not count: pass it, too, if the page
 * prints it.
 *
 * @example
 * ```ts
 * return { params, props: { article, next }, cacheKey: cacheKey(article, next) };
 * ```
 * @throws {ArticlesOptionsError} for an entry without a digest, because the key would not show its changes
 */
export function cacheKey(
  ...shown: readonly (KeyedEntry | string | number | null | undefined)[]
): string {
  return hash(JSON.stringify(shown.map(identityOf)));
}

function identityOf(shown: KeyedEntry | string | number | null | undefined) {
  if (typeof shown !== 'object' || shown === null) return shown;
  const { collection, id, digest } = shown;
  if (digest !== undefined) return [collection, id, contentDigest(digest)];
  throw new ArticlesOptionsError(
    'invalid-options',
    `The entry ${quote(id)} of the collection "${collection}" has no digest, which cacheKey() needs.`,
    { hint: 'Leave `cacheKey` out for pages that show such entries.' },
  );
}
