import type { CollectionEntry } from 'astro:content';
import { getArticles } from 'astro-articles';

export type Article = CollectionEntry<'articles'>;

/** Returns all articles, newest first. */
export const newestFirst = (): Promise<Article[]> => getArticles('articles');

/** Returns the path segment of a tag; empty if the tag has no letter and no digit. */
export function tagSlug(tag: string): string {
  const words = tag.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join('-');
}

/** Returns the articles of each tag, by the tag's path segment. */
export async function articlesByTag(): Promise<Map<string, { tag: string; articles: Article[] }>> {
  const tags = new Map<string, { tag: string; articles: Article[] }>();
  for (const article of await newestFirst()) {
    for (const tag of article.data.tags) {
      const slug = tagSlug(tag);
      if (!slug) continue;
      const known = tags.get(slug) ?? { tag, articles: [] };
      known.articles.push(article);
      tags.set(slug, known);
    }
  }
  return tags;
}
