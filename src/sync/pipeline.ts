import type { ArticlesClient } from '../client/client.ts';
import type { Traffic } from '../client/http/request.ts';
import { type ArticleProblem, InvalidArticlesError } from '../errors.ts';
import { type DownloadedImages, downloadImages } from '../images/download.ts';
import type {
  IndexedArticle,
  MirrorImage,
  MirrorIndex,
  SlugHistory,
} from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import type { Clock } from '../shared/clock.ts';
import { listArticles } from './list.ts';
import { articleProblems, findImages, type UsedImageProblem, withUsers } from './needed-images.ts';
import { type Plan, planLoad } from './plan.ts';
import { createPreparer, type PreparedVersion, type Preparer } from './prepare.ts';
import { prepareAll } from './prepare-all.ts';
import { decideRemovals } from './removal.ts';
import type { Renderer } from './renderer.ts';
import type { ApplyTransform } from './transform.ts';

export interface LoadOptions {
  mirror: Mirror;
  options: ResolvedOptions;
  clock: Clock;
  /** Absent when the load makes no request. */
  client?: ArticlesClient;
  /** Absent when the load only fills the mirror. */
  renderer?: Renderer;
  transform?: ApplyTransform | undefined;
  /** The slugs of articles before this load. @default the history in the mirror */
  slugHistory?: SlugHistory;
  onProgress?: ((progress: LoadProgress) => void) | undefined;
}

/** The progress of a load. */
export interface LoadProgress {
  /** Articles listed so far. */
  listed: number;
  /** The number of articles that have to be fetched. */
  toFetch: number;
  fetched: number;
}

/** The result of a load. It takes effect with `commitLoad()`. */
export interface Load {
  /** In the order of the listing. */
  versions: PreparedVersion[];
  /** The articles of the mirror before this load, by id. */
  before: ReadonlyMap<string, IndexedArticle>;
  /** By URL without a signature. Contains images of earlier versions of articles, too. */
  images: ReadonlyMap<string, MirrorImage>;
  /** Articles that cannot be used. Their last good version is in `versions`, if there is one. */
  problems: ArticleProblem[];
  /** Fields that are ignored because of their type. */
  notes: ArticleProblem[];
  imageProblems: UsedImageProblem[];
  /** Why missing articles were not removed; undefined when the listing is reliable. */
  unproven?: string | undefined;
  traffic?: Traffic | undefined;
  preparer: Preparer;
}

/**
 * Loads a collection from the service: lists, plans, fetches and renders the articles, and downloads images. It
 * writes new files to the mirror, and leaves its index unchanged.
 *
 * @throws {ArticlesRequestError | ArticlesListingError | InvalidArticlesError | ArticlesMirrorError}
 */
