import type { CollectionEntry, CollectionKey } from 'astro:content';
import { ArticlesOptionsError } from '../errors.ts';
import { quote } from '../messages.ts';
import { collectionNames } from './site-state.ts';

const entriesByName = new Map<string, Promise<readonly unknown[]>>();

/**
 * Returns the entries of a collection, the newest article first, or those for which `filter` returns a truthy value, as
 * `getCollection()` does. Astro reads and resolves them once, and not for each page: with covers, `getCollection()` in
 * each page takes a minute for 2,000 articles.
 *
 * ```ts
 * const latest = (await getArticles('articles')).slice(0, 5);
 * const news = await getArticles('articles', ({ data }) => data.tags.includes('news'));
 * ```
 *
 * The list is a new one for each call, so that pages can sort theirs. The entries are frozen, with the lists in their data,
 * because all pages share them.
 *
 * @throws {ArticlesOptionsError} in builds and in `astro dev`, for a name that is not the name of a collection with
 *   `articlesLoader()`
 */
export function getArticles<C extends CollectionKey, E extends CollectionEntry<C>>(
  collection: C,
  filter?: (entry: CollectionEntry<C>) => entry is E,
): Promise<E[]>;
export function getArticles<C extends CollectionKey>(
  collection: C,
  filter?: (entry: CollectionEntry<C>) => unknown,
): Promise<CollectionEntry<C>[]>;
export async function getArticles<C extends CollectionKey>(
  collection: C,
  filter: (entry: CollectionEntry<C>) => unknown = () => true,
): Promise<CollectionEntry<C>[]> {
  const name = String(collection);
  checkName(name);
  // A dev server may keep this module, for example in middleware, when a collection has changed.
  const known = import.meta.env?.DEV ? undefined : entriesByName.get(name);
  const entries = known ?? readCollection(name);
  entriesByName.set(name, entries);
  entries.catch(() => entriesByName.delete(name));
  return ((await entries) as CollectionEntry<C>[]).filter((entry) => filter(entry));
}

/** Astro itself only warns of an unknown name, and returns an empty list. */
function checkName(name: string): void {
  const names = collectionNames();
  if (names === undefined || names.includes(name)) return;
  const [first] = names;
  const problem = first
    ? 'which is not a collection of astro-articles'
    : 'but Astro has loaded no collection of astro-articles';
  const what = `getArticles() was called with ${quote(name)}, ${problem}.`;
  const list = names.map(quote).join(', ');
  const hint = first
    ? `Write \`getArticles('${first}')\`. Collections of astro-articles: ${list}. For others, use \`getCollection()\`.`
    : 'src/content.config.ts has to have `articles: defineCollection({ loader: articlesLoader() })` in its `collections`. If ' +
      'it has, `npx astro sync` says why it could not be loaded.';
  throw new ArticlesOptionsError('invalid-options', what, { hint });
}

async function readCollection(collection: string): Promise<readonly unknown[]> {
  // Not at the start of the module: astro.config imports the same package, outside of Vite.
  const { getCollection } = await import('astro:content');
  const entries: { data: object }[] = await getCollection(collection);
  return entries.toSorted((a, b) => positionOf(b) - positionOf(a)).map(freezeEntry);
}

/** Returns the position of an entry; 0 for one of another loader, which has none. */
function positionOf({ data }: { data: object }): number {
  return 'position' in data && typeof data.position === 'number' ? data.position : 0;
}

/** Freezes an entry, its data and the lists in it. */
function freezeEntry<E extends { data: object }>(entry: E): E {
  // Covers are not read: Astro then publishes the original file, too.
  for (const value of Object.values(entry.data)) if (Array.isArray(value)) Object.freeze(value);
  Object.freeze(entry.data);
  return Object.freeze(entry);
}
