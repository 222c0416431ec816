import type { ArticleFacts } from '../render/render-article.ts';
import { hash } from '../shared/hash.ts';

/** An article as its collection compares it. */
export interface ComparedArticle extends ArticleFacts {
  /** Changes with the article. */
  digest: string;
  /** The files of the images in its body; null for one that has none. */
  images: readonly (string | null)[];
}

/** Hexadecimal digits that are enough to tell the versions of one entry apart. */
const length = 16;

/**
 * Covers everything that a page can show of an entry, and nothing that needs its text to be read. It
 * begins with the key of what is rendered of it, by which `withBody()` finds that.
 */
export function entryDigest(
  { id, title, digest, position, cover, images }: ComparedArticle,
  { key, fingerprint }: { key: string; fingerprint: string },
): string {
  const shown = JSON.stringify([id, title, digest, position, cover, images, fingerprint]);
  return `${key}${hash(shown).slice(0, length)}`;
}

/** The key that a digest begins with. */
export function renderingKey(digest: string): string {
  return digest.slice(0, -length);
}
