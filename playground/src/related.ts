import { withBody } from 'astro-articles';
import type { Article } from './articles.ts';

const subjectSize = 30;
const leastShared = 2;

/**
 * Finds up to three related articles for each article. Two articles are related if they share two of
 * the words that both of them repeat and few others use.
 */
export async function relatedArticles(articles: Article[]): Promise<Map<Article, Article[]>> {
  const counts = new Map<Article, Map<string, number>>();
  const users = new Map<string, number>();
  for (const article of articles) {
    const words = await countWords(article);
    counts.set(article, words);
    for (const word of words.keys()) users.set(word, (users.get(word) ?? 0) + 1);
  }

  const rarity = (word: string) => Math.log(articles.length / (users.get(word) ?? 1));
  const subjectOf = (article: Article) => {
    const weights = [...(counts.get(article) ?? [])]
      .filter(([word, count]) => count > 1 && rarity(word) > Math.log(4))
      .map(([word, count]) => ({ word, weight: count * rarity(word) }))
      .sort((a, b) => b.weight - a.weight);
    return new Set(weights.slice(0, subjectSize).map(({ word }) => word));
  };

  const subjects = articles.map((article) => ({ article, subject: subjectOf(article) }));
  return new Map(
    subjects.map(({ article, subject }) => {
      const related = subjects
        .filter((other) => other.article !== article)
        .map((other) => ({ ...other, shared: other.subject.intersection(subject).size }))
        .filter(({ shared }) => shared >= leastShared)
        .sort((a, b) => b.shared - a.shared);
      return [article, related.slice(0, 3).map((other) => other.article)];
    }),
  );
}

async function countWords(article: Article): Promise<Map<string, number>> {
  const { body } = await withBody(article);
  const counts = new Map<string, number>();
  // The title counts twice, because it names the subject.
  const text = `${article.data.title} ${article.data.title} ${body}`;
  for (const [word] of text.toLowerCase().matchAll(/\p{L}{4,}/gu)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}
