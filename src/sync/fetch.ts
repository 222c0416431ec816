import pLimit from 'p-limit';
import { problemsOf } from '../client/client.ts';
import { type ArticleProblem, ArticlesInvalidError, ArticlesListingError } from '../errors.ts';
import type { IndexedArticle } from '../mirror/formats.ts';
import type { ListedRow } from './list.ts';
import type { Load } from './load.ts';
import { fetchVersion, prepareVersion, type Version } from './version.ts';

/** The articles of a load, fetched where their row proves nothing, and rendered. */
export type FetchedArticles = Awaited<ReturnType<typeof fetchAndRender>>;

/** The minimum number of failures, without any success, for a first load to fail. */
const minFirstFailures = 3;
/** The number of failures, without any success, after which a first load stops early. */
const maxFirstFailures = 20;

/**
 * Fetches the articles whose row has no current version, and renders all. The failure of one article is a problem of
 * that article, and its earlier version is used, unless the key has changed.
 *
 * @param rows those of the listing, and of articles that the listing lacks
 * @throws the first failure that affects more than one article
 */
export async function fetchAndRender(rows: readonly ListedRow[], load: Load) {
  const { client, mirror, call, before, options } = load;
  const isFirstLoad = before.size === 0;
  /** By id, each with its newest usable version. */
  const versions = new Map<string, Version>();
  /** By id, why versions cannot be used. */
  const problems = new Map<string, ArticleProblem[]>();
  /** Ids of fetched articles. */
  const found = new Set<string>();
  /** Ids for which the service responded 404 or 410, twice. */
  const missing = new Set<string>();
  const failures: unknown[] = [];
  const toFetch = rows.filter(({ current }) => !current).length;
  let fetched = 0;
  if (toFetch > 0) load.onProgress({ toFetch });
  // Twice as many articles as requests: while half of them render, the others wait for the network.
  const limit = pLimit(2 * options.concurrency);

  /** Prepares the newest version, or the one before it when the newest cannot be used. */
  async function prepareNewest(row: ListedRow): Promise<void> {
    const newest = row.current ? { article: row.current } : await fetchOnce(row);
    if (newest && (await addVersion(newest.article, { ...newest, row }))) return;
    const known = mirror.isSameKey(options.apiKey) ? before.get(row.id) : undefined;
    if (known && known.digest !== newest?.article.digest) await addVersion(known);
  }

  async function fetchOnce(row: ListedRow) {
    try {
      const version = await fetchVersion(row, load);
      (version ? found : missing).add(row.id);
      return version;
    } catch (error) {
      if (!(error instanceof ArticlesInvalidError)) failures.push(error);
      if (isFirstLoad && failures.length >= maxFirstFailures) checkFirstLoad();
      await addProblems(error, row.id);
      return undefined;
    } finally {
      fetched += 1;
      load.onProgress({ fetched });
    }
  }

  /** Prepares a version and adds it to the result; false when it cannot be used. */
  async function addVersion(
    article: IndexedArticle,
    source?: Parameters<typeof prepareVersion>[2],
  ): Promise<boolean> {
    try {
      versions.set(article.id, await prepareVersion(article, load, source));
      return true;
    } catch (error) {
      await addProblems(error, article.id);
      return false;
    }
  }

  /** Adds the problems of one article after a failure. */
  async function addProblems(error: unknown, id: string): Promise<void> {
    call.signal.throwIfAborted();
    const probe = client && (() => client.listPage({ limit: 1 }, call));
    const added = await problemsOf(error, { id, probe });
    problems.set(id, [...(problems.get(id) ?? []), ...added]);
  }

  /** Fails a first load in which no article could be fetched: the service, and not the articles, is the cause. */
  function checkFirstLoad(): void {
    if (found.size > 0) return;
    if (failures.length >= minFirstFailures) throw failures[0];
    if (failures.length > 0 || missing.size < minFirstFailures) return;
    throw new ArticlesListingError(
      'articles-missing',
      `The service lists ${missing.size} articles, and responds 404 to the request for each of them.`,
      { hint: 'Check `baseUrl`, and whether the API key may read single articles.' },
    );
  }

  try {
    await limit.map(rows, prepareNewest);
  } catch (error) {
    limit.clearQueue();
    throw error;
  }
  if (isFirstLoad) checkFirstLoad();
  return { versions, problems, found, missing };
}
