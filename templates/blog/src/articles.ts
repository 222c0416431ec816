import type { CollectionEntry } from 'astro:content';
import { getArticles } from 'astro-articles';

export type Article = CollectionEntry<'articles'>;

/** Returns all articles, newest first. */
export const newestFirst = (): Promise<Article[]> => getArticles('articles');

export const pathOf = ({ data }: Article): string => `/articles/${data.slug}/`;

/** Returns the title of an article, or the id of a draft without one. */
export const titleOf = ({ data, id }: Article): string => data.title || id;

/** Returns the date and the reading time of an article, as on its card. */
export function factsOf({ data }: Article): string {
  const minutes = Math.max(1, Math.round(data.words / 200));
  const date = data.date?.toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' });
  return [date, `${minutes} min`].filter(Boolean).join(' · ');
}

/** Returns the tags of an article by the path segments of their pages, which need a letter or a digit. */
export function tagsOf({ data }: Article): Map<string, string> {
  const segment = (tag: string) =>
    tag
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join('-') ?? '';
  const tags = new Map(data.tags.map((tag) => [segment(tag), tag]));
  tags.delete('');
  return tags;
}

/** Returns the articles of each tag, by the path segment of its page. */
export async function articlesByTag(): Promise<Map<string, { tag: string; articles: Article[] }>> {
  const tags = new Map<string, { tag: string; articles: Article[] }>();
  for (const article of await newestFirst()) {
    for (const [segment, tag] of tagsOf(article)) {
      const known = tags.get(segment) ?? { tag, articles: [] };
      known.articles.push(article);
      tags.set(segment, known);
    }
  }
  return tags;
}

/** Returns the three articles that share most tags with an article. */
export async function relatedTo(article: Article): Promise<Article[]> {
  const tags = new Set(tagsOf(article).keys());
  const others = (await newestFirst()).filter(({ id }) => id !== article.id);
  const shared = (other: Article) => new Set(tagsOf(other).keys()).intersection(tags).size;
  const related = others.filter((other) => shared(other) > 0);
  return related.sort((a, b) => shared(b) - shared(a)).slice(0, 3);
}
