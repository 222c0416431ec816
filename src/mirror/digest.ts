import type { Article } from '../client/index.ts';
import { hash } from '../hash.ts';
import { unsigned } from './image-url.ts';

/**
 * What an article is compared by: all its fields, the cover without the signature that some
 * services put on its URL afresh for every answer.
 */
export function articleDigest({ id, title, content, cover_image, extra }: Article): string {
  const cover = cover_image && unsigned(cover_image);
  return hash(JSON.stringify([id, title, content, cover, canonical(extra)]));
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
