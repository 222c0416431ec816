import type { LoaderContext } from 'astro/loaders';
import type { Entry } from './entries.ts';

type Store = Pick<LoaderContext['store'], 'set' | 'delete'>;

/** The changes that make a collection equal to its entries. */
export interface StoreChanges {
  remove: string[];
  set: NonNullable<Entry['set']>[];
}

/** Compares the entries that earlier loads have written to the store with the entries of a load. */
export function reconcile(
  stored: readonly Pick<Entry, 'id'>[],
  entries: readonly Pick<Entry, 'id' | 'set'>[],
): StoreChanges {
  const wanted = new Set(entries.map(({ id }) => id));
  return {
    remove: stored.flatMap(({ id }) => (wanted.has(id) ? [] : id)),
    set: entries.flatMap(({ set }) => set ?? []),
  };
}

/**
 * Applies the changes in one synchronous block: Astro saves its store half a second after any change,
 * finished or not.
 */
export function applyToStore(store: Store, { remove, set }: StoreChanges): void {
  for (const id of remove) store.delete(id);
  for (const entry of set) store.set(entry);
}
