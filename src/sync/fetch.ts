import pLimit from 'p-limit';
import { problemsOf } from '../client/client.ts';
import { type ArticleProblem, ArticlesInvalidError, ArticlesListingError } from '../errors.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { ListedRow } from './list.ts';
import type { Load } from './load.ts';
import { type FetchedVersion, fetchVersion, prepareVersion, type Version } from './version.ts';

/** The articles of a load, fetched where their row proves nothing, and rendered. */
export interface FetchedArticles {
  /** By id, each with its newest usable version. */
  versions: Map<string, Version>;
  /** Ids whose newest version cannot be used. */
  unusable: Set<string>;
  /** By id, why versions cannot be used. */
  problems: Map<string, ArticleProblem[]>;
  /** Ids of fetched articles. */
  found: Set<string>;
  /** Ids for which the service responded 404 or 410, twice. */
  missing: Set<string>;
}

/** The minimum number of failures, without any success, for a first load to fail. */
const minFirstFailures = 3;
/** The number of failures, without any success, after which a first load stops early. */
const maxFirstFailures = 20;

/**
 * Fetches the articles whose row has no current version, and renders all. The failure of one article is a problem of
 * that article, and its earlier version is used.
 *
 * @param rows those of the listing, and of articles that the listing lacks
 * @param earlier the versions that may be used instead
 * @throws the first failure that affects more than one article
 */
export async function fetchAndRender(
  rows: readonly ListedRow[],
  earlier: ReadonlyMap<string, IndexedArticle>,
  load: Load,
): Promise<FetchedArticles> {
  const { client, call, before, options } = load;
  const isFirstLoad = before.size === 0;
  const result: FetchedArticles = {
    versions: new Map(),
    unusable: new Set(),
    problems: new Map(),
    found: new Set(),
    missing: new Set(),
  };
  const failures: unknown[] = [];
  const toFetch = rows.filter(({ current }) => !current).length;
  let fetched = 0;
  if (toFetch > 0) load.onProgress({ toFetch });
  // Twice as many articles as requests: while half of them render, the others wait for the network.
  const limit = pLimit(2 * options.concurrency);

  /** Prepares the newest version, or the one before it when the newest cannot be used. */
  async function prepareNewest(row: ListedRow): Promise<void> {
    const { id, current } = row;
    const newest = current ? { article: current } : await fetchOnce(row);
    if (newest && (await addVersion(newest.article, { ...newest, row }))) return;
    result.unusable.add(id);
    const known = earlier.get(id);
    if (known && known.digest !== newest?.article.digest) await addVersion(known, {});
  }

  async function fetchOnce(row: ListedRow): Promise<FetchedVersion | undefined> {
    try {
      const version = await fetchVersion(row, load);
      result[version ? 'found' : 'missing'].add(row.id);
      return version;
    } catch (error) {
      if (!(error instanceof ArticlesInvalidError)) failures.push(error);
      if (isFirstLoad && failures.length >= maxFirstFailures) checkFirstLoad(result, failures);
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
    source: Parameters<typeof prepareVersion>[2],
  ): Promise<boolean> {
    try {
      result.versions.set(article.id, await prepareVersion(article, load, source));
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
    const problems = await problemsOf(error, { id, probe });
    result.problems.set(id, [...(result.problems.get(id) ?? []), ...problems]);
  }

  try {
    await limit.map(rows, prepareNewest);
  } catch (error) {
    limit.clearQueue();
    throw error;
  }
  if (isFirstLoad) checkFirstLoad(result, failures);
  return result;
}

/**
 * Fails a first load in which no article could be fetched, because the service, and not the articles, is the
 * cause.
 */
function checkFirstLoad({ found, missing }: FetchedArticles, failures: readonly unknown[]): void {
  if (found.size > 0) return;
  if (failures.length >= minFirstFailures) throw failures[0];
  if (failures.length === 0 && missing.size >= minFirstFailures) throw allMissing(missing.size);
}

function allMissing(count: number): ArticlesListingError {
  return new ArticlesListingError(
    'articles-missing',
    `The service lists ${count} articles, and responds 404 to the request for each of them.`,
    { hint: 'Check `baseUrl`, and whether the API key may read single articles.' },
  );
}
