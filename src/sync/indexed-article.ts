import { type Article, isDraft } from '../client/article.ts';
import { digestOf } from '../mirror/article-file.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';

/** Describes an article whose text the mirror has, for the index. */
export function indexArticle(
  article: Article,
  { object, row }: { object: string; row?: IndexedArticle['row'] },
): IndexedArticle {
  return {
    id: article.id,
    title: article.title,
    digest: digestOf(article),
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
