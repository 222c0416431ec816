import {
  type Article,
  decodeListed,
  type ListedArticle,
  withRowFields,
} from '../../client/article.ts';
import { ArticlesRequestError, InvalidArticlesError } from '../../errors.ts';
import { digestOf } from '../../mirror/article-file.ts';
import type { Check, Sample } from './probe.ts';

const sampleSize = 3;

/** Fetches articles of the first page. A difference that comes from an edit meanwhile does not count. */
export async function fetchSample({ requests, listed, limit }: Check): Promise<Sample> {
  const { client, call } = requests;
  const sample: Sample = { articles: [], different: 0, removed: 0, problems: [] };
  for (const row of spread(listed, sampleSize)) {
    const reason = await add(row).catch(reasonOf);
    if (reason) sample.problems.push({ id: row.id, reason });
  }
  return sample;

  /** Adds an article to the sample, or returns why it cannot be used. */
  async function add(row: ListedArticle): Promise<string | undefined> {
    const article = await client.getArticle(row.id, call());
    if (article) sample.articles.push(article);
    if (article && !differs(row, article)) return undefined;
    const { rows } = await client.listPage({ limit, offset: 0 }, call());
    const again = rows.map((value, index) => decodeListed(value, index + 1));
    const now = again.filter((each) => 'id' in each).find(({ id }) => id === row.id);
    if (!article && now) return 'it is listed, but the request for it responds 404';
    if (!article) sample.removed += 1;
    else if (differs(now ?? row, article)) sample.different += 1;
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof InvalidArticlesError) {
    return error.problems.map(({ field, reason }) => `${field}: ${reason}`).join(', ');
  }
  if (error instanceof ArticlesRequestError) return error.message;
  throw error;
}

function differs(row: ListedArticle, article: Article): boolean {
  return (
    row.article !== undefined && digestOf(row.article) !== digestOf(withRowFields(article, row))
  );
}

/** Picks the first value, the last one, and others at equal distances between them. */
export function spread<T>(values: readonly T[], count: number): T[] {
  const step = Math.max(1, (values.length - 1) / (count - 1));
  const places = Array.from({ length: count }, (_, index) => Math.round(index * step));
  return places.flatMap((place) => values[place] ?? []);
}
