import type { Traffic } from '../client/http/request.ts';
import { type ArticleProblem, InvalidArticlesError } from '../errors.ts';
import type {
  IndexedArticle,
  MirrorImage,
  MirrorIndex,
  SlugHistory,
} from '../mirror/index-file.ts';
import { systemClock } from '../shared/clock.ts';
import { type Listing, listArticles } from './list.ts';
import {
  articleProblems,
  findImages,
  type UsedImageProblem,
  updateImages,
} from './needed-images.ts';
import { planLoad } from './plan.ts';
import {
  createPreparer,
  type PreparedVersion,
  type Preparer,
  type PreparerOptions,
} from './prepare.ts';
import { prepareAll } from './prepare-all.ts';
import { decideRemovals } from './removal.ts';

export interface LoadOptions extends Omit<PreparerOptions, 'deadline' | 'signal'> {
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
  /** By URL without a signature, with intact files. Contains images of earlier versions of articles, too. */
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
 * writes new files to the mirror, and leaves its index unchanged. Without a client, the listing and the images
 * are those of the mirror, and no request is made.
 *
 * @throws {ArticlesRequestError | ArticlesListingError | InvalidArticlesError | ArticlesMirrorError}
 */
export async function loadArticles(load: LoadOptions): Promise<Load> {
  const { mirror, client, options } = load;
  const before = new Map(mirror.index.articles.map((article) => [article.id, article]));
  const abort = new AbortController();
  const limits = { signal: abort.signal, deadline: systemClock.now() + options.totalTimeout };
  const progress: LoadProgress = { listed: 0, toFetch: 0, fetched: 0 };
  const report = (change: Partial<LoadProgress>) =>
    load.onProgress?.(Object.assign(progress, change));

  try {
    const { trustList } = options;
    const onListed = (listed: number) => report({ listed });
    const listing = client
      ? await listArticles({ client, mirror, trustList, onListed, ...limits })
      : listingOf(mirror.index);

    const tasks = planLoad(listing, { before, trustList, hasArticle: mirror.hasArticle });
    const toFetch = tasks.filter(({ row }) => row).length;
    if (toFetch > 0) report({ toFetch });

    const preparer = createPreparer({ ...load, ...limits });
    const prepared = await prepareAll(tasks, {
      preparer,
      client,
      ...limits,
      concurrency: options.concurrency,
      isFirstLoad: before.size === 0,
      onFetched: () => report({ fetched: progress.fetched + 1 }),
    });

    const { missing } = prepared;
    const decided = await decideRemovals(listing, { missing, before, client, ...limits });
    const problems = [...listing.problems, ...prepared.problems, ...decided.contradictions];
    if (options.onInvalid === 'fail' && problems.length > 0) {
      throw new InvalidArticlesError(problems, { hint: invalidHint });
    }

    const versions = decided.ids.flatMap((id) => prepared.versions.get(id) ?? []);
    const needed = await findImages(versions, { ...load, before });
    const images = await updateImages(needed, { ...load, ...limits });
    if (client && options.images.onError === 'fail' && images.problems.length > 0) {
      throw new InvalidArticlesError(images.problems.flatMap(articleProblems), { hint: imageHint });
    }
    return {
      versions: needed.versions,
      before,
      images: images.usable,
      problems,
      notes: [...listing.notes, ...prepared.notes],
      imageProblems: images.problems,
      unproven: decided.unproven,
      traffic: client?.traffic(),
      preparer,
    };
  } catch (error) {
    // Stops the requests that are still in flight.
    abort.abort(error);
    throw error;
  }
}

const invalidHint =
  'Fix them in the service, or set `onInvalid: "keep"` to continue with the last good version of each ' +
  '(articles that have none are left out).';
const imageHint = 'Fix them in the service, or leave out `images.onError: "fail"`.';

/** Returns the articles of the mirror as a listing. */
function listingOf({ articles }: MirrorIndex): Listing {
  const rows = articles.map((stored) => ({ id: stored.id, stored }));
  return { rows, gone: [], problems: [], notes: [] };
}
