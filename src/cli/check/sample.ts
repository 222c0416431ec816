import { type Article, decodeListed, type ListedArticle } from '../../client/article.ts';
import { ArticlesRequestError, InvalidArticlesError } from '../../errors.ts';
import { digestOf } from '../../mirror/article-file.ts';
import type { Check, Sample } from './probe.ts';

const sampleSize = 3;

/** Fetches articles of the first page. A difference that comes from an edit meanwhile does not count. */
export async function fetchSample({ requests, listed, limit }: Check): Promise<Sample> {
  const { client, call } = requests;
  const sample: Sample = { articles: [], different: 0, removed: 0, problems: [] };
  for (const row of spread(listed, sampleSize)) await add(row).catch(addProblem(row.id));
  return sample;

  async function add(row: ListedArticle): Promise<void> {
    const article = await client.getArticle(row.id, call());
    if (article) sample.articles.push(article);
    if (article && !differs(row, article)) return;
    const now = await listAgain(row.id);
    if (article) sample.different += differs(now ?? row, article) ? 1 : 0;
    else if (!now) sample.removed += 1;
    else addReason(row.id, 'it is listed, but its own address responds 404');
  }

  async function listAgain(id: string): Promise<ListedArticle | undefined> {
    const { rows } = await client.listPage({ limit, offset: 0 }, call());
    const again = rows.map((row, index) => decodeListed(row, index + 1));
    return again.filter((row) => 'id' in row).find((row) => row.id === id);
  }

  function addReason(id: string, reason: string): void {
    sample.problems.push({ id, reason });
  }

  function addProblem(id: string) {
    return (error: unknown) => {
      if (error instanceof InvalidArticlesError) {
        const reasons = error.problems.map(({ field, reason }) => `${field}: ${reason}`);
        return addReason(id, reasons.join(', '));
      }
      if (!(error instanceof ArticlesRequestError)) throw error;
      addReason(id, error.message);
    };
  }
}

function differs(row: ListedArticle, article: Article): boolean {
  return row.article !== undefined && digestOf(row.article) !== digestOf(article);
}

/** Picks the first value, the last one, and others at equal distances between them. */
export function spread<T>(values: readonly T[], count: number): T[] {
  const step = Math.max(1, (values.length - 1) / (count - 1));
  const places = Array.from({ length: count }, (_, index) => Math.round(index * step));
  return places.flatMap((place) => values[place] ?? []);
}
