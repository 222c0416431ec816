import { createHash } from 'node:crypto';

const longestTitle = 80;
const longestPlainId = 9;
const hashLength = 10;

/**
 * Makes a URL-safe name from the title, ending in something of the id. It depends on this article
 * alone: were the id added only where two titles are alike, an article's address would change when
 * another one comes or goes.
 */
export function slugOf({ id, title }: { id: string; title: string }): string {
  const words = slugify(title);
  return words ? `${words}-${idPart(id)}` : idPart(id);
}

/** Short plain ids as they are; others as a hash, which is longer, so that the two never meet. */
function idPart(id: string): string {
  if (id.length <= longestPlainId && /^[a-z0-9]+$/.test(id)) return id;
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 16);
  return BigInt(`0x${digest}`).toString(36).padStart(hashLength, '0').slice(-hashLength);
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
