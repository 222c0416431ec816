import type { CollectionEntry, CollectionKey } from 'astro:content';

const read = new Map<string, Promise<readonly unknown[]>>();

/**
 * Returns all entries of a collection, the newest article first. Astro reads and resolves them once, and not for each
 * page: with covers, `getCollection()` in each page takes a minute for 2,000 articles.
 *
 * ```ts
 * const latest = (await getArticles('articles')).slice(0, 5);
 * ```
 *
 * The list is a new one for each call, so that pages can sort theirs. The entries are frozen, with the lists in their data,
 * because all pages share them.
 */
export async function getArticles<C extends CollectionKey>(
  collection: C,
): Promise<CollectionEntry<C>[]> {
  const name = String(collection);
  // A dev server may keep this module, for example in middleware, when a collection has changed.
  const known = import.meta.env?.DEV ? undefined : read.get(name);
  const entries = known ?? readCollection(name);
  read.set(name, entries);
  entries.catch(() => read.delete(name));
  return [...(await entries)] as CollectionEntry<C>[];
}

async function readCollection(collection: string): Promise<readonly unknown[]> {
  // Not at the start of the module: astro.config imports the same package, outside of Vite.
  const { getCollection } = await import('astro:content');
  const entries: { data: object }[] = await getCollection(collection);
  return entries.toSorted((a, b) => positionOf(b) - positionOf(a)).map(frozen);
}

/** Returns the position of an entry; 0 for one of another loader, which has none. */
function positionOf({ data }: { data: object }): number {
  return 'position' in data && typeof data.position === 'number' ? data.position : 0;
}

/** Freezes an entry, its data and the lists in it. To read a cover here would publish its original. */
function frozen<E extends { data: object }>(entry: E): E {
  for (const value of Object.values(entry.data)) if (Array.isArray(value)) Object.freeze(value);
  Object.freeze(entry.data);
  return Object.freeze(entry);
}
