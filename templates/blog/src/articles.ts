import { pagePath } from 'astro-articles';
import type { Article } from './tags';

export const pathOf = ({ data }: Article): string => pagePath(`articles/${data.slug}`);

/** Returns the title of an article, or the id of a draft without one. */
export const titleOf = ({ data, id }: Article): string => data.title || id;

/** Returns the date and the reading time of an article, as on its card, and whether it is a draft. */
export function factsOf({ data }: Article): string {
  const minutes = Math.max(1, Math.round(data.words / 200));
  const date = data.date?.toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' });
  return [data.draft && 'Draft', date, `${minutes} min`].filter(Boolean).join(' · ');
}
