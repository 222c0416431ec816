import type { Traffic } from '../client/client.ts';
import { type ArticleProblem, ArticlesInvalidError, describeProblem } from '../errors.ts';
import type { IndexedArticle, MirrorImage, MirrorIndex } from '../mirror/index-file.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { systemClock } from '../shared/clock.ts';
import { type ListedRow, type Listing, listArticles } from './list.ts';
import {
  articleProblems,
  findImages,
  type UsedImageProblem,
  updateImages,
} from './needed-images.ts';
import {
  createPreparer,
  type PreparedVersion,
  type Preparer,
  type PreparerOptions,
} from './prepare.ts';
import { prepareAll } from './prepare-all.ts';
import { decideRemovals } from './removal.ts';

export interface LoadOptions extends Omit<PreparerOptions, 'deadline' | 'signal'> {
  onProgress?: ((progress: LoadProgress) => void) | undefined;
}

export interface LoadProgress {
  /** Articles listed so far. */
  listed: number;
  /** The number of articles that have to be fetched. */
  toFetch: number;
  fetched: number;
}

/** The result of a load. It takes effect with `commitLoad()`. */
export interface LoadedArticles extends Pick<Listing, 'older' | 'doubt' | 'notes'> {
  /** In the order of the listing. */
  versions: PreparedVersion[];
  /** The articles of the mirror before this load, by id. */
  before: ReadonlyMap<string, IndexedArticle>;
  /** With `newest`: ids of `before` that are older than `versions`, so the service may still have them. */
  left: ReadonlySet<string>;
  /** By URL without a signature, with intact files. Contains images of earlier versions of articles, too. */
  images: ReadonlyMap<string, MirrorImage>;
  /** Articles that cannot be used. Their last good version is in `versions`, if there is one. */
  problems: ArticleProblem[];
  imageProblems: UsedImageProblem[];
  /** Why articles that are not listed were kept; undefined when there are none. */
  unproven?: string | undefined;
  traffic?: Traffic | undefined;
  preparer: Preparer;
}

/**
 * Loads a collection from the service: lists, fetches and renders the articles, and downloads images. It
 * writes new files to the mirror, and leaves its index unchanged. Without a client, the listing and the images
 * are those of the mirror, and no request is made.
 *
 * @throws {ArticlesRequestError | ArticlesListingError | ArticlesInvalidError | ArticlesMirrorError}
 */
export async function loadArticles(loadOptions: LoadOptions): Promise<LoadedArticles> {
  const { mirror, client, options } = loadOptions;
  const before = new Map(mirror.index.articles.map((article) => [article.id, article]));
  const abort = new AbortController();
  const limits = { signal: abort.signal, deadline: systemClock.now() + options.totalTimeout };
  const progress: LoadProgress = { listed: 0, toFetch: 0, fetched: 0 };
  const report = (change: Partial<LoadProgress>) =>
    loadOptions.onProgress?.(Object.assign(progress, change));

  try {
    const { newest, order } = options;
    const onListed = (listed: number) => report({ listed });
    const listing = client
      ? await listArticles({ client, mirror, before, options, onListed, ...limits })
      : listingOf(mirror.index, options);

    const rows = [...listing.rows, ...missingRows(listing, before)];
    const toFetch = rows.filter(({ stored }) => !stored).length;
    if (toFetch > 0) report({ toFetch });

    const preparer = createPreparer({ ...loadOptions, ...limits });
    const prepared = await prepareAll(rows, {
      preparer,
      client,
      ...limits,
      concurrency: options.concurrency,
      before,
      onFetched: () => report({ fetched: progress.fetched + 1 }),
    });

    // A load that fails from here on has rendered its articles for the next one.
    await mirror.flush();

    const { responded404, found } = prepared;
    const decided = await decideRemovals(listing, {
      responded404,
      found,
      before,
      client,
      newest,
      order,
      ...limits,
    });
    const all = [...listing.problems, ...prepared.problems, ...decided.contradictions];
    // The fetched and the stored version of an article may have the same problem.
    const problems = [...new Map(all.map((each) => [describeProblem(each), each])).values()];
    if (options.onInvalid === 'fail' && problems.length > 0) {
      throw new ArticlesInvalidError(problems, { hint: invalidHint });
    }

    const versions = decided.ids.flatMap((id) => prepared.versions.get(id) ?? []);
    const needed = findImages(versions, { options, before });
    const images = await updateImages(needed, { ...loadOptions, ...limits });
    if (client && options.images.onError === 'fail' && images.problems.length > 0) {
      throw new ArticlesInvalidError(images.problems.flatMap(articleProblems), { hint: imageHint });
    }
    return {
      versions,
      before,
      left: new Set(listing.left),
      older: listing.older,
      images: images.usable,
      problems,
      notes: [...listing.notes, ...prepared.notes],
      imageProblems: images.problems,
      unproven: decided.unproven,
      doubt: listing.doubt,
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
  'Fix them in the service or in `transform`, or set `onInvalid: "keep"` to continue with the last good version of each ' +
  '(articles that have none are left out).';
const imageHint = 'Fix them in the service, or leave out `images.onError: "fail"`.';

/** Returns the articles of the mirror as a listing. `newest` may be lower than in the load that made the mirror. */
function listingOf(
  { articles, older }: MirrorIndex,
  { newest = articles.length, order }: Pick<ResolvedOptions, 'newest' | 'order'>,
): Listing {
  const surplus = Math.max(0, articles.length - newest);
  const isOlder = (index: number) => (order === 'newest-first' ? index >= newest : index < surplus);
  const left = articles.flatMap(({ id }, index) => (isOlder(index) ? id : []));
  const listed = articles.filter((_, index) => !isOlder(index));
  const rows = listed.map((stored) => ({ id: stored.id, stored }));
  return { rows, gone: [], left, older: older + surplus, problems: [], notes: [] };
}

/** Returns a row for each article in the mirror that the listing lacks, if it is neither proven gone nor older. */
function missingRows({ rows, gone, left }: Listing, before: LoadedArticles['before']): ListedRow[] {
  const decided = new Set([...rows.map(({ id }) => id), ...gone, ...left]);
  return [...before.keys()].flatMap((id) => (decided.has(id) ? [] : { id }));
}
