import pLimit from 'p-limit';
import { type Article, type ArticlesClient, isDraft, type ListedArticle } from '../client/index.ts';
import { problemsOf } from '../client/problems.ts';
import { type ArticleProblem, ArticlesListingError, ArticlesMirrorError } from '../errors.ts';
import { articleDigest } from './digest.ts';
import type { Mirror } from './mirror.ts';
import type { MirrorArticle } from './mirror-index.ts';

export interface IntakeOptions {
  client: ArticlesClient;
  mirror: Mirror;
  /** The mirror's articles before this sync, by id. */
  before: ReadonlyMap<string, MirrorArticle>;
  trustList: boolean;
  concurrency: number;
  deadline: number;
  signal: AbortSignal;
  /** Given each article as soon as it is known; returns the addresses of the images in its body. */
  onArticle: (article: MirrorArticle) => Promise<readonly string[] | undefined>;
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
  /** Takes rows of the listing: what changed is fetched, what did not costs nothing. */
  rows(rows: ListedArticle[]): void;
  /** Waits for all that is under way, and rejects with the first failure. */
  finish(): Promise<Harvest>;
  /** Waits until nothing is under way any more, whatever came of it. */
  settled(): Promise<unknown>;
}

export interface Harvest {
  /** By id, each as it now stands in the mirror's files. */
  articles: Map<string, MirrorArticle>;
  /** Ids that were listed, but that the service does not have. */
  missing: Set<string>;
  problems: ArticleProblem[];
}

/** Making articles ready takes the processor, so more at once would only take memory. */
const preparedAtOnce = 4;

/** So many details that are all missing say that the address is wrong, not that articles went. */
const suspiciousMisses = 3;

export function createIntake(options: IntakeOptions): Intake {
  const { client, mirror, before, signal, deadline } = options;
  // The client bounds the requests; one article is written while the next is asked for.
  const limit = pLimit(2 * options.concurrency);
  const prepareLimit = pLimit(preparedAtOnce);
  const articles = new Map<string, MirrorArticle>();
  const missing = new Set<string>();
  const problems = new Map<string, ArticleProblem[]>();
  /** The row that each article was last taken from, and the work that followed from it. */
  const taken = new Map<string, { row: string | undefined; work: Promise<void> }>();
  const works: Promise<void>[] = [];
  const progress = { listed: 0, toFetch: 0, fetched: 0 };

  function rows(listed: ListedArticle[]): void {
    if (signal.aborted) return;
    for (const row of listed) takeRow(row);
    options.onProgress?.(progress);
  }

  function takeRow({ id, article }: ListedArticle): void {
    const row = article && articleDigest(article);
    const earlier = taken.get(id);
    if (!earlier) progress.listed += 1;
    // A second walk lists most articles again just as they were.
    if (earlier && earlier.row === row) return;

    const known = before.get(id);
    if (!earlier && article && known && row === known.row && mirror.hasArticle(known.object)) {
      const work = settle(id, { ...known, cover: article.cover_image });
      taken.set(id, { row, work: track(work.catch((error) => refetch(error, id, row))) });
      return;
    }
    const trusted = options.trustList ? article : undefined;
    const take = () => (trusted ? store(trusted, row) : fetchArticle(id, row));
    if (!trusted) progress.toFetch += 1;
    taken.set(id, { row, work: track(afterEarlier(earlier?.work, take)) });
  }

  /** Takes an article in its turn, and makes it ready once the network is free for the next. */
  async function afterEarlier(
    earlier: Promise<void> | undefined,
    take: () => Promise<MirrorArticle | undefined>,
  ): Promise<void> {
    await earlier;
    const article = await limit(() => {
      signal.throwIfAborted();
      return take();
    });
    if (article) await settle(article.id, article);
  }

  function track(work: Promise<void>): Promise<void> {
    work.catch(options.onFatal);
    works.push(work);
    return work;
  }

  async function fetchArticle(
    id: string,
    row: string | undefined,
  ): Promise<MirrorArticle | undefined> {
    problems.delete(id);
    try {
      const article = await client.getArticle(id, { signal, deadline });
      if (article) return await store(article, row);
      missing.add(id);
    } catch (error) {
      problems.set(id, problemsOf(error, id));
    } finally {
      progress.fetched += 1;
      options.onProgress?.(progress);
    }
    return undefined;
  }

  /** The text of an unchanged article may turn out to be damaged: then it is fetched after all. */
  async function refetch(error: unknown, id: string, row: string | undefined): Promise<void> {
    if (!(error instanceof ArticlesMirrorError) || error.code !== 'mirror-damaged') throw error;
    progress.toFetch += 1;
    await afterEarlier(undefined, () => fetchArticle(id, row));
  }

  async function store(article: Article, row: string | undefined): Promise<MirrorArticle> {
    const digest = articleDigest(article);
    const known = before.get(article.id);
    const unchanged = known?.digest === digest && mirror.hasArticle(known.object);
    return {
      id: article.id,
      title: article.title,
      digest,
      // Only a row that tells the same as the article can prove, next time, that it is unchanged.
      ...(row === digest ? { row } : {}),
      object: unchanged ? known.object : await mirror.writeArticle(article),
      cover: article.cover_image,
      draft: isDraft(article),
    };
  }

  async function settle(id: string, article: MirrorArticle): Promise<void> {
    missing.delete(id);
    try {
      const images = await prepareLimit(() => {
        signal.throwIfAborted();
        return options.onArticle(article);
      });
      const { images: _, ...rest } = article;
      articles.set(id, images ? { ...rest, images: [...images] } : rest);
    } catch (error) {
      signal.throwIfAborted();
      problems.set(id, problemsOf(error, id));
    }
  }

  async function finish(): Promise<Harvest> {
    // A row of a second walk may have added to them.
    for (let done = 0; done < works.length; ) {
      done = works.length;
      await Promise.all(works);
    }
    if (missing.size >= suspiciousMisses && articles.size === 0) {
      throw allMissing(missing.size);
    }
    return {
      articles,
      missing,
      problems: [...problems.values()].flat(),
    };
  }

  return { rows, finish, settled: () => Promise.allSettled(works) };
}

function allMissing(count: number): ArticlesListingError {
  return new ArticlesListingError(
    'articles-missing',
    `The service lists ${count} articles that it then says it does not have.`,
    { hint: 'Check `baseUrl`, and whether the API key may read single articles.' },
  );
}
