/** By the request of a page that is being rendered: the prefixes of its bodies, except the first one. */
const prefixes = new WeakMap<Request, Set<string>>();

/**
 * Returns the text before the ids of a body, which differs between the bodies of a page: nothing for the first one, and
 * then the slug of the article.
 */
export function idPrefixOf(page: Request, slug: string): string {
  const used = prefixes.get(page);
  if (!used) {
    prefixes.set(page, new Set());
    return '';
  }
  // The id of a local file is a path, and an id of HTML has no blanks.
  const name = slug.replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, '-');
  let prefix = `${name}-`;
  for (let number = 2; used.has(prefix); number += 1) prefix = `${name}-${number}-`;
  used.add(prefix);
  return prefix;
}
