import pLimit from 'p-limit';
import { problemsOf } from '../client/article-problems.ts';
import { type ArticleProblem, ArticlesInvalidError, ArticlesListingError } from '../errors.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { StoredArticle } from '../mirror/stored-article.ts';
import type { ListedRow } from './list.ts';
import type { FetchedVersion, PreparedVersion, Preparer, PreparerOptions } from './prepare.ts';

/** The result of preparing the articles of a load. */
export interface PreparedArticles {
  /** By id, each with its newest usable version. */
  versions: Map<string, PreparedVersion>;
  /** Ids of articles for which the service responded 404 or 410, twice. */
  responded404: Set<string>;
  /** Ids of fetched articles. */
  found: Set<string>;
  problems: ArticleProblem[];
  /** Fields that are ignored because of their type. */
  notes: ArticleProblem[];
}

export interface PrepareAllOptions extends Pick<PreparerOptions, 'client' | 'deadline' | 'signal'> {
  preparer: Preparer;
  /** The number of concurrent requests. */
  concurrency: number;
  /** The mirror's articles, by id. */
  before: ReadonlyMap<string, IndexedArticle>;
  onFetched?: () => void;
}

/** The minimum number of failures, without any success, for a first load to fail. */
const minFirstFailures = 3;
/** The number of failures, without any success, after which a first load stops early. */
const maxFirstFailures = 20;

/**
 * Prepares the articles of a load, and fetches those whose row has no current version. The failure of one article is a
 * problem of that article.
 *
 * @throws the first failure that affects more than one article
 */
export async function prepareAll(
  rows: readonly ListedRow[],
  options: PrepareAllOptions,
): Promise<PreparedArticles> {
  const { preparer, client, signal, deadline, before, onFetched } = options;
  const isFirstLoad = before.size === 0;
  const result: PreparedArticles = {
    versions: new Map(),
    responded404: new Set(),
    found: new Set(),
    problems: [],
    notes: [],
  };
  const failures: unknown[] = [];
  // Twice as many articles as requests: while half of them render, the others wait for the network.
  const limit = pLimit(2 * options.concurrency);

  /** Prepares the newest version, or the one before it when the newest cannot be used. */
  async function prepareNewest(row: ListedRow): Promise<void> {
    const { id, stored } = row;
    const fetched = stored ? undefined : await fetchOnce(row);
    if (fetched && (await addVersion(fetched.article, fetched.text))) return;
    const known = stored ?? before.get(id);
    if (known) await addVersion(known);
  }

  async function fetchOnce(row: ListedRow): Promise<FetchedVersion | undefined> {
    const { id } = row;
    try {
      const fetched = await preparer.fetchVersion(row, before.get(id));
      result[fetched ? 'found' : 'responded404'].add(id);
      result.notes.push(...(fetched?.notes ?? []));
      return fetched;
    } catch (error) {
      if (!(error instanceof ArticlesInvalidError)) failures.push(error);
      if (isFirstLoad && failures.length >= maxFirstFailures) checkFirstLoad(result, failures);
      await addProblems(error, id);
      return undefined;
    } finally {
      onFetched?.();
    }
  }

  /** Prepares a version and adds it to the result; false when it cannot be used. */
  async function addVersion(article: IndexedArticle, text?: StoredArticle): Promise<boolean> {
    const { id } = article;
    try {
      result.versions.set(id, await preparer.prepareVersion(article, text));
      return true;
    } catch (error) {
      await addProblems(error, id);
      return false;
    }
  }

  /** Adds the problems of one article after a failure. */
  async function addProblems(error: unknown, id: string): Promise<void> {
    signal.throwIfAborted();
    const probe = client && (() => client.listPage({ limit: 1 }, { signal, deadline }));
    result.problems.push(...(await problemsOf(error, { id, probe })));
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
function checkFirstLoad(
  { found, responded404 }: PreparedArticles,
  failures: readonly unknown[],
): void {
  if (found.size > 0) return;
  if (failures.length >= minFirstFailures) throw failures[0];
  if (failures.length === 0 && responded404.size >= minFirstFailures)
    throw allMissing(responded404.size);
}

function allMissing(count: number): ArticlesListingError {
  return new ArticlesListingError(
    'articles-missing',
    `The service lists ${count} articles, and responds 404 to the request for each of them.`,
    { hint: 'Check `baseUrl`, and whether the API key may read single articles.' },
  );
}
