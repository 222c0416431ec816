const longestTitle = 80;
const longestPlainId = 9;
const hashLength = 10;

/**
 * Makes a URL-safe name from the title, ending in something of the id. It depends on this article
 * alone: were the id added only where two titles are alike, an article's address would change when
 * another one comes or goes.
 */
export async function slugOf({ id, title }: { id: string; title: string }): Promise<string> {
  const words = slugify(title);
  const end = await idPart(id);
  return words ? `${words}-${end}` : end;
}

/** Short plain ids as they are; others as a hash, which is longer, so that the two never meet. */
async function idPart(id: string): Promise<string> {
  if (id.length <= longestPlainId && /^[a-z0-9]+$/.test(id)) return id;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id));
  const number = new DataView(digest).getBigUint64(0);
  return number.toString(36).padStart(hashLength, '0').slice(-hashLength);
}

/** Letters and digits of any script, the accents of Latin ones taken off, joined by hyphens. */
function slugify(title: string): string {
  const words = title
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
    if (longer.length > longestTitle) return slug || cut(word);
    slug = longer;
  }
  return slug;
}

/** Never through the middle of a character. */
function cut(word: string): string {
  return Array.from(word).slice(0, longestTitle).join('');
}
