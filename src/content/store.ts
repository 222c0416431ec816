import type { Loader, LoaderContext } from 'astro/loaders';
import { ArticlesInvalidError, ArticlesOptionsError, quote } from '../errors.ts';
import { hash } from '../shared/hash.ts';
import { isPlainObject } from '../shared/json-value.ts';
import type { RenderedVersion } from '../sync/article-version.ts';

// Which entries of Astro's store are those of this package, and how a load changes them.
//
// The digest of an entry has 32 digits for what it was made from, 16 for its data, and the position. Astro ignores a
// write with an equal digest, so the position is a part of it. It is not a part of the content, though: the removal of
// one old article would change the content of all newer ones.

// Other versions of the package may have written more or fewer digits.
const own = /^([\da-f]{32,})\.\d+$/;

type Store = LoaderContext['store'];
type Digest = string | number | undefined;

/**
 * Returns a digest that changes when any part of an entry changes.
 *
 * @param inputs the hash of what it was made from: its parts that are not in its data, too
 * @throws {ArticlesInvalidError} for data that Astro cannot save: it would fail for the whole store
 */
export function entryDigest(
  inputs: string,
  { id, position }: { id: string; position: number },
  { position: _, ...data }: Record<string, unknown>,
): string {
  const text = JSON.stringify(data, function (this: object, field: string, json: unknown) {
    // Before `toJSON()`, which dates and URLs have.
    const value: unknown = Reflect.get(this, field);
    if (value instanceof Map || value instanceof Set) return [...value];
    if (typeof value === 'bigint' || value instanceof RegExp) return String(value);
    if (canBeSaved(value)) return json;
    const kind = typeof value === 'object' ? value?.constructor.name : typeof value;
    const reason = `the collection's schema made a ${kind} of it, which Astro cannot save`;
    throw new ArticlesInvalidError([{ id, field, reason }]);
  });
  return [inputs + hash(text).slice(0, 16), position].join('.');
}

/** Returns whether Astro can save a value that has no other values in it, or a list or plain object. */
function canBeSaved(value: unknown): boolean {
  if (typeof value !== 'object' || value === null)
    return typeof value !== 'function' && typeof value !== 'symbol';
  if (value instanceof Date || value instanceof URL) return true;
  return Array.isArray(value) || ArrayBuffer.isView(value) || isPlainObject(value);
}

/** Returns whether an entry was made from the same inputs, and has the same position. */
export function isMadeFrom({ digest }: { digest?: Digest }, inputs: string, position: number) {
  const [content = '', place] = String(digest).split('.');
  return content.startsWith(inputs) && place === String(position);
}

/** Returns whether this package wrote an entry. A site may call other loaders for the same collection. */
export function isOwnEntry({ digest }: { digest?: Digest }): boolean {
  return own.test(String(digest));
}

/** The entry of an article. */
export interface Entry {
  id: string;
  slug: string;
  digest: string;
  version: RenderedVersion;
  /** The data to write to Astro's store; absent when the store already has the entry. */
  set?: Parameters<Store['set']>[0];
}

/** The key of the fingerprint of a collection's entries in Astro's store. */
export const fingerprintKey = 'astro-articles';

/**
 * Makes Astro's store equal to the entries of a load, and leaves those of other loaders. This is one synchronous
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
  // images, it does so in each load that it starts. `astro dev` and builds share the list, and not their stores.
  const hasImages = store.values().some(({ assetImports }) => assetImports !== undefined);
  if (isQuiet ? written.length > 0 : hasImages) store.delete('');
  if (meta.get(fingerprintKey) !== fingerprint) meta.set(fingerprintKey, fingerprint);
}

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
  const others: Store = {
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

/** Remembers whether a collection has another loader, and removes the entries of one that it no longer has. */
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
  // Without the position. The digests of other loaders are unchanged.
  if (digest !== undefined) return [collection, id, own.exec(String(digest))?.[1] ?? digest];
  throw new ArticlesOptionsError(
    'invalid-options',
    `The entry ${quote(id)} of the collection "${collection}" has no digest, which cacheKey() needs.`,
    { hint: 'Leave `cacheKey` out for pages that show such entries.' },
  );
}
