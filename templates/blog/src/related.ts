import { type Article, type articlesByTag, tagsOf } from './tags';

type ByTag = Awaited<ReturnType<typeof articlesByTag>>;

/** Returns the three articles that share most tags with an article. */
export function relatedTo(article: Article, byTag: ByTag): Article[] {
  const scores = new Map<Article, number>();
  for (const segment of tagsOf(article).keys()) {
    const articles = byTag.get(segment)?.articles ?? [];
    // The newest ones of each tag only, so that thousands of articles take no longer.
    for (const other of articles.slice(0, 50)) {
      if (other.id === article.id) continue;
      scores.set(other, (scores.get(other) ?? 0) + 1 / articles.length);
    }
  }
  const best = [...scores].sort(([, a], [, b]) => b - a).slice(0, 3);
  return best.map(([other]) => other);
}
