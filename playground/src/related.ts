import type { Article } from './articles.ts';
import { textOf } from './text.ts';

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** How many words tell what an article is about, and how many of them two have to share. */
const subjectSize = 30;
const leastInCommon = 2;

/**
 * Finds, for each article, up to three others about the same things: those that share the words
 * which set it apart. Some articles have none.
 */
export async function relatedArticles(articles: Article[]): Promise<Map<Article, Article[]>> {
  const counts = new Map<Article, Map<string, number>>();
  for (const article of articles) counts.set(article, await countWords(article));

  const rarity = rarityIn([...counts.values()]);
  const subjects = new Map(
    [...counts].map(([article, count]) => [article, subject(count, rarity)]),
  );

  function closeness(one: Article, other: Article): number {
    const common = [...(subjects.get(one) ?? [])].filter((word) => subjects.get(other)?.has(word));
    if (one === other || common.length < leastInCommon) return 0;
    return common.reduce((sum, word) => sum + rarity(word), 0);
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

/** The words of an article that it repeats, and others seldom use. */
function subject(counts: Map<string, number>, rarity: (word: string) => number): Set<string> {
  const telling = [...counts]
    .filter(([word, count]) => count > 1 && rarity(word) > Math.log(4))
    .sort(([a, times], [b, others]) => others * rarity(b) - times * rarity(a));
  return new Set(telling.slice(0, subjectSize).map(([word]) => word));
}

function rarityIn(all: Map<string, number>[]): (word: string) => number {
  const users = new Map<string, number>();
  for (const word of all.flatMap((counts) => [...counts.keys()])) {
    users.set(word, (users.get(word) ?? 0) + 1);
  }
  return (word) => Math.log(all.length / (users.get(word) ?? 1));
}

async function countWords(article: Article): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  // The title counts twice: it says what the article is about.
  const text = `${article.data.title} ${article.data.title} ${await textOf(article)}`;
  for (const { segment, isWordLike } of segmenter.segment(text.toLowerCase())) {
    if (!isWordLike || !/\p{L}{3}|\p{Script=Han}/u.test(segment)) continue;
    counts.set(segment, (counts.get(segment) ?? 0) + 1);
  }
  return counts;
}
