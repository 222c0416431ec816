import pLimit from 'p-limit';
import { type Article, type ArticlesClient, isDraft, type ListedArticle } from '../client/index.ts';
import {
  type ArticleProblem,
  type ArticlesErrorCode,
  ArticlesListingError,
  ArticlesRequestError,
  InvalidArticlesError,
} from '../errors.ts';
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
  /** Given each article as soon as it is known. */
  onArticle: (article: MirrorArticle) => void;
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

/** Faults of one answer. All others say something about the service, and end the sync. */
const articleFaults: ReadonlySet<ArticlesErrorCode> = new Set([
  'server-error',
  'empty-body',
  'not-json',
  'bad-json',
  'bad-text',
  'body-too-large',
  'too-deep',
  'unexpected-shape',
  'wrong-article',
]);

/** So many details that are all missing say that the address is wrong, not that articles went. */
const suspiciousMisses = 3;

export function createIntake(options: IntakeOptions): Intake {
  const { client, mirror, before, signal, deadline } = options;
  const limit = pLimit(options.concurrency);
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
      taken.set(id, { row, work: Promise.resolve() });
      settle(id, { ...known, cover: article.cover_image });
      return;
    }
    const trusted = options.trustList ? article : undefined;
    const work = limit(async () => {
      await earlier?.work;
      signal.throwIfAborted();
      await (trusted ? store(trusted, row) : fetchArticle(id, row));
    });
    work.catch(options.onFatal);
    works.push(work);
    if (!trusted) progress.toFetch += 1;
    taken.set(id, { row, work });
  }

  async function fetchArticle(id: string, row: string | undefined): Promise<void> {
    problems.delete(id);
    try {
      const article = await client.getArticle(id, { signal, deadline });
      if (article) await store(article, row);
      else missing.add(id);
    } catch (error) {
      problems.set(id, problemsOf(error, id));
    }
    progress.fetched += 1;
    options.onProgress?.(progress);
  }

  async function store(article: Article, row: string | undefined): Promise<void> {
    const digest = articleDigest(article);
    const known = before.get(article.id);
    const unchanged = known?.digest === digest && mirror.hasArticle(known.object);
    settle(article.id, {
      id: article.id,
      title: article.title,
      digest,
      // Only a row that tells the same as the article can prove, next time, that it is unchanged.
      ...(row === digest ? { row } : {}),
      object: unchanged ? known.object : await mirror.writeArticle(article),
      cover: article.cover_image,
      draft: isDraft(article),
    });
  }

  function settle(id: string, article: MirrorArticle): void {
    missing.delete(id);
    articles.set(id, article);
    options.onArticle(article);
  }

  async function finish(): Promise<Harvest> {
    await Promise.all(works);
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

/** @throws what is no fault of the article alone */
function problemsOf(error: unknown, id: string): ArticleProblem[] {
  if (error instanceof InvalidArticlesError) return [...error.problems];
  if (error instanceof ArticlesRequestError && articleFaults.has(error.code)) {
    return [{ id, reason: error.message }];
  }
  throw error;
}

function allMissing(count: number): ArticlesListingError {
  return new ArticlesListingError(
    'articles-missing',
    `The service lists ${count} articles that it then says it does not have.`,
    { hint: 'Check `baseUrl`, and whether the API key may read single articles (contract 4.2).' },
  );
}
