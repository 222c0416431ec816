import type { LoaderContext } from 'astro/loaders';
import type { Entry } from './entries.ts';
import { isOwnEntry } from './entry-digest.ts';

/**
 * Makes Astro's store equal to the entries of a load, and leaves those of other loaders. This is one synchronous
 * block: Astro saves its store half a second after any change, finished or not.
 *
 * @returns whether the store has changed
 */
export function reconcile(
  store: Pick<LoaderContext['store'], 'values' | 'set' | 'delete'>,
  entries: readonly Pick<Entry, 'id' | 'set'>[],
): boolean {
  const wanted = new Set(entries.map(({ id }) => id));
  const removed = store.values().filter((entry) => isOwnEntry(entry) && !wanted.has(entry.id));
  const changed = entries.flatMap(({ set }) => set ?? []);
  for (const { id } of removed) store.delete(id);
  for (const entry of changed) store.set(entry);
  return removed.length + changed.length > 0;
}
