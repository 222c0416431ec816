import { pagePath } from 'astro-articles';
import { language } from './site';
import type { Article } from './tags';

export const pathOf = ({ data }: Article): string => pagePath(`articles/${data.slug}`);

/**
 * Reports whether an article is a draft, without a title or a text. Only `npm run dev` shows drafts. The title of an article
 * without one is its id. An id with other characters than digits may be a title: the name of a file.
 */
const isDraft = ({ data, id, body = '' }: Article): boolean =>
  (data.title === id && /^\d+$/.test(id)) || (body.trim() === '' && data.words === 0);

/** Returns the date and the reading time of an article, as on its card, and whether it is a draft. */
export function factsOf(article: Article): string {
  const { data } = article;
  const minutes = Math.max(1, Math.round(data.words / 200));
  const date = data.date?.toLocaleDateString(language, { dateStyle: 'long', timeZone: 'UTC' });
  return [import.meta.env.DEV && isDraft(article) && 'Draft', date, `${minutes} min`]
    .filter(Boolean)
    .join(' · ');
}
