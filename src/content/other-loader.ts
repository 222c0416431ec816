import type { Loader, LoaderContext } from 'astro/loaders';
import { isOwnEntry } from '../entry/digest.ts';

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
