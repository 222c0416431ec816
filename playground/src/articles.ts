import type { CollectionEntry } from 'astro:content';
import { getArticles } from 'astro-articles';

export type Article = CollectionEntry<'articles'>;

const wordsPerMinute = 200;

/** Returns all articles, newest first. */
export const newestFirst = (): Promise<Article[]> => getArticles('articles');

export function addressOf({ data }: Article): string {
  return `/articles/${data.slug}/`;
}

export function markdownAddressOf({ data }: Article): string {
  return `/articles/${data.slug}.md`;
}

export function readingTime({ data }: Article): string {
  return `${Math.max(1, Math.round(data.words / wordsPerMinute))} min`;
}

/** Formats a date as readers of the magazine read it, the same on all machines. */
export function dateOf(date: Date): string {
  return date.toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' });
}
