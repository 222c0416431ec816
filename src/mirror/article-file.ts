import * as z from 'zod';
import type { Article } from '../client/article.ts';
import { dropUnsafeKeys } from '../client/http/json.ts';
import { hash } from '../shared/hash.ts';
import { unsigned } from '../shared/image-url.ts';

const storedSchema = z.object({
  id: z.string(),
  title: z.string(),
  content: z.string(),
  extra: z.record(z.string(), z.unknown()),
});

/** An article as its file in the mirror contains it. Its cover is in the index. */
export type StoredArticle = z.infer<typeof storedSchema>;

/** Returns an article as its file contains it, with the values that reading the file returns. */
export function storedArticle({ id, title, content, extra }: Article): StoredArticle {
  return { id, title, content, extra: JSON.parse(canonicalJson(extra)) };
}

/** Encodes an article as the text of its file, the same for equal articles. */
export function encodeArticleFile(article: Article): string {
  return canonicalJson(storedArticle(article));
}

/** Decodes the text of an article's file; undefined when it is not an article. */
export function decodeArticleFile(text: string): StoredArticle | undefined {
  const value = parseJson(text);
  // A repository or cache that others can change may have what the client never accepts.
  return dropUnsafeKeys(value) ? storedSchema.safeParse(value).data : undefined;
}

/** Parses JSON; undefined for a text that is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the digest of an article's version: the hash of all its fields, and of the cover's URL
 * without the signature that some services renew in every response. It is computed for every row, so
 * the content, by far the largest field, is hashed without encoding it as JSON.
 */
export function digestOf({ id, title, content, extra, cover_image }: Article): string {
  const cover = cover_image && unsigned(cover_image);
  return hash(canonicalJson([id, title, hash(content), extra, cover]));
}

/** Encodes a value as JSON, the same for equal values. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(canonical(value));
}

/** Copies a value with all keys sorted. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, inner]) => [key, canonical(inner)]));
}
