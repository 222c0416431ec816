import { type FixtureArticle, makeArticle, makeArticles } from '../fixtures/articles.ts';

/** Describes what `benchArticles` returns, for the text above a table. */
export const articlesNote =
  'The articles are generated: 3 to 17 KB of Markdown, 10 KB and 1.3 code blocks on average. No two have the same ' +
  'length, because V8 hashes long strings by their length.';

const words: [number, number] = [450, 2900];

/** Returns the article with an id. */
export function benchArticle(id: number): FixtureArticle {
  return makeArticle(id, { words });
}

/** Articles of varied lengths, newest first. */
export function benchArticles(count: number): FixtureArticle[] {
  return makeArticles(count, { words });
}
