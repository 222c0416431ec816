import { type Article, type ArticlesClient, isDraft, type ListedArticle } from '../client/index.ts';
import { problemsOf } from '../client/problems.ts';
import { type ArticleProblem, ArticlesListingError, ArticlesMirrorError } from '../errors.ts';
import { packArticle, type StoredArticle } from './digest.ts';
import type { Mirror } from './mirror.ts';
import type { MirrorArticle } from './mirror-index.ts';
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
  /**
   * Given each article as soon as it is known, and its text where that is at hand; returns the addresses
   * of the images in its body.
   */
  onArticle: (
    article: MirrorArticle,
    stored?: StoredArticle,
  ) => Promise<readonly string[] | undefined>;
  /** Told when nothing more can come of this sync. */
  onFatal: (error: unknown) => void;
  onProgress?: ((progress: SyncProgress) => void) | undefined;
}

/** How far a sync is. */
export interface SyncProgress {
  /** Articles listed so far. */
  listed: number;
  /** Of those, the ones that have to be fetched. */
  toFetch: number;
  fetched: number;
}

export interface Intake {
  /**
   * Takes rows of the listing: what changed is fetched, what did not costs nothing. Resolves when there
   * is room for more.
   */
  rows(rows: ListedArticle[]): Promise<void>;
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

/** An article that is to be taken in. */
interface Job {
  id: string;
  /** The digest of its row in the listing, when that holds a whole article. */
  row: string | undefined;
  /** What that row says, when it is trusted. */
  article?: Article | undefined;
  /** Whether it is fetched once more, since its file was damaged. */
  again?: boolean | undefined;
}

/** One whose text is in the mirror, and at hand when it came just now. */
type TakenJob = Job & { taken: MirrorArticle; stored?: StoredArticle | undefined };

/** Making articles ready takes the processor, so more at once would only take memory. */
const preparedAtOnce = 4;

/** Whole articles that may wait for their turn, besides those that are under way. */
const mostWaiting = 100;

/** So many details that are all missing say that the address is wrong, not that articles went. */
const suspiciousMisses = 3;

export function createIntake(options: IntakeOptions): Intake {
  const { client, mirror, before, signal, deadline } = options;
  const articles = new Map<string, MirrorArticle>();
  const missing = new Set<string>();
  const problems = new Map<string, ArticleProblem[]>();
  /** The row that was last seen of each article. */
  const seen = new Map<string, string | undefined>();
  const progress = { listed: 0, toFetch: 0, fetched: 0 };
  let failure: { error: unknown } | undefined;
  // The client bounds the requests; one article is written while the next is asked for.
  const toTake = createQueue<Job>(orFail(take), 2 * options.concurrency);
  const toPrepare = createQueue<TakenJob>(orFail(settle), preparedAtOnce);

  async function rows(listed: ListedArticle[]): Promise<void> {
    if (signal.aborted) return;
    for (const row of listed) takeRow(row);
    options.onProgress?.(progress);
    if (options.trustList) await toTake.room(mostWaiting);
  }

  function takeRow({ id, article }: ListedArticle): void {
    const row = article && packArticle(article).digest;
    const isFirst = !seen.has(id);
    if (isFirst) progress.listed += 1;
    // A second walk lists most articles again just as they were.
    else if (seen.get(id) === row) return;
    seen.set(id, row);

    const known = before.get(id);
    if (isFirst && article && known && row === known.row && mirror.hasArticle(known.object)) {
      toPrepare.push({ id, row, taken: { ...known, cover: article.cover_image } });
      return;
    }
    if (!options.trustList || !article) progress.toFetch += 1;
    toTake.push({ id, row, article: options.trustList ? article : undefined });
  }

  /** Whatever is no fault of an article alone ends all of it. */
  function orFail<T>(work: (item: T) => Promise<void>): (item: T) => Promise<void> {
    return async (item) => {
      try {
        signal.throwIfAborted();
        await work(item);
      } catch (error) {
        failure ??= { error };
        toTake.clear();
        toPrepare.clear();
        options.onFatal(error);
      }
    };
  }

  async function take(job: Job): Promise<void> {
    const { id, row, again } = job;
    const article = job.article ?? (await fetchArticle(job));
    if (!article) return;
    const taken = await store(article, row);
    // Fields that the contract does not name count as their file tells them.
    const stored = Object.keys(article.extra).length === 0 ? article : undefined;
    toPrepare.push({ id, row, again, taken, stored });
    await toPrepare.room(mostWaiting);
  }

  async function fetchArticle({ id }: Job): Promise<Article | undefined> {
    problems.delete(id);
    try {
      const article = await client.getArticle(id, { signal, deadline });
      if (!article) missing.add(id);
      return article;
    } catch (error) {
      problems.set(id, problemsOf(error, id));
    } finally {
      progress.fetched += 1;
      options.onProgress?.(progress);
    }
    return undefined;
  }

  async function store(article: Article, row: string | undefined): Promise<MirrorArticle> {
    const { text, object, digest } = packArticle(article);
    const known = before.get(article.id);
    const isThere = known?.object === object && mirror.hasArticle(object);
    if (!isThere) await mirror.writeArticle({ object, text });
    return {
      id: article.id,
      title: article.title,
      digest,
      // Only a row that tells the same as the article can prove, next time, that it is unchanged.
      ...(row === digest ? { row } : {}),
      object,
      cover: article.cover_image,
      draft: isDraft(article),
    };
  }

  async function settle({ id, row, again, taken, stored }: TakenJob): Promise<void> {
    // A second walk saw it otherwise meanwhile: that is what counts.
    if (seen.get(id) !== row) return;
    missing.delete(id);
    try {
      const images = await options.onArticle(taken, stored);
      const { images: _, ...rest } = taken;
      articles.set(id, images ? { ...rest, images: [...images] } : rest);
    } catch (error) {
      signal.throwIfAborted();
      // The text of an unchanged article may turn out to be damaged: then it is fetched after all.
      if (isDamage(error) && !again) {
        progress.toFetch += 1;
        return toTake.push({ id, row, again: true });
      }
      problems.set(id, problemsOf(error, id));
    }
  }

  /** Either queue may fill the other one. */
  async function settled(): Promise<void> {
    await toTake.idle();
    await toPrepare.idle();
    if (!(toTake.isIdle() && toPrepare.isIdle())) await settled();
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

  return { rows, finish, settled };
}

function isDamage(error: unknown): boolean {
  return error instanceof ArticlesMirrorError && error.code === 'mirror-damaged';
}

function allMissing(count: number): ArticlesListingError {
  return new ArticlesListingError(
    'articles-missing',
    `The service lists ${count} articles that it then says it does not have.`,
    { hint: 'Check `baseUrl`, and whether the API key may read single articles.' },
  );
}
