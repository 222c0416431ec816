/** In characters. Akamai allows the fewest, 128; Cloudflare drops tags above 1,024 without a warning. */
const maxTagLength = 128;

/**
 * Returns the cache tags of the page of an article: the tag of the collection, and the tag of the article. An entry has
 * them in its `cacheHint`. The page of a missing article has no entry, so it calls this function. `purge()` invalidates
 * both pages.
 */
export function cacheTags(collection: string, id: string): [collection: string, article: string] {
  return [tagOf(collection), tagOf(collection, `:${encodeURIComponent(id)}`)];
}

/** Returns the tags of lists. A webhook that names one article invalidates the second one: it may be a new article. */
export function listTags(collection: string): [collection: string, list: string] {
  return [tagOf(collection), tagOf(collection, '/list')];
}

/** Hosts accept only ASCII in tags, and use commas and spaces as separators. Long tags may be equal once cut. */
function tagOf(collection: string, rest = ''): string {
  return (encodeURIComponent(collection) + rest).slice(0, maxTagLength);
}
