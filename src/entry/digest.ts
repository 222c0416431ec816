import { ArticlesInvalidError, ArticlesOptionsError, articleNotice } from '../errors.ts';
import { quote } from '../messages.ts';
import { hash } from '../shared/hash.ts';
import { isPlainObject } from '../shared/json-value.ts';

// The digest of an entry has 32 digits for what it was made from, 16 for its data, and the position. Astro ignores a
// write with an equal digest, so the position is a part of it. It is not a part of the content, though: the removal of
// one old article would change the content of all newer articles.

// Other versions of the package may have written more or fewer digits.
const ownDigest = /^([\da-f]{32,})\.\d+$/;

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
    throw new ArticlesInvalidError([articleNotice(id, reason, field)]);
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
  return ownDigest.test(String(digest));
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
  return hash(JSON.stringify(shown.map(keyPartOf)));
}

function keyPartOf(shown: KeyedEntry | string | number | null | undefined) {
  if (typeof shown !== 'object' || shown === null) return shown;
  const { collection, id, digest } = shown;
  // Without the position. The digests of other loaders are unchanged.
  if (digest !== undefined) return [collection, id, ownDigest.exec(String(digest))?.[1] ?? digest];
  throw new ArticlesOptionsError(
    'invalid-options',
    `The entry ${quote(id)} of the collection "${collection}" has no digest, which cacheKey() needs.`,
    { hint: 'Leave `cacheKey` out for pages that show such entries.' },
  );
}
