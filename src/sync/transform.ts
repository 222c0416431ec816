import type { IndexedArticle } from '../mirror/index-file.ts';
import {
  digestOf,
  encodeArticle,
  type StoredArticle,
  storedArticle,
} from '../mirror/stored-article.ts';
import { applyTransform } from '../options/apply-transform.ts';
import type { Transform } from '../options/options.ts';
import { hash } from '../shared/hash.ts';
import { indexArticle } from './indexed-article.ts';

/** The article that `transform` returned, with the text to render. */
interface TransformResult {
  transformed: IndexedArticle;
  text: StoredArticle;
}

/** Applies the site's `transform`; undefined when it leaves the article out. */
export type ApplyTransform = (
  article: IndexedArticle,
  text: StoredArticle,
) => Promise<TransformResult | undefined>;

/** Creates a function that applies the site's `transform` to the articles of a collection. */
export function createTransform(transform: Transform, collection: string): ApplyTransform {
  return async (article, stored) => {
    const given = { ...stored, id: article.id, cover_image: article.cover };
    const changed = await applyTransform(transform, given, collection);
    if (!changed) return undefined;
    const text = storedArticle(changed);
    const identity = { digest: digestOf(changed), record: hash(encodeArticle(text)) };
    return { text, transformed: indexArticle(changed, identity) };
  };
}
