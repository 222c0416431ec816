import { type FixtureArticle, makeArticles } from '../../fixtures/articles.ts';

/** As the bench says it: what `benchArticles` makes. */
export const describedArticles =
  'Articles are made ones of 3 to 17 KB of Markdown, 10 KB and 1.3 code blocks on average, no two alike in ' +
  'length: V8 tells long strings in a map apart by their length.';

/** Articles of varied lengths, newest first. */
export function benchArticles(count: number): FixtureArticle[] {
  return makeArticles(count, { words: [450, 2900] });
}
