import type { Article } from './articles.ts';
import { textOf } from './text.ts';

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** What two articles have in common counts only if it is more than chance. */
const leastInCommon = 4;

/**
 * Finds, for each article, up to three others that share words with it which few articles use: the
 * rarer a word, the more it counts. Some articles have none.
 */
export async function relatedArticles(articles: Article[]): Promise<Map<Article, Article[]>> {
  const words = new Map<Article, Set<string>>();
  for (const article of articles) words.set(article, wordsOf(await textOf(article)));

  const users = new Map<string, number>();
  for (const used of words.values()) {
    for (const word of used) users.set(word, (users.get(word) ?? 0) + 1);
  }
  const isRare = (word: string) => (users.get(word) ?? 0) <= Math.max(2, articles.length / 8);
  const weight = (word: string) => Math.log(articles.length / (users.get(word) ?? 1));

  function closeness(one: Article, other: Article): number {
    const [ours, theirs] = [words.get(one), words.get(other)];
    if (!ours || !theirs || one === other) return 0;
    const common = [...ours].filter((word) => isRare(word) && theirs.has(word));
    if (common.length < leastInCommon) return 0;
    const sum = common.reduce((total, word) => total + weight(word), 0);
    // Long articles share words with everything.
    return sum / Math.sqrt(ours.size * theirs.size);
  }

  return new Map(
    articles.map((article) => {
      const ranked = articles
        .map((other) => ({ other, score: closeness(article, other) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score);
      return [article, ranked.slice(0, 3).map(({ other }) => other)];
    }),
  );
}

function wordsOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const { segment, isWordLike } of segmenter.segment(text.toLowerCase())) {
    if (isWordLike && /\p{L}{2}/u.test(segment)) found.add(segment);
  }
  return found;
}
