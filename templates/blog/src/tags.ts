import type { CollectionEntry } from 'astro:content';
import { getArticles } from 'astro-articles';

export type Article = CollectionEntry<'articles'>;

/** Returns the part of a URL for a tag; empty without letters and digits. C, C++ and C# are three tags. It is also the name of a folder. */
export function segmentOf(tag: string): string {
  return (
    tag
      .toLowerCase()
      .replace(/(?<=\w)\+\+/g, 'pp')
      .replace(/(?<=\w)#/g, 'sharp')
      .match(/[\p{L}\p{N}]+/gu)
      ?.join('-')
      .slice(0, 80)
      .toWellFormed() ?? ''
  );
}

/** Returns the tags of an article that have a page. */
export function tagsOf({ data }: Article): Map<string, string> {
  const tags = new Map(data.tags.map((tag) => [segmentOf(tag), tag]));
  tags.delete('');
  return tags;
}

/** Returns each tag with its articles, in their order: of all articles, or of some. */
export async function articlesByTag(shown?: Article[]) {
  const tags = new Map<string, { tag: string; articles: Article[] }>();
  for (const article of shown ?? (await getArticles('articles'))) {
    for (const [segment, tag] of tagsOf(article)) {
      const known = tags.get(segment) ?? { tag, articles: [] };
      known.articles.push(article);
      tags.set(segment, known);
    }
  }
  return tags;
}
