import { pagePath } from 'astro-articles';
import { language } from './site';
import type { Article } from './tags';

export const pathOf = ({ data }: Article): string => pagePath(`articles/${data.slug}`);

/** Returns the title of an article, or the id of a draft without one. */
export const titleOf = ({ data, id }: Article): string => data.title || id;

/** Reports whether an article is a draft, without a title or a text. Only `npm run dev` shows drafts. */
const isDraft = ({ data, body = '' }: Article): boolean =>
  data.title.trim() === '' || (body.trim() === '' && data.words === 0);

/** Returns the date and the reading time of an article, as on its card, and whether it is a draft. */
export function factsOf(article: Article): string {
  const { data } = article;
  const minutes = Math.max(1, Math.round(data.words / 200));
  const date = data.date?.toLocaleDateString(language, { dateStyle: 'long', timeZone: 'UTC' });
  return [import.meta.env.DEV && isDraft(article) && 'Draft', date, `${minutes} min`]
    .filter(Boolean)
    .join(' · ');
}
