import type { Loader, LoaderContext } from 'astro/loaders';
import { ArticlesInvalidError, ArticlesOptionsError, quote } from '../errors.ts';
import { renderedContent } from '../render/body-images.ts';
import { hash } from '../shared/hash.ts';
import { type RenderedVersion, renderingOf } from '../sync/article-version.ts';
import type { LoadedCollection } from './load-collection.ts';
import { type BodyReader, siteAt } from './site-state.ts';

// Which entries of Astro's store are those of this package, and how a load changes them.
//
// The digest of an entry has 32 digits for everything that it is made from, 16 for its parsed data, and the position.
// Astro ignores a write with an equal digest, so the position is a part of it. It is not a part of the content, though:
// the removal of one old article would change the content of all newer ones.

const own = /^(?<content>(?<inputs>[\da-f]{32})[\da-f]{16})\.(?<position>\d+)$/;

type Store = LoaderContext['store'];
type Digest = string | number | undefined;

/**
 * Returns a digest that changes when any part of an entry changes.
 *
 * @param inputs the hash of everything that it was made from
 * @throws {ArticlesInvalidError} for data that Astro cannot save: it would fail for the whole store
 */
export function entryDigest(
  inputs: string,
  { position: _, ...data }: Record<string, unknown>,
  { id, position }: { id: string; position: number },
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
  return `${inputs}${hash(text).slice(0, 16)}.${position}`;
}

/** Whether Astro can save a value that has no other values in it, or a list or plain object. */
function canBeSaved(value: unknown): boolean {
  if (typeof value !== 'object' || value === null)
    return typeof value !== 'function' && typeof value !== 'symbol';
  if (value instanceof Date || value instanceof URL) return true;
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether an entry was made from the same inputs, and has the same position. */
export function hasInputs(digest: Digest, inputs: string, position: number): boolean {
  const parts = own.exec(String(digest))?.groups;
  return parts?.inputs === inputs && parts.position === String(position);
}

/** Returns the digest of an entry's content, without its position. The digests of other loaders are unchanged. */
export function contentDigest(digest: Digest): Digest {
  return own.exec(String(digest))?.groups?.content ?? digest;
}

/** Whether this package wrote an entry. A site may call other loaders for the same collection. */
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

/**
 * Makes Astro's store equal to the entries of a load, and leaves those of other loaders. This is one synchronous
 * block: Astro saves its store half a second after any change, finished or not.
 */
export function reconcile(store: Store, entries: readonly Entry[]): void {
  const wanted = new Set(entries.map(({ id }) => id));
  const removed = store.values().filter((entry) => isOwnEntry(entry) && !wanted.has(entry.id));
  for (const { id } of removed) store.delete(id);
  for (const { set } of entries) if (set) store.set(set);
}

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
  const others: Store = {
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

/**
 * Records what pages and the integration need of a load that is in Astro's store: texts and slugs. Closes the files of
 * loads that no page can need any more.
 */
export function recordPageData(
  { config, collection, watcher }: LoaderContext,
  loaded: LoadedCollection,
): void {
  const { options, mirror } = loaded.load;
  const site = siteAt(config.root);
  const readers = site.bodies.get(collection) ?? [];
  const reader = readerOf(loaded, () => {
    site.bodyReads += 1;
  });
  // A page of a dev server may have got its entries before this load.
  const [last, before] = watcher ? readers : [];
  const hasChanged = [...loaded.entries.values()].some(({ set }) => set !== undefined);
  const earlier = hasChanged ? last : before;
  const current = options.bodies === 'mirror' ? [reader, ...(earlier ? [earlier] : [])] : [];
  if (current.length > 0) site.bodies.set(collection, current);
  else site.bodies.delete(collection);
  for (const each of [...readers, reader]) if (!current.includes(each)) each.close();

  site.slugs.set(collection, {
    current: new Map([...loaded.entries].map(([id, { slug }]) => [id, slug])),
    hasOlder: options.newest !== undefined,
    isPreview: options.drafts === 'include',
    addresses: loaded.addresses,
    mirror,
  });
}

/** Returns the reader of a load's texts, for collections with `bodies: 'mirror'`. */
function readerOf(
  { load, entries: all, fileOf }: LoadedCollection,
  onRead: () => void,
): BodyReader {
  // Drops `set`, which Astro's store keeps already.
  const entries = new Map(
    [...all.values()].map(({ id, digest, version }) => [id, { digest, version }]),
  );
  return {
    async read({ id, digest }) {
      onRead();
      const entry = entries.get(id);
      // The entry may belong to a collection of the same name, of another site in this process.
      if (!entry || entry.digest !== digest) return undefined;
      const rendering = await renderingOf(entry.version, load);
      return { body: rendering.body, rendered: renderedContent(rendering, fileOf) };
    },
    close: () => load.mirror.close(),
  };
}
