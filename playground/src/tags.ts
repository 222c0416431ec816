import { type Article, newestFirst } from './articles.ts';

/** Returns the path segment of a tag. It is empty for a text without letters and digits. */
function segmentOf(tag: string): string {
  const words = tag.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join('-');
}

/** Returns the tags of an article, by the paths of their pages. */
export function tagsOf({ data }: Article): Map<string, string> {
  const named = data.tags.filter((tag) => segmentOf(tag) !== '');
  return new Map(named.map((tag) => [`/tags/${segmentOf(tag)}/`, tag]));
}

/** Returns the articles of each tag, newest first, with the segment of its page. */
export async function tagPages() {
  const pages = new Map<string, { tag: string; segment: string; articles: Article[] }>();
  for (const article of await newestFirst()) {
    for (const [path, tag] of tagsOf(article)) {
      const page = pages.get(path) ?? { tag, segment: segmentOf(tag), articles: [] };
      page.articles.push(article);
      pages.set(path, page);
    }
  }
  return [...pages.values()];
}
