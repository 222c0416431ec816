import type { Loader, LoaderContext } from 'astro/loaders';
import { isOwnEntry } from '../entry/digest.ts';

/** The key that says that the last load of a collection has run another loader, too. */
const otherLoaderKey = 'astro-articles-with';

/**
 * Runs another loader of the collection. The articles are not listed to it, because Astro's loaders delete all listed
 * entries that are not theirs.
 */
export async function runOtherLoader(other: Loader, context: LoaderContext): Promise<void> {
  const { store } = context;
  const values = () => store.values().filter((entry) => !isOwnEntry(entry));
  const keys = () => values().map(({ id }) => id);
  const others: LoaderContext['store'] = {
    ...store,
    values,
    keys,
    entries: () => values().map((entry) => [entry.id, entry]),
    delete: (id) => {
      const entry = store.get(id);
      if (entry && !isOwnEntry(entry)) store.delete(id);
    },
    clear: () => {
      for (const id of keys()) store.delete(id);
    },
  };
  await other.load({ ...context, store: others });
}

/** Remembers whether a collection has another loader, and removes the entries of a loader that it no longer has. */
export function rememberOtherLoader(
  { store, meta }: Pick<LoaderContext, 'store' | 'meta'>,
  hasOther: boolean,
): void {
  const hadOther = meta.has(otherLoaderKey);
  if (hasOther && !hadOther) meta.set(otherLoaderKey, 'true');
  if (hasOther || !hadOther) return;
  for (const entry of store.values()) if (!isOwnEntry(entry)) store.delete(entry.id);
  meta.delete(otherLoaderKey);
}
