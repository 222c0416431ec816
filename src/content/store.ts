import type { LoaderContext } from 'astro/loaders';
import { isOwnEntry } from '../entry/digest.ts';
import type { Entry } from '../load/entries.ts';

/** The key of the fingerprint of a collection's entries in Astro's store. */
export const fingerprintKey = 'astro-articles';

/**
 * Makes Astro's store equal to the entries of a load, and leaves the entries of other loaders. This is one synchronous
 * block: Astro saves its store half a second after any change, finished or not.
 *
 * @param isQuiet whether a dev server checks for changes by itself
 */
export function reconcile(
  { store, meta }: Pick<LoaderContext, 'store' | 'meta'>,
  entries: readonly Entry[],
  { fingerprint, isQuiet }: { fingerprint: string; isQuiet: boolean },
): void {
  const wanted = new Set(entries.map(({ id }) => id));
  const removed = store.values().filter((entry) => isOwnEntry(entry) && !wanted.has(entry.id));
  const written = entries.flatMap(({ set }) => set ?? []);
  for (const { id } of removed) store.delete(id);
  for (const entry of written) store.set(entry);
  // Astro renews its list of images after any removal, but not after a write that takes the images from an entry. Without
  // images, it does so in each load that it starts (since withastro/astro#16124). `astro dev` and builds share the
  // list, and not their stores.
  const hasImages = store.values().some(({ assetImports }) => assetImports !== undefined);
  if (isQuiet ? written.length > 0 : hasImages) store.delete('');
  if (meta.get(fingerprintKey) !== fingerprint) meta.set(fingerprintKey, fingerprint);
}
