import pLimit from 'p-limit';
import { noticesOfFailure } from '../client/client.ts';
import { ArticlesInvalidError, type Notice } from '../errors.ts';
import type { IndexedArticle, StoredArticle } from '../mirror/formats.ts';
import type { Finding } from '../shared/finding.ts';
import { unsigned } from '../shared/image-url.ts';
import type { Version } from './article-version.ts';
import { fetchVersion } from './fetch-version.ts';
import type { Load } from './load.ts';
import { prepareVersion } from './prepare-version.ts';
import type { ListedRow } from './rows.ts';

/** The articles of a load, fetched where their row proves nothing, and rendered. */
export type FetchedArticles = Awaited<ReturnType<typeof fetchAndRender>>;

/** A version that may be shown. Its text is read from the mirror where it is needed, and not given. */
interface Candidate {
  article: IndexedArticle;
  text?: StoredArticle;
}

/** The minimum number of failures, without any success, for a first load to fail. */
const minFirstFailures = 3;
/** The number of failures, without any success, after which a first load stops early. */
const maxFirstFailures = 20;

/**
 * Fetches the articles whose row has no current version, and renders all. The failure of one article is a problem of
 * that article, and its earlier version is used.
 *
 * @param rows the rows of the listing, and of the articles that it lacks
 * @throws the first failure that affects more than one article
 */
export async function fetchAndRender(rows: readonly ListedRow[], load: Load) {
  const { client, call, before, mirror, options, idsWithOldUrls } = load;
  const isFirstLoad = before.size === 0;
  /** By id, each with its newest usable version. */
  const versions = new Map<string, Version>();
  /** By id, why versions cannot be used. */
  const problems = new Map<string, Notice[]>();
  /** About articles that can be used. */
  const notices: Finding[] = [];
  /** Ids of fetched articles. */
  const found = new Set<string>();
  /** Ids for which the service responded 404 or 410, twice. */
  const notFound = new Set<string>();
  const failures: unknown[] = [];
  const toFetch = rows.filter(({ current }) => !current).length;
  let fetched = 0;
  if (toFetch > 0) load.onProgress({ toFetch });
  // Twice as many articles as requests: while half of them render, the other half waits for the network.
  const limit = pLimit(2 * options.concurrency);

  /** Prepares the newest version, or the version before it when the newest cannot be used. */
  async function prepareNewest(row: ListedRow): Promise<void> {
    const { id, current } = row;
    const newest = current ? { article: current } : await fetchOnce(row);
    const isUsed = newest !== undefined && (await addVersion(newest));
    const isCorrupt = current !== undefined && !isUsed && isLost(current);
    const isExpired = isUsed && idsWithOldUrls.has(id) && lacksSignature(versions.get(id), load);
    if (isCorrupt || isExpired) return prepareNewest({ ...row, current: undefined });
    const known = before.get(id);
    if (!isUsed && known && known.record !== newest?.article.record)
      await addVersion({ article: known });
  }

  async function fetchOnce(row: ListedRow) {
    try {
      const version = await fetchVersion(row, load);
      (version ? found : notFound).add(row.id);
      notices.push(...(version?.notices ?? []));
      return version;
    } catch (error) {
      await addFailure(error, row);
      return undefined;
    } finally {
      fetched += 1;
      // An article whose cover has an expired signature is fetched, too.
      load.onProgress({ fetched, toFetch: Math.max(toFetch, fetched) });
    }
  }

  async function addFailure(error: unknown, { id, isUnlisted }: ListedRow): Promise<void> {
    call.signal.throwIfAborted();
    // The site has no version of it that it could show, so the reason does not matter.
    if (isUnlisted && !before.has(id)) return;
    if (!(error instanceof ArticlesInvalidError)) failures.push(error);
    if (isFirstLoad && failures.length >= maxFirstFailures) checkFirstLoad();
    await addProblems(error, id);
  }

  /** Prepares a version and adds it to the result; false when it cannot be used. */
  async function addVersion({ article, text }: Candidate): Promise<boolean> {
    try {
      versions.set(article.id, await prepareVersion(article, load, text));
      return true;
    } catch (error) {
      if (!isLost(article)) await addProblems(error, article.id);
      return false;
    }
  }

  /** Returns whether the text of a version is corrupt, which the mirror knows once it was read, and can be fetched again. */
  function isLost({ record }: IndexedArticle): boolean {
    return client !== undefined && !mirror.has(record);
  }

  /** Adds the problems of one article after a failure. */
  async function addProblems(error: unknown, id: string): Promise<void> {
    call.signal.throwIfAborted();
    const probe = client && (() => client.listPage({ limit: 1 }, call));
    const added = await noticesOfFailure(error, { id, probe });
    problems.set(id, [...(problems.get(id) ?? []), ...added]);
  }

  /** Fails a first load without any article after several failures: the service, and not the articles, is the cause. */
  function checkFirstLoad(): void {
    if (versions.size === 0 && failures.length >= minFirstFailures) throw failures[0];
  }

  await limit.map(rows, prepareNewest).finally(() => limit.clearQueue());
  if (isFirstLoad) checkFirstLoad();
  return { versions, problems, notices, found, notFound };
}

/**
 * Returns whether the cover of an article has to be downloaded from a signed URL of an earlier load, which may have expired.
 * A new signature costs a request for the article.
 */
function lacksSignature(
  version: Version | undefined,
  { mirror, options, before }: Pick<Load, 'mirror' | 'options' | 'before'>,
): boolean {
  if (!version || 'leftOut' in version || options.images.covers !== 'local') return false;
  const { cover } = version.transformed;
  const key = unsigned(cover ?? '');
  const image = mirror.index.images.get(key);
  if (key === (cover ?? '') || (image && mirror.hasImage(image))) return false;
  return before.get(version.article.id)?.cover === cover;
}
