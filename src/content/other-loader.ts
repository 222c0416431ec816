import type { Loader, LoaderContext } from 'astro/loaders';
import { isOwnEntry } from './entry-digest.ts';

/**
 * Runs another loader of the collection. It does not see the articles, because Astro's loaders delete all entries that
 * are not theirs.
 */
export async function runOtherLoader(other: Loader, context: LoaderContext): Promise<void> {
  const { store } = context;
  const entries = () => store.entries().filter(([, entry]) => !isOwnEntry(entry));
  const get = <Data extends Record<string, unknown>>(id: string) => {
    const entry = store.get<Data>(id);
    return entry && !isOwnEntry(entry) ? entry : undefined;
  };
  const others: typeof store = {
    ...store,
    get,
    entries,
    keys: () => entries().map(([id]) => id),
    values: () => entries().map(([, entry]) => entry),
    has: (id) => get(id) !== undefined,
    delete: (id) => {
      if (get(id)) store.delete(id);
    },
    clear: () => {
      for (const [id] of entries()) store.delete(id);
    },
  };
  await other.load({ ...context, store: others });
}
