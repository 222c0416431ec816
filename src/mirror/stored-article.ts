import * as z from 'zod';
import type { Article } from '../client/article.ts';
import { hash } from '../shared/hash.ts';
import { unsigned } from '../shared/image-url.ts';
import { parseJson, toJsonValue } from '../shared/json-value.ts';

const storedSchema = z.object({
  id: z.string(),
  title: z.string(),
  content: z.string(),
  extra: z.record(z.string(), z.unknown()),
  /** The names of the fields in `extra` that only its row has. */
  rowFields: z.array(z.string()),
});

/** An article as the mirror contains it. Its cover is in the index. */
export type StoredArticle = z.infer<typeof storedSchema>;

type GivenArticle = Omit<StoredArticle, 'rowFields'> & { rowFields?: string[] };

/** Returns an article in its stored form, so that a fetched article equals the same one read from disk. */
export function storedArticle(article: GivenArticle): StoredArticle {
  const { id, title, content, extra, rowFields = [] } = article;
  return { content, extra, id, title, rowFields };
}

/** Encodes an article, the same for equal articles. */
export function encodeArticle(article: GivenArticle): string {
  return JSON.stringify(storedArticle(article));
}

/** Decodes the text of an article; undefined when it is not one. */
export function decodeArticle(text: string): StoredArticle | undefined {
  const found = storedSchema.safeParse(parseJson(text)).data;
  if (!found) return undefined;
  try {
    // A repository or cache that others can change may have what the client never accepts.
    return { ...found, extra: { ...Object(toJsonValue(found.extra)) } };
  } catch {
    return undefined;
  }
}

/**
 * Returns the digest of an article's version: the hash of all its fields, and of the cover's URL without the signature
 * that some services renew in every response. The content, by far the largest field, is not encoded as JSON.
 */
export function digestOf(article: Omit<Article, 'notes' | 'respondedAt'>): string {
  const { id, title, content, extra, cover_image } = article;
  const cover = cover_image && unsigned(cover_image);
  return hash(JSON.stringify([id, title, hash(content), extra, cover]));
}
