import {
  type Article,
  decodeListed,
  type ListedArticle,
  withRowFields,
} from '../../client/article.ts';
import { ArticlesRequestError, InvalidArticlesError } from '../../errors.ts';
import { digestOf } from '../../mirror/article-file.ts';
import { callTime } from './budget.ts';
import type { Check, Sample } from './probe.ts';

const sampleSize = 3;

/** Fetches articles of the first page. A difference that comes from an edit meanwhile does not count. */
export async function fetchSample({ budget, listed, limit }: Check): Promise<Sample> {
  const { client, within } = budget;
  const rows = spread(listed, sampleSize);
  const fetched = await Promise.all(
    rows.map(async (row) => ({ row, ...(await fetchArticle(row)) })),
  );
  const isSettled = fetched.every((each) => each.status !== 'missing' && !differs(each));
  const later = isSettled ? undefined : await listAgain();

  const sample: Sample = { articles: [], sameAsRow: 0, removed: 0, problems: [] };
  for (const each of fetched) {
    const { id } = each.row;
    if (each.status === 'invalid') {
      sample.problems.push({ id, reason: each.reason });
    } else if (each.status === 'missing') {
      if (later?.has(id) === false) sample.removed += 1;
      else sample.problems.push({ id, reason: 'it is listed, but its own address responds 404' });
    } else {
      const isSame = !differs(each) || !differs({ ...each, row: later?.get(id) ?? each.row });
      sample.articles.push(each.article);
      if (each.row.article && isSame) sample.sameAsRow += 1;
    }
  }
  return sample;

  async function fetchArticle({ id }: ListedArticle): Promise<Fetched> {
    try {
      const article = await client.getArticle(id, within(callTime));
      return article ? { status: 'fetched', article } : { status: 'missing' };
    } catch (error) {
      if (error instanceof InvalidArticlesError) {
        const reasons = error.problems.map(({ field, reason }) => `${field}: ${reason}`);
        return { status: 'invalid', reason: reasons.join(', ') };
      }
      if (!(error instanceof ArticlesRequestError)) throw error;
      return { status: 'invalid', reason: error.message };
    }
  }

  async function listAgain(): Promise<Map<string, ListedArticle>> {
    const page = await client.listPage({ limit, offset: 0 }, within(callTime));
    const again = page.rows.map((row, index) => decodeListed(row, index + 1));
    return new Map(again.flatMap((row) => ('problem' in row ? [] : [[row.id, row] as const])));
  }
}

type Fetched =
  | { status: 'fetched'; article: Article }
  | { status: 'missing' }
  | { status: 'invalid'; reason: string };

function differs({ row, ...fetched }: Fetched & { row: ListedArticle }): boolean {
  if (fetched.status !== 'fetched' || !row.article) return false;
  return digestOf(row.article) !== digestOf(withRowFields(fetched.article, row));
}

/** Picks the first value, the last one, and others at equal distances between them. */
export function spread<T>(values: readonly T[], count: number): T[] {
  if (values.length <= count) return [...values];
  const step = (values.length - 1) / (count - 1);
  const places = Array.from({ length: count }, (_, index) => Math.round(index * step));
  return places.flatMap((place) => values[place] ?? []);
}
