import { hash } from '../hash.ts';
import type { ArticleFacts } from './entry.ts';

/** An article as its collection compares it. */
export interface ComparedArticle extends ArticleFacts {
  /** Changes with the article. */
  digest: string;
  /** The files of the images in its body; null for one that has none. */
  images: readonly (string | null)[];
}

/** Covers everything that a page can show of an entry, and nothing that needs its text to be read. */
export function entryDigest(
  { id, title, digest, position, cover, images }: ComparedArticle,
  fingerprint: string,
) {
  const shown = JSON.stringify([id, title, digest, position, cover, images, fingerprint]);
  return hash(shown);
}
