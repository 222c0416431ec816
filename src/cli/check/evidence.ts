import {
  type Article,
  decodeListed,
  type ListedArticle,
  withRowFields,
} from '../../client/article.ts';
import { withSmallerPages } from '../../client/listing/smaller-pages.ts';
import { ArticlesError, quote } from '../../errors.ts';
import { digestOf } from '../../mirror/stored-article.ts';
import type { ArticlesOptions, ResolvedOptions } from '../../options/options.ts';
import type { Requests } from './requests.ts';

/** What the service has sent, and what probes found out about it. */
export type Evidence = Awaited<ReturnType<typeof readFirstPage>>;

const sampleSize = 3;

/** Requests the first page like a build. */
export async function readFirstPage(requests: Requests, options: ResolvedOptions) {
  const until = requests.call();
  const request = withSmallerPages((query) => requests.client.listPage(query, until));
  const page = await request({ offset: 0, limit: options.pageSize });
  const rows = page.rows.map((row, index) => decodeListed(row, index + 1));
  const listed = rows.flatMap((row) => ('problem' in row ? [] : [row]));
  const inRows = listed.flatMap(({ article }) => article ?? []);
  let fetched: ReturnType<typeof fetchSample> | undefined;

  /** Fetches some articles one by one, once for all probes. */
  function sample() {
    fetched ??= fetchSample(requests, listed);
    return fetched;
  }

  const suggested: ArticlesOptions = { baseUrl: options.baseUrl };
  return {
    requests,
    options,
    page,
    listed,
    /** The articles of rows that have all four fields. */
    inRows,
    badRows: rows.flatMap((row) => ('problem' in row ? [row.problem] : [])),
    sample,
    /** Returns the articles whose text is known: all those of the rows, or the sample. */
    articles: async () => (inRows.length > 0 ? inRows : (await sample()).articles),
    /** Whether the order of the rows depends on the request, so that articles can be missing. */
    isUnordered: false,
    /** The options that suit the service. Probes add to it. */
    suggested,
  };
}

/** @returns the articles, how many of them differ from their row, and why others cannot be used */
async function fetchSample({ client, call }: Requests, listed: readonly ListedArticle[]) {
  const articles: Article[] = [];
  const problems: string[] = [];
  let different = 0;
  for (const row of spread(listed, sampleSize)) {
    try {
      const article = await client.getArticle(row.id, call());
      if (!article) {
        problems.push(`${quote(row.id)} is listed, but the service responds 404 for it`);
        continue;
      }
      articles.push(article);
      const whole = withRowFields(article, row);
      if (row.article && digestOf(row.article) !== digestOf(whole)) different += 1;
    } catch (error) {
      if (!ArticlesError.is(error)) throw error;
      problems.push(error.message);
    }
  }
  return { articles, different, problems };
}

/** Picks the first value, the last one, and others at equal distances between them. */
export function spread<T>(values: readonly T[], count: number): T[] {
  const step = Math.max(1, (values.length - 1) / Math.max(1, count - 1));
  const places = Array.from({ length: count }, (_, index) => Math.round(index * step));
  return places.map((place) => values[place]).filter((value) => value !== undefined);
}
