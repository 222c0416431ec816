import { type Article, isDraft, type ListedArticle } from '../client/article.ts';
import { problemsOf } from '../client/article-problems.ts';
import type { ArticlesClient } from '../client/client.ts';
import { type ArticleProblem, ArticlesListingError } from '../errors.ts';
import { digestOf, packArticle, type StoredArticle } from '../mirror/article-file.ts';
import type { MirrorArticle } from '../mirror/index-file.ts';
import { isDamage, type Mirror } from '../mirror/mirror.ts';
import {
  createKnownRows,
  type KnownRows,
  listedAs,
  type RowFacts,
  type WaitingRow,
} from './known-rows.ts';
import { createQueue } from './queue.ts';

export interface IntakeOptions {
  client: ArticlesClient;
  mirror: Mirror;
  /** The mirror's articles before this sync, by id. */
  before: ReadonlyMap<string, MirrorArticle>;
  trustList: boolean;
  concurrency: number;
  deadline: number;
  signal: AbortSignal;
  /** Given each article as soon as it is known. */
  onArticle: Prepare;
  /** Told when nothing more can come of this sync. */
  onFatal: (error: unknown) => void;
  onProgress?: ((progress: SyncProgress) => void) | undefined;
}

/**
 * Makes an article ready for the site, from its text where that is at hand. An `InvalidArticlesError` is
 * a problem of that article alone.
 *
 * @returns the addresses of the images in its body that are to be kept, too
 */
export type Prepare = (
  article: MirrorArticle,
  stored?: StoredArticle,
) => Promise<readonly string[] | undefined>;

/** How far a sync is. */
export interface SyncProgress {
  /** Articles listed so far. */
  listed: number;
  /** Of those, the ones that have to be fetched. */
  toFetch: number;
  fetched: number;
}

export interface Intake {
  take: KnownRows['take'];
  /**
   * Takes rows of the listing: what changed is fetched, what did not costs nothing. Resolves when there
   * is room for more.
   */
  rows(rows: ListedArticle<RowFacts>[]): Promise<void>;
  /** Waits for all that is under way, and rejects with the first failure. */
  finish(): Promise<Harvest>;
  /** Waits until nothing is under way any more, whatever came of it. */
  settled(): Promise<void>;
}

export interface Harvest {
  /** By id, each as it now stands in the mirror's files. */
  articles: Map<string, MirrorArticle>;
  /** Ids that were listed, but that the service does not have. */
  missing: Set<string>;
  problems: ArticleProblem[];
}

/** What a row of the listing leaves to be done. */
interface Job {
  id: string;
  /** The row, when it holds a whole article. */
  row?: WaitingRow | undefined;
  /** What it says, when it is trusted. */
  trusted?: Article | undefined;
  /** Whether the article is fetched once more, since its file was damaged. */
  again?: boolean | undefined;
}

/** A job whose article is in the mirror. */
interface StoredJob extends Omit<Job, 'trusted'> {
  article: MirrorArticle;
  /** Its text, when it came just now. */
  stored?: StoredArticle | undefined;
}

/** Making articles ready takes the processor, so more at once would only take memory. */
const preparedAtOnce = 4;

/** Texts that may wait in memory to be written, or to be made ready. */
const mostTexts = 100;

/** So many details that are all missing say that the address is wrong, not that articles went. */
const suspiciousMisses = 3;

