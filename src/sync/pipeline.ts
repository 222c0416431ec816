import type { ArticlesClient } from '../client/client.ts';
import type { Traffic } from '../client/http/request.ts';
import { type ArticleProblem, InvalidArticlesError } from '../errors.ts';
import { type DownloadedImages, downloadImages, type ImageProblem } from '../images/download.ts';
import type { IndexedArticle, MirrorImage, MirrorIndex } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { slugOf } from '../render/slug.ts';
import type { Clock } from '../shared/clock.ts';
import { unsigned } from '../shared/image-url.ts';
import { isShown } from './indexed-article.ts';
import { type Listing, listArticles } from './list.ts';
import { type Plan, planLoad } from './plan.ts';
import { createPreparer, type LoadProgress, type Preparer, type ReadyVersion } from './prepare.ts';
import { verdictOf } from './removal.ts';
import type { Renderer } from './renderer.ts';
import type { ApplyTransform } from './transform.ts';

export interface LoadOptions {
  mirror: Mirror;
  options: ResolvedOptions;
  clock: Clock;
  /** Absent when the load makes no request. */
  client?: ArticlesClient;
  /** Absent when only the mirror is filled. */
  renderer?: Renderer;
  transform?: ApplyTransform | undefined;
  /** The slugs that articles had before this load. @default those that the mirror has */
  addresses?: MirrorIndex['addresses'];
  onProgress?: ((progress: LoadProgress) => void) | undefined;
}

/** The state that a load wants to commit. Nothing has changed until then. */
export interface Load {
  /** In the order of the listing. */
  versions: ReadyVersion[];
  /** The articles of the mirror before this load, by id. */
  before: ReadonlyMap<string, IndexedArticle>;
  /** By URL without a signature, also those that only an earlier version of an article shows. */
  images: ReadonlyMap<string, MirrorImage>;
  /** Articles that cannot be used. Their last good version is in `versions`, if there is one. */
  problems: ArticleProblem[];
  /** Fields of an unknown type, which are left out. */
  notes: ArticleProblem[];
  imageProblems: UsedImageProblem[];
  /** Why nothing could be removed; undefined when the listing is proof. */
  unproven?: string | undefined;
  traffic?: Traffic;
  preparer: Preparer;
}

export interface UsedImageProblem extends ImageProblem {
  /** The ids of the articles that show it. */
  articles: string[];
  /** Whether one of them has it as its cover. */
  isCover: boolean;
}

/**
 * Reads from the service everything that a collection needs: lists, plans, fetches and renders, and
 * downloads images. New files are in the mirror afterwards; its index is unchanged.
 *
 * @throws {ArticlesRequestError | ArticlesListingError | InvalidArticlesError | ArticlesMirrorError}
 */
