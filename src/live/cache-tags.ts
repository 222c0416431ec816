/** Characters. Akamai allows the fewest, 128; Cloudflare drops tags above 1,024 without a word. */
const maxLength = 128;

/**
 * Returns the cache tags of the page of an article: that of the collection, and its own. An entry has them in its
 * `cacheHint`. The page of a missing article has no entry, so it calls this function. `purge()` invalidates both pages.
 */
export async function cacheTags(collection: string, id: string): Promise<string[]> {
  return Promise.all([collectionTag(collection), tagOf(collection, `:${encodeURIComponent(id)}`)]);
}

/** Returns the tag of all pages that show articles of a collection. */
export function collectionTag(collection: string): Promise<string> {
  return tagOf(collection);
}

/** Returns the tag of lists, which a webhook invalidates that names one article: it may be a new one. */
export function listTag(collection: string): Promise<string> {
  return tagOf(collection, '/list');
}

/** Hosts accept only ASCII in tags, and use commas and spaces as separators. Longer tags are hashed. */
async function tagOf(collection: string, rest = ''): Promise<string> {
  const tag = encodeURIComponent(collection) + rest;
  if (tag.length <= maxLength) return tag;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(tag));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'));
  return `sha256/${hex.join('')}`;
}
