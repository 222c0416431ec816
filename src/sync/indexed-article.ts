import { type Article, isDraft } from '../client/article.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';

/** Returns the index entry of an article whose text is in the mirror. */
export function indexArticle(
  article: Article,
  { digest, object, row }: { digest: string; object: string; row: IndexedArticle['row'] },
): IndexedArticle {
  return {
    id: article.id,
    title: article.title,
    digest,
    ...(row ? { row } : {}),
    object,
    cover: article.cover_image,
    draft: isDraft(article),
  };
}

/** Whether the site shows an article. */
export function isShown(
  { draft }: Pick<IndexedArticle, 'draft'>,
  { drafts }: { drafts: 'skip' | 'include' },
): boolean {
  return !draft || drafts === 'include';
}
