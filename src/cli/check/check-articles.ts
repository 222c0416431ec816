import { type Article, decodeArticle, type ListedArticle } from '../../client/article.ts';
import { asJson } from '../../client/http/json.ts';
import { digestOf } from '../../mirror/article-file.ts';
import type { Exchange, Requests } from './check-requests.ts';
import type { Facts } from './facts.ts';
import { spread } from './spread.ts';

const sampledArticles = 3;

interface SingleArticles {
  facts: Facts['articles'];
  articles: Article[];
  /** The answers as they came. */
  raw: unknown[];
  /** Those of the last one that was given. */
  exchanges: Exchange[];
}

/** Asks for some articles one by one, and compares them with their rows. */
export async function askForArticles(
  requests: Requests,
  listed: readonly ListedArticle[],
): Promise<SingleArticles> {
  const { addresses, ask, maxBytes } = requests;
  const found: SingleArticles = {
    facts: { fetched: 0, sameAsRow: null, problems: [] },
    articles: [],
    raw: [],
    exchanges: [],
  };
  const { facts } = found;
  for (const row of spread(listed, sampledArticles)) {
    const { id } = row;
    const read = asJson((value) => ({ value, ...decodeArticle(value, id) }));
    const reply = await ask({ url: addresses.article(id), maxBytes: maxBytes.article, read });
    if ('error' in reply) {
      facts.problems.push({ id, reason: reply.error.message });
    } else if ('problems' in reply.value) {
      facts.problems.push(
        ...reply.value.problems.map(({ field, reason }) => ({ id, reason: `${field}: ${reason}` })),
      );
    } else {
      const { value: raw, article } = reply.value;
      facts.fetched += 1;
      found.articles.push(article);
      found.raw.push(raw);
      found.exchanges = reply.exchanges;
      if (row.article) {
        const same = digestOf(row.article) === digestOf(article);
        facts.sameAsRow = (facts.sameAsRow ?? 0) + Number(same);
      }
    }
  }
  return found;
}
