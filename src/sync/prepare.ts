import pLimit from 'p-limit';
import { type Article, withRowFields } from '../client/article.ts';
import { isArticleFailure, mayBeArticleFailure } from '../client/article-problems.ts';
import type { ArticlesClient } from '../client/client.ts';
import { type ArticleProblem, ArticlesListingError, InvalidArticlesError } from '../errors.ts';
import { type StoredArticle, storedArticle } from '../mirror/article-file.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { indexArticle, isShown } from './indexed-article.ts';
import type { ListedRow } from './list.ts';
import type { Renderer, Rendering } from './renderer.ts';
import type { ApplyTransform } from './transform.ts';

/** A version of an article that is ready to be shown. */
export interface ReadyVersion {
  /** The article as the mirror has it. */
  article: IndexedArticle;
  /** The article as the site shows it: the same, unless `transform` changed it. Absent when it is not shown. */
  shown?: IndexedArticle;
  /** The content hash of its rendering; absent when it is not shown, or nothing renders. */
  renderingHash?: string;
  /** What the rendering found in addition to the text, when it was made in this load. */
  outline?: Outline;
  /** The rendering, when it was made in this load and `keepRenderings` is set. */
  rendering?: Rendering;
}

/** A rendering without its text. */
export type Outline = Pick<
  Rendering,
  'title' | 'description' | 'words' | 'extra' | 'images' | 'dropped'
>;

/** The result of preparing the articles of a load. */
export interface Prepared {
  /** By id, each with its newest usable version. */
  versions: Map<string, ReadyVersion>;
  /** Ids whose own address responded 404, each twice. */
  missing: Set<string>;
  /** Ids whose own address responded with an article. */
  found: Set<string>;
  problems: ArticleProblem[];
  /** Fields that have an unknown type and are left out. The article is used. */
  notes: ArticleProblem[];
}

/** How far a load is. */
export interface LoadProgress {
  /** Articles listed so far. */
  listed: number;
  /** The number of articles that have to be fetched. */
  toFetch: number;
  fetched: number;
}

export interface PrepareOptions {
  mirror: Mirror;
  /** Absent when no request may be made. */
  client?: ArticlesClient;
  /** Absent when only the mirror is filled. */
  renderer?: Renderer | undefined;
  transform?: ApplyTransform | undefined;
  drafts: 'skip' | 'include';
  /** Whether renderings stay in memory, because Astro's store needs them. */
  keepRenderings: boolean;
  /** Articles that are prepared at the same time: while one renders, others wait for the network. */
  concurrency: number;
  deadline: number;
  signal: AbortSignal;
}

/** An article to prepare. */
export interface Task {
  id: string;
  /** The row to fetch the article of; absent when the mirror has the current version. */
  row?: ListedRow | undefined;
  /** The version that the mirror has, or had before this load. */
  known?: IndexedArticle | undefined;
}

/** From this number of failures on, without a single success, the first load of a service fails. */
const suspiciousFailures = 3;
const hopelessFailures = 20;

export type Preparer = ReturnType<typeof createPreparer>;

