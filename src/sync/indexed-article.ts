import { type Article, isDraft } from '../client/article.ts';
import { digestOf } from '../mirror/article-file.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';

/** Returns the index entry of an article whose text is in the mirror. */
export function indexArticle(
  article: Article,
  { object, rowOf }: { object: string; rowOf: (digest: string) => IndexedArticle['row'] },
): IndexedArticle {
  const digest = digestOf(article);
  const row = rowOf(digest);
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
