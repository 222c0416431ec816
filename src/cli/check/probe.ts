import pLimit from 'p-limit';
import { type Article, withRowFields } from '../../client/article.ts';
import { type ArticlesClient, createArticlesClient } from '../../client/client.ts';
import { readListing } from '../../client/listing/reading.ts';
import { ArticlesError, ArticlesRequestError, messageOf } from '../../errors.ts';
import { digestOf } from '../../mirror/stored-article.ts';
import type { ResolvedOptions } from '../../options/options.ts';
import { systemClock } from '../../shared/clock.ts';
import type { ListedRow } from '../../sync/list.ts';
import { type Sample, spread } from '../../sync/sample.ts';

/** What is known about a service after some rows were read. */
export interface Facts extends Sample {
  options: Pick<ResolvedOptions, 'pageSize' | 'rows' | 'order' | 'newest' | 'bodies'>;
  /** The rows whose articles were fetched one by one. */
  fetched: readonly FetchedRow[];
  /** The ids in a second reading, in pages that are cut elsewhere, or why it failed. */
  again: readonly string[] | string;
  /** The most rows that a page contained, if more followed; undefined when a page had all that were requested. */
  pageLength?: number | undefined;
  /** The status of the response to a wrong key, or why there was none. */
  wrongKey: number | string;
}

/** A row whose article was requested. */
export interface FetchedRow {
  row: ListedRow;
  article?: Article;
  /** Whether the row is the whole article. */
  isWhole?: boolean;
  /** Why there is no article. */
  problem?: string;
}

const wrongKey = 'astro-articles-check-sends-a-wrong-key';
const timeLimit = 60_000;
/** Requests what the rows alone do not show. No failure of the service fails it. */
export async function probe(
  { options, ...sample }: Sample & { options: ResolvedOptions },
  articles: number,
): Promise<Facts> {
  const call = { deadline: systemClock.now() + timeLimit };
  const settings = { ...options, timeout: Math.min(options.timeout, 10_000), retries: 1 };
  const clientWith = (apiKey: string) =>
    createArticlesClient({ ...settings, apiKey }, { countThrottled: true });
  const client = clientWith(options.apiKey);
  const { rows } = sample;
  const limit = Math.ceil(Math.min((options.pageSize * 2) / 3, rows.length / 2 + 1, rows.length));
  let longest = 0;

  /** Notes how long pages are that others follow. */
  const listPage: ArticlesClient['listPage'] = async (query = {}, page) => {
    const received = await client.listPage(query, page);
    const end = (query.offset ?? 0) + received.rows.length;
    const hasMore = received.more ?? end < (received.count ?? rows.length);
    if (hasMore || received.rows.length >= limit) longest = Math.max(longest, received.rows.length);
    return received;
  };

  const again = await readListing(
    { listPage },
    { ...options, pageSize: limit, newest: rows.length, call },
  ).then(({ ids }) => ids, failureOf);
  const refused = await clientWith(wrongKey)
    .listPage({ limit: 1 }, call)
    .then(() => 200, statusOf);
  const queue = pLimit(options.concurrency);
  const fetched = await queue.map(spread(rows, articles), (row) => fetchRow(row, client));
  const pageLength = longest > 0 && longest < limit ? longest : undefined;
  return { ...sample, options, fetched, again, pageLength, wrongKey: refused };
}

async function fetchRow(row: ListedRow, client: ArticlesClient): Promise<FetchedRow> {
  try {
    const article = await client.getArticle(row.id, { deadline: systemClock.now() + timeLimit });
    if (!article) return { row, problem: 'the service responds 404' };
    return { row, article, isWhole: digestOf(withRowFields(article, row)) === row.digest };
  } catch (error) {
    return { row, problem: failureOf(error) };
  }
}

/** @throws the error, if the service is not its cause */
function failureOf(error: unknown): string {
  if (!ArticlesError.is(error)) throw error;
  return messageOf(error);
}

function statusOf(error: unknown): number | string {
  const message = failureOf(error);
  return (error instanceof ArticlesRequestError && error.status) || message;
}