export async function gather(given: LoadOptions & { client: ArticlesClient }): Promise<Load> {
  const { mirror, client, options, clock } = given;
  const before = byId(mirror.index.articles);
  const abort = new AbortController();
  const { signal } = abort;
  const deadline = clock.now() + options.totalTimeout;
  const progress: LoadProgress = { listed: 0, toFetch: 0, fetched: 0 };
  const report = (change: Partial<LoadProgress>) =>
    given.onProgress?.(Object.assign(progress, change));

  try {
    const { trustList } = options;
    const onListed = (listed: number) => report({ listed });
    const listing = await listArticles({ client, mirror, trustList, signal, deadline, onListed });

    const { hasArticle } = mirror;
    const plan = planLoad(listing, { before, trustList, hasArticle });
    report({ toFetch: plan.fetch.size + plan.absent.length });

    const preparer = createPreparer({ ...given, ...preparerOptions(options), deadline, signal });
    const onFetched = () => report({ fetched: progress.fetched + 1 });
    const prepared = await preparer.prepareAll(tasksOf(plan, before), onFetched);

    const decided = await decideRemovals(listing, { prepared, before, client, signal, deadline });
    const versions = decided.ids.flatMap((id) => prepared.versions.get(id) ?? []);
    const problems = [...listing.problems, ...prepared.problems, ...decided.contradictions];
    if (options.onInvalid === 'fail' && problems.length > 0) {
      throw new InvalidArticlesError(problems, { hint: invalidHint });
    }

    const wanted = await imagesOf(versions, { given, before });
    const downloads = await downloadImages(wanted.urls, {
      mirror,
      baseUrl: client.baseUrl,
      settings: options.images,
      clock,
      deadline,
      signal,
    });
    const imageProblems = withUsers(downloads.problems, wanted.users);
    if (options.images.onError === 'fail' && imageProblems.length > 0) {
      throw new InvalidArticlesError(imageProblems.flatMap(toProblems), { hint: imageHint });
    }
    return {
      versions: wanted.versions,
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
 * Prepares what the mirror has, without any request.
 *
 * @throws {InvalidArticlesError | ArticlesMirrorError}
 */
export async function gatherFromMirror(given: Omit<LoadOptions, 'client'>): Promise<Load> {
  const { mirror, options, clock } = given;
  const { articles, images } = mirror.index;
  const before = byId(articles);
  const deadline = clock.now() + options.totalTimeout;
  const { signal } = new AbortController();
  const preparer = createPreparer({ ...given, ...preparerOptions(options), deadline, signal });
  const prepared = await preparer.prepareAll(articles.map((known) => ({ id: known.id, known })));
  const { problems, notes } = prepared;
  if (options.onInvalid === 'fail' && problems.length > 0) {
    throw new InvalidArticlesError(problems, { hint: invalidHint });
  }
  const versions = articles.flatMap(({ id }) => prepared.versions.get(id) ?? []);
  const wanted = await imagesOf(versions, { given, before });
  return {
    versions: wanted.versions,
    before,
    images,
    problems,
    notes,
    imageProblems: [],
    preparer,
  };
}

/** Returns what `checkHidden()` compares a load with. */
export function shownBefore(
  { before, versions }: Pick<Load, 'before' | 'versions'>,
  options: ResolvedOptions,
) {
  const shown = [...before.values()].filter((article) => isShown(article, options));
  return { before: shown.map(({ id }) => id), articles: versions.map(({ article }) => article) };
}

/** Makes the result of a load the state of the mirror, with one atomic write. */
export async function commitLoad(
  { versions, images }: Pick<Load, 'versions' | 'images'>,
  { mirror, renderer, clock, addresses }: Omit<LoadOptions, 'options'>,
): Promise<void> {
  const { index } = mirror;
  const shown = versions.flatMap((version) => version.shown ?? []);
  const articles = versions.map(({ article }) => article);
  const used = new Set(
    [...shown, ...articles].flatMap(({ cover, bodyImages }) => [
      ...(cover ? [unsigned(cover)] : []),
      ...(bodyImages?.urls.map(unsigned) ?? []),
    ]),
  );
  const next: MirrorIndex = {
    source: index.source,
    articles,
    images: new Map([...images].filter(([url]) => used.has(url))),
    addresses: await withAddresses(addresses ?? index.addresses, shown),
    syncedAt: clock.date(),
  };
  const renderings = renderer ? shown.map(renderer.keyOf) : [];
  await mirror.commit(next, { renderings });
}

const invalidHint =
  'Fix them in the service, or set `onInvalid: "keep"` to continue with the last good version of each ' +
  '(articles that have none are left out).';
const imageHint = 'Fix them in the service, or leave out `images.onError: "fail"`.';

function byId(articles: readonly IndexedArticle[]): Map<string, IndexedArticle> {
  return new Map(articles.map((article) => [article.id, article]));
}

function preparerOptions({ drafts, concurrency, bodies }: ResolvedOptions) {
  // Twice as many as there are requests, since the others render.
  return { drafts, keepRenderings: bodies === 'store', concurrency: 2 * concurrency };
}

function tasksOf(plan: Plan, before: ReadonlyMap<string, IndexedArticle>) {
  return [
    ...[...plan.fetch].map(([id, row]) => ({ id, row, known: before.get(id) })),
    ...plan.absent.map((id) => ({ id, row: { id }, known: before.get(id) })),
    ...[...plan.current].map(([id, known]) => ({ id, known })),
  ];
}

/** Decides which articles the service no longer has, once their own addresses have responded. */
async function decideRemovals(
  listing: Listing,
  {
    prepared,
    before,
    client,
    ...call
  }: {
    prepared: { missing: ReadonlySet<string>; found: ReadonlySet<string> };
    before: ReadonlyMap<string, IndexedArticle>;
    client: ArticlesClient;
    signal: AbortSignal;
    deadline: number;
  },
) {
  const listed = new Set(listing.rows.map(({ id }) => id));
  const provenGone = new Set(listing.gone);
  const { missing, found } = prepared;
  const afterwards = [...missing].some((id) => listed.has(id))
    ? new Set((await client.survey({ known: missing, ...call })).ids)
    : undefined;
  const verdict = (id: string) =>
    verdictOf({
      listed: listed.has(id),
      provenGone: provenGone.has(id),
      response: missing.has(id) ? 'missing' : found.has(id) ? 'found' : 'none',
      listedAfterwards: afterwards?.has(id),
    });

  // Articles that are neither listed nor proven gone come last.
  const ids = [...new Set([...listed, ...before.keys()])];
  const contradictions = ids
    .filter((id) => verdict(id) === 'contradiction')
    .map((id) => ({ id, reason: 'the service lists it, and responds 404 to the request for it' }));
  const kept = ids.filter((id) => verdict(id) !== 'gone');
  const isStale = listing.unproven && kept.some((id) => !listed.has(id));
  return { ids: kept, contradictions, unproven: isStale ? listing.unproven : undefined };
}

/** Finds out which images the shown articles need. */
async function imagesOf(
  versions: readonly ReadyVersion[],
  { given, before }: { given: LoadOptions; before: ReadonlyMap<string, IndexedArticle> },
) {
  const { renderer, options } = given;
  const { covers, body } = options.images;
  const urls = new Map<string, { changed: boolean }>();
  const users = new Map<string, { articles: Set<string>; isCover: boolean }>();

  function add(url: string, article: IndexedArticle, isCover: boolean): void {
    const changed = before.get(article.id)?.digest !== article.digest;
    urls.set(url, { changed: changed || urls.get(url)?.changed === true });
    const user = users.get(unsigned(url)) ?? { articles: new Set(), isCover: false };
    user.articles.add(article.id);
    users.set(unsigned(url), { ...user, isCover: user.isCover || isCover });
  }

  const described: ReadyVersion[] = [];
  for (const version of versions) {
    const { shown, renderingHash } = version;
    const bodyImages =
      body === 'local' && shown && renderingHash && renderer
        ? await bodyImagesOf(version, renderer)
        : undefined;
    described.push(bodyImages ? withBodyImages(version, bodyImages) : version);
    if (!shown) continue;
    if (covers === 'local' && shown.cover) add(shown.cover, version.article, true);
    for (const url of bodyImages?.urls ?? []) add(url, version.article, false);
  }
  return { versions: described, urls, users };
}

type BodyImages = NonNullable<IndexedArticle['bodyImages']>;

/** Returns the images of a body: from the index, while the rendering is the same. */
async function bodyImagesOf(
  { shown, renderingHash = '', rendering }: ReadyVersion,
  renderer: Renderer,
): Promise<BodyImages | undefined> {
  if (!shown) return undefined;
  if (!rendering && shown.bodyImages?.rendering === renderingHash) return shown.bodyImages;
  const source = rendering ?? (await renderer.read(shown));
  return source && { rendering: renderingHash, urls: source.images.map(({ url }) => url) };
}

function withBodyImages(version: ReadyVersion, bodyImages: BodyImages): ReadyVersion {
  const { article, shown } = version;
  return {
    ...version,
    article: { ...article, bodyImages },
    ...(shown ? { shown: { ...shown, bodyImages } } : {}),
  };
}

/** Adds the images that the mirror had before, unless this load refused them. */
function withEarlier(
  { images, problems }: Pick<DownloadedImages, 'images' | 'problems'>,
  earlier: MirrorIndex,
): Map<string, MirrorImage> {
  const kept = [...earlier.images].filter(([url]) => !problems.has(url));
  return new Map([...kept, ...images]);
}

function withUsers(
  problems: ReadonlyMap<string, ImageProblem>,
  users: ReadonlyMap<string, { articles: Set<string>; isCover: boolean }>,
): UsedImageProblem[] {
  return [...problems].flatMap(([url, problem]) => {
    const user = users.get(url);
    return user ? [{ ...problem, isCover: user.isCover, articles: [...user.articles] }] : [];
  });
}

function toProblems({ articles, isCover, reason, url }: UsedImageProblem): ArticleProblem[] {
  const field = isCover ? 'cover_image' : 'content';
  return articles.map((id) => ({ id, field, reason: `${url}: ${reason}` }));
}

/** Adds the current slugs to the history of addresses. The newest is last. */
async function withAddresses(
  history: MirrorIndex['addresses'],
  shown: readonly IndexedArticle[],
): Promise<MirrorIndex['addresses']> {
  const addresses = new Map(history);
  for (const article of shown) {
    const slug = await slugOf(article);
    const earlier = addresses.get(article.id) ?? [];
    if (earlier.at(-1) === slug) continue;
    addresses.set(article.id, [...earlier.filter((other) => other !== slug), slug]);
  }
  return addresses;
}
