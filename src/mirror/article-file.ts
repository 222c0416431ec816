import type { Article } from '../client/article.ts';
import { hash } from '../shared/hash.ts';
import { unsigned } from '../shared/image-url.ts';

/** The text of an article, as the mirror keeps it. Its cover stands in the index. */
export type StoredArticle = Pick<Article, 'id' | 'title' | 'content' | 'extra'>;

/** What the mirror writes of an article. */
export interface PackedArticle {
  /** What its file holds. */
  text: string;
  /** The name of that file: the hash of the text. */
  object: string;
}

export function packArticle({ id, title, content, extra }: Article): PackedArticle {
  const text = canonicalJson({ id, title, content, extra } satisfies StoredArticle);
  return { text, object: hash(text) };
}

/**
 * What an article is compared by: all its fields, the cover without the signature that some services
 * put on its URL afresh for every answer. Every row that is read has to be told this way, so its
 * content, by far the largest field, is not written as JSON for it.
 */
export function digestOf({ id, title, content, extra, cover_image }: Article): string {
  const cover = cover_image && unsigned(cover_image);
  return hash(canonicalJson([id, title, hash(content), extra, cover]));
}

/** The same value with its keys in one order, so that equal values give equal text. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, inner]) => [key, canonical(inner)]));
}

/** The text of a value, the same for equal values. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(canonical(value));
}
