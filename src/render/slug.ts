const maxTitleLength = 80;
/** The characters of a title that are read: normalising thousands of combining marks takes minutes. */
const maxReadLength = 1000;
/** Bytes of a whole slug: file systems allow 255 for a name, and Astro adds an extension. */
const maxBytes = 200;
const maxPlainIdLength = 9;
const hashLength = 10;

/**
 * Returns a URL-safe slug of the title and the id. It depends on this article alone, so it is unchanged when
 * another article with the same title is added or removed.
 */
export async function slugOf({ id, title }: { id: string; title: string }): Promise<string> {
  const end = await idPart(id);
  const words = slugify(title, maxBytes - end.length - 1);
  return words ? `${words}-${end}` : end;
}

/** Returns a short plain id unchanged, and others as a hash. A hash is longer, so it never equals an id. */
async function idPart(id: string): Promise<string> {
  if (id.length <= maxPlainIdLength && /^[a-z0-9]+$/.test(id)) return id;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id));
  const number = new DataView(digest).getBigUint64(0);
  return number.toString(36).padStart(hashLength, '0').slice(-hashLength);
}

/** Joins the letters and digits of a title by hyphens, without the accents of Latin letters. */
function slugify(title: string, max: number): string {
  const words = title
    .slice(0, maxReadLength)
    .normalize('NFKD')
    .replace(/(\p{Script=Latin})\p{Mn}+/gu, '$1')
    .normalize('NFC')
    .toLowerCase()
    .replace(/['’]/g, '')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean);

  let slug = '';
  for (const word of words) {
    const longer = slug ? `${slug}-${word}` : word;
    if (!fits(longer, max)) return slug || cut(word, max);
    slug = longer;
  }
  return slug;
}

function fits(text: string, max: number): boolean {
  return text.length <= maxTitleLength && new TextEncoder().encode(text).length <= max;
}

/** Shortens a word by whole characters. */
function cut(word: string, max: number): string {
  const characters = Array.from(word).slice(0, maxTitleLength);
  while (!fits(characters.join(''), max)) characters.pop();
  return characters.join('');
}