/** Fetches, stores and renders articles. The failure of one article is a problem of that article. */
export function createPreparer(options: PrepareOptions) {
  const { mirror, client, renderer, transform, deadline, signal } = options;

  /** Prepares all articles of a plan. Rejects with the first failure that is not one article's own. */
  async function prepareAll(tasks: readonly Task[], onFetched?: () => void): Promise<Prepared> {
    const result: Prepared = {
      versions: new Map(),
      missing: new Set(),
      found: new Set(),
      problems: [],
      notes: [],
    };
    const failures: unknown[] = [];
    const limit = pLimit(options.concurrency);

    /** Prepares the newest version, or the one before it when the newest cannot be used. */
    async function prepare(task: Task): Promise<void> {
      const fetched = task.row ? await fetchOnce(task) : undefined;
      if (fetched && (await isReady(task, fetched.article, fetched.text))) return;
      if (task.known) await isReady(task, task.known);
    }

    async function fetchOnce({ id, row }: Task): Promise<FetchedVersion | undefined> {
      try {
        const fetched = await fetchVersion(id, row);
        result[fetched ? 'found' : 'missing'].add(id);
        result.notes.push(...(fetched?.notes ?? []));
        return fetched;
      } catch (error) {
        if (!(error instanceof InvalidArticlesError)) failures.push(error);
        if (failures.length >= hopelessFailures) checkFirstLoad(result, failures);
        result.problems.push(...(await problemsOf(error, id)));
        return undefined;
      } finally {
        onFetched?.();
      }
    }

    async function isReady(task: Task, article: IndexedArticle, text?: StoredArticle) {
      try {
        result.versions.set(task.id, await ready(article, text));
        return true;
      } catch (error) {
        if (!(error instanceof InvalidArticlesError)) throw error;
        result.problems.push(...error.problems);
        return false;
      }
    }

    try {
      await limit.map(tasks, prepare);
    } catch (error) {
      limit.clearQueue();
      throw error;
    }
    checkFirstLoad(result, failures);
    return result;
  }

  /** A service that has never responded with an article is at fault itself, not its articles. */
  function checkFirstLoad({ found, missing }: Prepared, failures: readonly unknown[]): void {
    if (mirror.index.articles.length > 0 || found.size > 0) return;
    if (failures.length >= suspiciousFailures) throw failures[0];
    if (failures.length === 0 && missing.size >= suspiciousFailures) throw allMissing(missing.size);
  }

  /** Fetches an article and writes it to the mirror; undefined when the service does not have it. */
  async function fetchVersion(id: string, row?: ListedRow): Promise<FetchedVersion | undefined> {
    const fetched = await client?.getArticle(id, { signal, deadline });
    if (!fetched) return undefined;
    const article = row?.extra ? withRowFields(fetched, { extra: row.extra }) : fetched;
    const object = await mirror.writeArticle(article);
    const rowOf = (digest: string) => (row?.digest === digest ? 'matched' : undefined);
    return {
      article: indexArticle(article, { object, rowOf }),
      text: storedArticle(article),
      notes: article.notes,
    };
  }

  /**
   * Makes a version ready to be shown: transformed and rendered.
   *
   * @throws {InvalidArticlesError} when it cannot be transformed or rendered, or its text is lost
   */
  async function ready(
    article: IndexedArticle,
    given?: StoredArticle,
    { again = false } = {},
  ): Promise<ReadyVersion> {
    signal.throwIfAborted();
    if (!transform && !again) {
      if (!isShown(article, options)) return { article };
      if (!renderer) return { article, shown: article };
      const kept = renderer.find(article);
      if (kept) return { article, shown: article, renderingHash: kept };
    }
    const { text, ...version } = await withText(article, given);
    const presented = transform
      ? await transform(version.article, text)
      : { shown: version.article, text };
    if (!presented || !isShown(presented.shown, options)) return version;
    const { shown } = presented;
    if (!renderer) return { ...version, shown };
    const kept = again ? undefined : renderer.find(shown);
    if (kept) return { ...version, shown, renderingHash: kept };
    const { hash, rendering } = await renderer.render(shown, presented.text);
    const { title, description, words, extra, images, dropped } = rendering;
    const outline = { title, description, words, extra, images, dropped };
    const made = { ...version, shown, renderingHash: hash, outline };
    return options.keepRenderings ? { ...made, rendering } : made;
  }

  /**
   * Returns the rendering of a version. One whose file is missing or corrupt is made again.
   *
   * @throws {InvalidArticlesError} when it cannot be rendered, or its text is lost
   */
  async function renderingOf(version: ReadyVersion): Promise<Rendering> {
    const { article, shown, rendering } = version;
    const kept = rendering ?? (shown && (await renderer?.read(shown)));
    if (kept) return kept;
    const made = await ready(article, undefined, { again: true });
    const read = made.rendering ?? (made.shown && (await renderer?.read(made.shown)));
    if (read) return read;
    throw new InvalidArticlesError([{ id: article.id, reason: 'its rendered text was lost' }]);
  }

  /** Reads the text of an article; one that is lost or corrupt is fetched again. */
  async function withText(article: IndexedArticle, given?: StoredArticle) {
    const text = given ?? (await mirror.readArticle(article.object));
    if (text) return { article, text };
    const fetched = await fetchVersion(article.id);
    if (fetched) return fetched;
    throw new InvalidArticlesError([
      { id: article.id, reason: 'its file in the mirror is missing or corrupt' },
    ]);
  }

  /**
   * Reads from a failure what is wrong with one article. When the failure may be the service's, the
   * service is tried with another request: if that succeeds, the failure is the article's own.
   *
   * @throws the failure, when it is the service's
   */
  async function problemsOf(error: unknown, id: string): Promise<readonly ArticleProblem[]> {
    signal.throwIfAborted();
    if (error instanceof InvalidArticlesError) return error.problems;
    if (!mayBeArticleFailure(error)) throw error;
    if (!isArticleFailure(error)) {
      await client?.listPage({ limit: 1 }, { signal, deadline }).catch(() => {
        throw error;
      });
    }
    return [{ id, reason: error instanceof Error ? error.message : String(error) }];
  }

  return { prepareAll, ready, renderingOf };
}

interface FetchedVersion {
  article: IndexedArticle;
  text: StoredArticle;
  notes?: Article['notes'];
}

function allMissing(count: number): ArticlesListingError {
  return new ArticlesListingError(
    'articles-missing',
    `The service lists ${count} articles, and responds 404 to the request for each of them.`,
    { hint: 'Check `baseUrl`, and whether the API key may read single articles.' },
  );
}
