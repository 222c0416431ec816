import { type Article, isDraft } from '../client/article.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';

/** Returns the index entry of an article whose text is in the mirror. */
export function indexArticle(
  article: Article,
  { digest, object, row, summary }: Pick<IndexedArticle, 'digest' | 'object' | 'row' | 'summary'>,
): IndexedArticle {
  return {
    id: article.id,
    title: article.title,
    digest,
    ...(row ? { row } : {}),
    ...(summary ? { summary } : {}),
    object,
    cover: article.cover_image,
    draft: isDraft(article),
  };
}

/** Whether the option `drafts` lets the site show an article. */
export function isShown(
  { draft }: Pick<IndexedArticle, 'draft'>,
  { drafts }: { drafts: 'skip' | 'include' },
): boolean {
  return !draft || drafts === 'include';
}