export function createIntake(options: IntakeOptions): Intake {
  const { client, mirror, before, trustList, signal, deadline } = options;
  const articles = new Map<string, MirrorArticle>();
  const missing = new Set<string>();
  const problems = new Map<string, ArticleProblem[]>();
  const known = createKnownRows(options);
  /** The digest of the row that was last seen of each article. */
  const seen = new Map<string, string | undefined>();
  const progress = { listed: 0, toFetch: 0, fetched: 0 };
  let failure: { error: unknown } | undefined;
  // The client bounds the requests; one article is written while the next is asked for.
  const toStore = createQueue<Job>(orFail(store), 2 * options.concurrency);
  const toPrepare = createQueue<StoredJob>(orFail(prepare), preparedAtOnce);

  async function rows(listed: ListedArticle<RowFacts>[]): Promise<void> {
    if (signal.aborted) return;
    for (const row of listed) takeRow(row);
    options.onProgress?.(progress);
    if (trustList) await toStore.room(mostTexts);
  }

  function takeRow({ id, idType, article }: ListedArticle<RowFacts>): void {
    const isFirst = !seen.has(id);
    if (isFirst) progress.listed += 1;
    // A second walk lists most articles again just as they were.
    else if (seen.get(id) === article?.digest) return;
    seen.set(id, article?.digest);
    missing.delete(id);
    problems.delete(id);
    if (!article) {
      fetchLater({ id });
      return;
    }
    const { trusted, ...facts } = article;
    const row = { ...facts, idType };
    // Where two walks differ, only the article itself can tell; a row that is trusted is that.
    const unchanged = isFirst || trustList ? known.unchanged(id, row) : undefined;
    if (unchanged) toPrepare.push({ id, row, article: unchanged });
    else if (trusted) toStore.push({ id, row, trusted });
    else fetchLater({ id, row });
  }

  function fetchLater(job: Job): void {
    progress.toFetch += 1;
    toStore.push(job);
  }

  /** A second walk may see an article otherwise while its first version is under way: the last counts. */
  function isCurrent({ id, row }: Job): boolean {
    return seen.get(id) === row?.digest;
  }

  /** Whatever is no fault of an article alone ends all of it. */
  function orFail<T>(work: (item: T) => Promise<void>): (item: T) => Promise<void> {
    return async (item) => {
      try {
        signal.throwIfAborted();
        await work(item);
      } catch (error) {
        failure ??= { error };
        toStore.clear();
        toPrepare.clear();
        options.onFatal(error);
      }
    };
  }

  async function store(job: Job): Promise<void> {
    if (!isCurrent(job)) {
      if (!job.trusted) progress.toFetch -= 1;
      return;
    }
    const article = job.trusted ?? (await fetchArticle(job));
    if (!article) return;
    const { text, object } = packArticle(article);
    const { id, row, trusted, again } = job;
    const digest = (trusted && row?.digest) ?? digestOf(article);
    // Only a row that tells the same as the article can prove, next time, that it is unchanged.
    const told = digest === row?.digest ? row : undefined;
    const isThere = before.get(id)?.object === object && mirror.hasArticle(object);
    if (!isThere) await mirror.writeArticle({ object, text });
    // Its file tells other fields in a fixed order, and numbers beyond JavaScript's as text.
    const isPlain = Object.keys(article.extra).length === 0;
    toPrepare.push({
      id,
      row,
      again,
      stored: isPlain && toPrepare.length < mostTexts ? article : undefined,
      article: {
        id,
        title: article.title,
        // One string, and not two that are alike.
        digest: told?.digest ?? digest,
        listed: told && listedAs(told, { article, trusted }),
        object,
        cover: article.cover_image,
        draft: isDraft(article),
      },
    });
  }

  async function fetchArticle(job: Job): Promise<Article | undefined> {
    const { id } = job;
    try {
      const article = await client.getArticle(id, { signal, deadline });
      if (!article && isCurrent(job)) missing.add(id);
      return article;
    } catch (error) {
      note(job, problemsOf(error, id));
    } finally {
      progress.fetched += 1;
      options.onProgress?.(progress);
    }
    return undefined;
  }

  async function prepare(job: StoredJob): Promise<void> {
    if (!isCurrent(job)) return;
    const { id, row, article, stored } = job;
    try {
      const images = await options.onArticle(article, stored);
      if (!isCurrent(job)) return;
      const { images: _, ...rest } = article;
      articles.set(id, images ? { ...rest, images: [...images] } : rest);
      missing.delete(id);
      problems.delete(id);
    } catch (error) {
      signal.throwIfAborted();
      // The text of an unchanged article may turn out to be damaged: then it is fetched after all.
      if (isDamage(error) && !job.again) {
        fetchLater({ id, row, again: true });
      } else note(job, problemsOf(error, id));
    }
  }

  function note(job: Job, found: ArticleProblem[]): void {
    if (isCurrent(job)) problems.set(job.id, found);
  }

  async function settled(): Promise<void> {
    await toStore.idle();
    await toPrepare.idle();
    // Either queue may have filled the other one meanwhile.
    if (!(toStore.isIdle() && toPrepare.isIdle())) await settled();
  }

  async function finish(): Promise<Harvest> {
    await settled();
    if (failure) throw failure.error;
    if (missing.size >= suspiciousMisses && articles.size === 0) {
      throw allMissing(missing.size);
    }
    return {
      articles,
      missing,
      problems: [...problems.values()].flat(),
    };
  }

  return { take: known.take, rows, finish, settled };
}

function allMissing(count: number): ArticlesListingError {
  return new ArticlesListingError(
    'articles-missing',
    `The service lists ${count} articles that it then says it does not have.`,
    { hint: 'Check `baseUrl`, and whether the API key may read single articles.' },
  );
}
