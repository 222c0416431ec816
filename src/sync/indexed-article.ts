import { type Article, isDraft } from '../client/article.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import { isUsableSlug } from '../render/slug.ts';

type Identity = Pick<IndexedArticle, 'digest' | 'record'> &
  Partial<Pick<IndexedArticle, 'rowIsWhole' | 'changed' | 'row'>>;

/** Returns the index entry of an article whose text is in the mirror. It is not known yet whether the site shows it. */
export function indexArticle(
  article: Pick<Article, 'id' | 'title' | 'content' | 'cover_image' | 'extra'>,
  { digest, record, rowIsWhole, changed, row }: Identity,
): IndexedArticle {
  const { slug } = article.extra;
  return {
    id: article.id,
    title: article.title,
    digest,
    record,
    cover: article.cover_image,
    draft: isDraft(article),
    shown: false,
    ...(rowIsWhole && { rowIsWhole }),
    ...(changed !== undefined && { changed, row }),
    ...(typeof slug === 'string' && isUsableSlug(slug) && { ownSlug: slug }),
    renderings: [],
  };
}
