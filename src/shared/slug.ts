/** File systems limit a name to 255 bytes, and Astro adds an extension. */
const maxSegmentBytes = 250;
/** The characters of a title in a slug. Of 3 bytes each, they and the end fit into a name. */
const maxTitleLength = 79;
/** The characters of a title that are read: normalising thousands of combining marks takes minutes. */
const maxReadLength = 1000;
const maxPlainIdLength = 9;
const hashLength = 10;
/** Names that Astro, hosts or Windows treat in a special way. */
const reserved = ['index', '404', '500', 'cname', 'con', 'prn', 'aux', 'nul'];

/**
 * Returns a URL-safe slug: a readable id unchanged, otherwise the title and a part of the id. It depends on this
 * article alone, so it is unchanged when another article is added or removed. No two ids have the same slug: the
 * last word of a readable id has no digit, and `idPart()` is a last word with a digit.
 */
export async function slugOf({ id, title }: { id: string; title: string }): Promise<string> {
  if (isReadable(id)) return id;
  const end = await idPart(id);
  const words = slugify(title);
  return words ? `${words}-${end}` : end;
}

/**
 * Returns the id of the article that a slug belongs to, also with an earlier title: the slug itself if it is a readable
 * id, otherwise its last word. Returns `undefined` for a slug that ends with the hash of an id, and for other texts
 * that cannot be a slug of an article.
 *
 * ```ts
 * idOf('how-tides-work-26'); // '26'
 * ```
 */
export function idOf(slug: string): string | undefined {
  if (isReadable(slug)) return slug;
  const last = slug.slice(slug.lastIndexOf('-') + 1);
  return isPlainId(last) && isSlug(slug) ? last : undefined;
}

/** Returns whether a text can be a slug, which is used as a path segment and as a file name. */
export function isSlug(text: string): boolean {
  const isShort = new TextEncoder().encode(text).length <= maxSegmentBytes;
  return isShort && /^(?!\.)[\p{L}\p{M}\p{N}._~-]+(?<!\.)$/u.test(text);
}

/** Returns the slug that the service gives an article, if it can be the slug of a page on every host. */
export function ownSlug({ slug: given }: Record<string, unknown>): string | undefined {
  // Astro writes paths in this form.
  const slug = typeof given === 'string' ? given.normalize('NFC') : '';
  // Sites and hosts have files such as `robots.txt` and `_redirects`. File extensions begin with a letter, unlike the end
  // of `release-2.0`.
  const isFile = slug.startsWith('_') || /\.[a-z][a-z\d]*$/i.test(slug);
  const [name = ''] = slug.toLowerCase().split('.');
  return !isSlug(slug) || isFile || reserved.includes(name) ? undefined : slug;
}

/** Returns a key that is equal for paths that some hosts and file systems do not distinguish. */
export function pathKey(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Returns whether an id consists of words that are a slug already, and whose last one has no digit. */
function isReadable(id: string): boolean {
  return /(?:^|-)[^\p{N}-]+$/u.test(id) && slugify(id) === id && !reserved.includes(id);
}

/** Returns whether an id is short enough for the last word of a slug, has a digit, and otherwise only Latin letters. */
function isPlainId(id: string): boolean {
  return id.length <= maxPlainIdLength && /^[a-z]*\d[a-z\d]*$/.test(id);
}

/**
 * Returns a short plain id with a digit unchanged, and other ids as a hash, which has a digit, too. A hash is longer,
 * so it never equals an id.
 */
async function idPart(id: string): Promise<string> {
  if (isPlainId(id)) return id;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id));
  const number = new DataView(digest).getBigUint64(0);
  const text = number.toString(36).padStart(hashLength, '0').slice(-hashLength);
  return /\d/.test(text) ? text : `0${text.slice(1)}`;
}

/** Matches what a reader does not see as a letter, such as a soft hyphen or the keycap of an emoji, and apostrophes. */
const unwritten = /['‘’\p{Default_Ignorable_Code_Point}]|\u20e3/gu;

/** Joins the letters and digits of a title by hyphens, without the accents of Latin letters. */
function slugify(title: string): string {
  const words = title
    .slice(0, maxReadLength)
    .normalize('NFKD')
    .replace(/(\p{Script=Latin})\p{Mn}+/gu, '$1')
    .normalize('NFC')
    .toLowerCase()
    .replace(unwritten, '')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean);

  let slug = '';
  for (const word of words) {
    const longer = slug ? `${slug}-${word}` : word;
    // A single word is cut, but not within a character.
    if (longer.length > maxTitleLength)
      return slug || word.slice(0, maxTitleLength).replace(/[\ud800-\udbff]$/, '');
    slug = longer;
  }
  return slug;
}
