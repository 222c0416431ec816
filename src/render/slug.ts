const longestTitle = 80;
/** The characters of a title that are looked at: normalising thousands of combining marks takes minutes. */
const longestGiven = 1000;
/** Bytes of a whole slug: file systems allow 255 for a name, and Astro adds an extension. */
const mostBytes = 200;
const longestPlainId = 9;
const hashLength = 10;

/**
 * Makes a URL-safe name from the title and the id. It depends on this article alone, so that an article keeps
 * its address when another one with the same title comes or goes.
 */
export async function slugOf({ id, title }: { id: string; title: string }): Promise<string> {
  const end = await idPart(id);
  const words = slugify(title, mostBytes - end.length - 1);
  return words ? `${words}-${end}` : end;
}

/** Returns a short plain id unchanged, and others as a hash, which is longer: the two never meet. */
async function idPart(id: string): Promise<string> {
  if (id.length <= longestPlainId && /^[a-z0-9]+$/.test(id)) return id;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id));
  const number = new DataView(digest).getBigUint64(0);
  return number.toString(36).padStart(hashLength, '0').slice(-hashLength);
}

/** Joins the letters and digits of a title by hyphens, without the accents of Latin letters. */
function slugify(title: string, most: number): string {
  const words = title
    .slice(0, longestGiven)
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
    if (!fits(longer, most)) return slug || cut(word, most);
    slug = longer;
  }
  return slug;
}

function fits(text: string, most: number): boolean {
  return text.length <= longestTitle && new TextEncoder().encode(text).length <= most;
}

/** Shortens a word by whole characters. */
function cut(word: string, most: number): string {
  const characters = Array.from(word).slice(0, longestTitle);
  while (!fits(characters.join(''), most)) characters.pop();
  return characters.join('');
}
