import type { ArticlesClient, Traffic } from '../client/index.ts';
import { platform, type World } from '../client/world.ts';
import { type ArticleProblem, InvalidArticlesError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import { unsigned } from './cover-url.ts';
import { createImages, type ImageProblem } from './images.ts';
import { createIntake, type SyncProgress } from './intake.ts';
import type { Mirror } from './mirror.ts';
import type { MirrorArticle, MirrorImage } from './mirror-index.ts';
import { checkRemoval } from './removal.ts';

export type { SyncProgress } from './intake.ts';

export interface SyncOptions {
  client: ArticlesClient;
  mirror: Mirror;
  options: ResolvedOptions;
  world?: World | undefined;
  signal?: AbortSignal | undefined;
  /** Told often how far the sync is. */
  onProgress?: ((progress: SyncProgress) => void) | undefined;
}

/** What a sync found, once it is committed. */
export interface SyncReport {
  /** Articles that cannot be used, and so stay as they were or are left out. */
  problems: readonly ArticleProblem[];
  /** Covers that could not be had. */
  covers: readonly CoverProblem[];
  /** Why nothing was removed, whatever may be gone; absent when all that is gone was. */
  unproven?: string;
  traffic: Traffic;
}

export interface CoverProblem extends ImageProblem {
  /** The ids of the articles that use it. */
  articles: string[];
}

const invalidHint =
  'Mend them in the service, or set `onInvalid: "keep"` to go on with the last good version of each ' +
  '(and without those that have none).';
const coverHint = 'Mend them in the service, or leave out `images.onError: "fail"`.';

/**
 * Brings the mirror up to date with the service: asks what there is, fetches each new or changed
 * article and image, and commits all of it at the end. Whatever fails, the mirror stays as it was.
 *
 * @throws {ArticlesRequestError | ArticlesListingError | InvalidArticlesError | ArticlesMirrorError}
 */
export async function sync(given: SyncOptions): Promise<SyncReport> {
  const { client, mirror, options, world = platform } = given;
  const abort = new AbortController();
  const signal = given.signal ? AbortSignal.any([given.signal, abort.signal]) : abort.signal;
  const deadline = world.now() + options.totalTimeout;
  const settings = options.images;
  const before = new Map(mirror.index.articles.map((article) => [article.id, article]));

  const images = createImages({
    mirror,
    baseUrl: client.baseUrl,
    settings,
    world,
    deadline,
    signal,
  });
  const wantCover = ({ cover, draft }: MirrorArticle) => {
    const shown = !draft || options.drafts === 'include';
    if (cover && shown && settings.covers === 'local') images.want(cover);
  };
  const intake = createIntake({
    client,
    mirror,
    before,
    trustList: options.trustList,
    concurrency: options.concurrency,
    deadline,
    signal,
    onArticle: wantCover,
    onFatal: (error) => abort.abort(error),
    onProgress: given.onProgress,
  });

  try {
    const known = before.keys();
    const survey = await client.survey({ known, onRows: intake.rows, signal, deadline });
    const harvest = await intake.finish();
    const problems = [...survey.problems, ...harvest.problems];
    if (options.onInvalid === 'fail' && problems.length > 0)
      throw new InvalidArticlesError(problems, { hint: invalidHint });

    const gone = new Set([...survey.gone, ...harvest.missing]);
    // Articles that are neither listed nor proven gone stay, behind all others.
    const ids = new Set([...survey.ids, ...before.keys()]);
    const articles = [...ids]
      .filter((id) => !gone.has(id))
      .flatMap((id) => harvest.articles.get(id) ?? before.get(id) ?? []);
    const removed = [...before.keys()].filter((id) => gone.has(id)).length;
    if (!options.allowEmpty) {
      checkRemoval({ before: before.size, after: articles.length, removed });
    }

    for (const article of articles) wantCover(article);
    const fetched = await images.finish();
    const covers = withArticles(fetched.problems, articles);
    if (settings.onError === 'fail' && covers.length > 0) {
      throw new InvalidArticlesError(covers.flatMap(toProblems), { hint: coverHint });
    }

    await mirror.commit({
      source: mirror.index.source,
      articles,
      images: used(fetched.images, articles),
      syncedAt: world.date(),
    });
    const { unproven } = survey;
    return { problems, covers, ...(unproven ? { unproven } : {}), traffic: client.traffic() };
  } catch (error) {
    abort.abort(error);
    // What is still under way writes files: it must have ended before the caller goes on.
    await Promise.all([intake.settled(), images.settled()]);
    throw signal.reason ?? error;
  } finally {
    images.close();
  }
}

/** Names the articles of each cover that failed. */
function withArticles(
  problems: ReadonlyMap<string, ImageProblem>,
  articles: readonly MirrorArticle[],
): CoverProblem[] {
  return [...problems].flatMap(([key, problem]) => {
    const users = articles.filter(({ cover }) => cover && unsigned(cover) === key);
    return users.length > 0 ? [{ ...problem, articles: users.map(({ id }) => id) }] : [];
  });
}

function toProblems({ articles, reason, url }: CoverProblem): ArticleProblem[] {
  return articles.map((id) => ({ id, field: 'cover_image', reason: `${url}: ${reason}` }));
}

function used(
  images: ReadonlyMap<string, MirrorImage>,
  articles: readonly MirrorArticle[],
): Map<string, MirrorImage> {
  const keys = new Set(articles.flatMap(({ cover }) => (cover ? [unsigned(cover)] : [])));
  return new Map([...images].filter(([key]) => keys.has(key)));
}