export async function loadFromService(
  load: LoadOptions & { client: ArticlesClient },
): Promise<Load> {
  const { mirror, client, options, clock } = load;
  const before = byId(mirror.index.articles);
  const abort = new AbortController();
  const { signal } = abort;
  const deadline = clock.now() + options.totalTimeout;
  const progress: LoadProgress = { listed: 0, toFetch: 0, fetched: 0 };
  const report = (change: Partial<LoadProgress>) =>
    load.onProgress?.(Object.assign(progress, change));

  try {
    const { trustList } = options;
    const onListed = (listed: number) => report({ listed });
    const listing = await listArticles({ client, mirror, trustList, signal, deadline, onListed });

    const { hasArticle } = mirror;
    const plan = planLoad(listing, { before, trustList, hasArticle });
    report({ toFetch: plan.fetch.size + plan.absent.length });

    const preparer = preparerOf(load, { deadline, signal });
    const prepared = await prepareAll(tasksOf(plan, before), {
      preparer,
      client,
      deadline,
      signal,
      concurrency: options.concurrency,
      isFirstLoad: before.size === 0,
      onFetched: () => report({ fetched: progress.fetched + 1 }),
    });

    const decided = await decideRemovals(listing, {
      missing: prepared.missing,
      before,
      client,
      signal,
      deadline,
    });
    const versions = decided.ids.flatMap((id) => prepared.versions.get(id) ?? []);
    const problems = [...listing.problems, ...prepared.problems, ...decided.contradictions];
    if (options.onInvalid === 'fail' && problems.length > 0) {
      throw new InvalidArticlesError(problems, { hint: invalidHint });
    }

    const needed = await findImages(versions, { ...load, before });
    const downloads = await downloadImages(needed.urls, {
      mirror,
      baseUrl: client.baseUrl,
      settings: options.images,
      clock,
      deadline,
      signal,
    });
    const imageProblems = withUsers(downloads.problems, needed.users);
    if (options.images.onError === 'fail' && imageProblems.length > 0) {
      throw new InvalidArticlesError(imageProblems.flatMap(articleProblems), { hint: imageHint });
    }
    return {
      versions: needed.versions,
      before,
      images: withEarlier(downloads, mirror.index),
      problems,
      notes: [...listing.notes, ...prepared.notes],
      imageProblems,
      unproven: decided.unproven,
      traffic: client.traffic(),
      preparer,
    };
  } catch (error) {
    // Stops the requests that are still in flight.
    abort.abort(error);
    throw error;
  }
}

/**
 * Loads a collection from the mirror, without any request.
 *
 * @throws {InvalidArticlesError | ArticlesMirrorError}
 */
export async function loadFromMirror(load: Omit<LoadOptions, 'client'>): Promise<Load> {
  const { mirror, options, clock } = load;
  const { articles, images } = mirror.index;
  const before = byId(articles);
  const deadline = clock.now() + options.totalTimeout;
  const { signal } = new AbortController();
  const preparer = preparerOf(load, { deadline, signal });
  const tasks = articles.map((known) => ({ id: known.id, known }));
  const prepared = await prepareAll(tasks, {
    preparer,
    deadline,
    signal,
    concurrency: options.concurrency,
    isFirstLoad: false,
  });
  const { problems, notes } = prepared;
  if (options.onInvalid === 'fail' && problems.length > 0) {
    throw new InvalidArticlesError(problems, { hint: invalidHint });
  }
  const versions = articles.flatMap(({ id }) => prepared.versions.get(id) ?? []);
  const needed = await findImages(versions, { ...load, before });
  return {
    versions: needed.versions,
    before,
    images,
    problems,
    notes,
    imageProblems: [],
    preparer,
  };
}

const invalidHint =
  'Fix them in the service, or set `onInvalid: "keep"` to continue with the last good version of each ' +
  '(articles that have none are left out).';
const imageHint = 'Fix them in the service, or leave out `images.onError: "fail"`.';

function byId(articles: readonly IndexedArticle[]): Map<string, IndexedArticle> {
  return new Map(articles.map((article) => [article.id, article]));
}

function preparerOf(
  load: LoadOptions,
  limits: { deadline: number; signal: AbortSignal },
): Preparer {
  const { drafts, bodies } = load.options;
  return createPreparer({ ...load, ...limits, drafts, keepRenderings: bodies === 'store' });
}

function tasksOf(plan: Plan, before: ReadonlyMap<string, IndexedArticle>) {
  return [
    ...[...plan.fetch].map(([id, row]) => ({ id, row, known: before.get(id) })),
    ...plan.absent.map((id) => ({ id, row: { id }, known: before.get(id) })),
    ...[...plan.current].map(([id, known]) => ({ id, known })),
  ];
}

/** Adds the earlier images of the mirror, except those that this load refused. */
function withEarlier(
  { images, problems }: Pick<DownloadedImages, 'images' | 'problems'>,
  earlier: MirrorIndex,
): Map<string, MirrorImage> {
  const kept = [...earlier.images].filter(([url]) => !problems.has(url));
  return new Map([...kept, ...images]);
}
