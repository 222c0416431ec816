import pLimit from 'p-limit';
import { problemsOf } from '../client/client.ts';
import { type ArticleProblem, ArticlesInvalidError, joinSome } from '../errors.ts';
import { downloadImages, type ImageProblem, type WantedImage } from '../images/download.ts';
import { replaceSharp, safeKinds } from '../images/safe-kinds.ts';
import type { IndexedArticle, MirrorImage } from '../mirror/formats.ts';
import { systemClock } from '../shared/clock.ts';
import { printableUrl, unsigned } from '../shared/image-url.ts';
import { fetchVersion, prepareVersion, type Version } from './article-version.ts';
import type { Load } from './load.ts';
import type { ListedRow } from './rows.ts';

/** The articles of a load, fetched where their row proves nothing, and rendered. */
export type FetchedArticles = Awaited<ReturnType<typeof fetchAndRender>>;

/** The minimum number of failures, without any success, for a first load to fail. */
const minFirstFailures = 3;
/** The number of failures, without any success, after which a first load stops early. */
const maxFirstFailures = 20;

/**
 * Fetches the articles whose row has no current version, and renders all. The failure of one article is a problem of
 * that article, and its earlier version is used, unless the key has changed.
 *
 * @param rows those of the listing, and those of the articles that it lacks
 * @throws the first failure that affects more than one article
 */
export async function fetchAndRender(rows: readonly ListedRow[], load: Load) {
  const { client, call, before, options } = load;
  const isFirstLoad = before.size === 0;
  /** By id, each with its newest usable version. */
  const versions = new Map<string, Version>();
  /** By id, why versions cannot be used. */
  const problems = new Map<string, ArticleProblem[]>();
  /** Ids of fetched articles. */
  const found = new Set<string>();
  /** Ids for which the service responded 404 or 410, twice. */
  const missing = new Set<string>();
  const failures: unknown[] = [];
  const toFetch = rows.filter(({ current }) => !current).length;
  let fetched = 0;
  if (toFetch > 0) load.onProgress({ toFetch });
  // Twice as many articles as requests: while half of them render, the others wait for the network.
  const limit = pLimit(2 * options.concurrency);

  /** Prepares the newest version, or the one before it when the newest cannot be used. */
  async function prepareNewest(row: ListedRow): Promise<void> {
    const newest = row.current ? { article: row.current } : await fetchOnce(row);
    if (newest && (await addVersion(newest.article, { ...newest, row }))) {
      const isExpired = load.oldUrls.has(row.id) && lacksSignature(versions.get(row.id), load);
      return isExpired ? prepareNewest({ ...row, current: undefined }) : undefined;
    }
    const known = before.get(row.id);
    if (known && known.record !== newest?.article.record) await addVersion(known);
  }

  async function fetchOnce(row: ListedRow) {
    try {
      const version = await fetchVersion(row, load);
      (version ? found : missing).add(row.id);
      return version;
    } catch (error) {
      // The site has no version of it that it could show, so the reason does not matter.
      if (row.isUnlisted && !before.has(row.id) && !call.signal.aborted) return undefined;
      if (!(error instanceof ArticlesInvalidError)) failures.push(error);
      if (isFirstLoad && failures.length >= maxFirstFailures) checkFirstLoad();
      await addProblems(error, row.id);
      return undefined;
    } finally {
      fetched += 1;
      // An article whose cover has an expired signature is fetched, too.
      load.onProgress({ fetched, toFetch: Math.max(toFetch, fetched) });
    }
  }

  /** Prepares a version and adds it to the result; false when it cannot be used. */
  async function addVersion(
    article: IndexedArticle,
    source?: Parameters<typeof prepareVersion>[2],
  ): Promise<boolean> {
    try {
      const version = await prepareVersion(article, load, source);
      versions.set(article.id, { ...version, row: source?.row });
      return true;
    } catch (error) {
      await addProblems(error, article.id);
      return false;
    }
  }

  /** Adds the problems of one article after a failure. */
  async function addProblems(error: unknown, id: string): Promise<void> {
    call.signal.throwIfAborted();
    const probe = client && (() => client.listPage({ limit: 1 }, call));
    const added = await problemsOf(error, { id, probe });
    problems.set(id, [...(problems.get(id) ?? []), ...added]);
  }

  /** Fails a first load without any article after several failures: the service, and not the articles, is the cause. */
  function checkFirstLoad(): void {
    if (versions.size === 0 && failures.length >= minFirstFailures) throw failures[0];
  }

  await limit.map(rows, prepareNewest).finally(() => limit.clearQueue());
  if (isFirstLoad) checkFirstLoad();
  return { versions, problems, found, missing };
}

/**
 * Returns whether the cover of an article has to be downloaded from a signed URL of an earlier load, which may have expired.
 * A new signature costs a request for the article.
 */
function lacksSignature(version: Version | undefined, { mirror, options, before }: Load): boolean {
  if (!version || 'leftOut' in version || options.images.covers !== 'local') return false;
  const { cover } = version.transformed;
  const key = unsigned(cover ?? '');
  const image = mirror.index.images.get(key);
  if (key === (cover ?? '') || (image && mirror.hasImage(image))) return false;
  return before.get(version.article.id)?.cover === cover;
}

/** An image that shown articles need. */
interface NeededImage extends WantedImage {
  /** The ids of the articles that show it. */
  articles: Set<string>;
  /** Whether it is the cover of one of these articles. */
  isCover: boolean;
}

/** By URL without a signature, with files that exist. */
export type Images = ReadonlyMap<string, MirrorImage>;

/**
 * Downloads new images that the articles show, and revalidates stale ones. Without a client, the images are those of the
 * mirror.
 *
 * @returns `images`: those that are kept, those of earlier versions of articles, too; `usable`: those that Astro may decode
 */
export async function loadImages(versions: Iterable<Version>, load: Load) {
  const { mirror, client, options, call, imageHosts, astroSharp } = load;
  const needed = findImages(versions, load);
  const kinds = safeKinds(astroSharp);
  let images = new Map<string, MirrorImage>();
  let problems = new Map<string, ImageProblem>();
  if (client) {
    const { baseUrl } = client;
    const { maxBytes } = options.images;
    const { fetch } = options;
    const allowed = { allowedHosts: imageHosts, clock: systemClock };
    const settings = { baseUrl, fetch, maxBytes, kinds, ...allowed };
    ({ images, problems } = await downloadImages(needed, { mirror, ...call, ...settings }));
  }
  // Earlier versions of articles may need other images. With a missing file, Astro's build would fail.
  for (const [url, image] of mirror.index.images) {
    if (!images.has(url) && !problems.has(url) && mirror.hasImage(image)) images.set(url, image);
  }
  const isUsable = ({ file }: MirrorImage) => kinds.some((kind) => file.endsWith(`.${kind}`));
  const usable: Images = new Map([...images].filter(([, image]) => isUsable(image)));

  /** Returns what is wrong with an image, the effect, and what to do; undefined if nothing is wrong. */
  function problemOf(key: string, isCover: boolean): string | undefined {
    const effect = isCover ? 'No cover is shown.' : 'The remote image is used.';
    if (images.has(key) && !usable.has(key)) {
      const reason = `Astro would decode it with sharp ${astroSharp}, in which decoding AVIF and GIF has known security holes`;
      return `${reason}. ${effect} ${replaceSharp}`;
    }
    const problem = problems.get(key);
    if (!problem && images.has(key)) return undefined;
    // Without a request, the image has no problem yet.
    const { reason, kept } = problem ?? { reason: 'the mirror does not have it', kept: false };
    return `${reason}. ${kept ? 'The last good file is used.' : effect} Correct it in the service.`;
  }

  for (const [key, { url, articles, isCover }] of needed) {
    const problem = problemOf(key, isCover);
    if (!problem) continue;
    const ids = [...articles];
    const users = `${ids.length === 1 ? 'article' : 'articles'} ${joinSome(ids)}`;
    const text = `${isCover ? 'Cover' : 'Image'} ${printableUrl(url)} of ${users}: ${problem}`;
    const field = isCover ? 'cover_image' : 'content';
    load.notices.push({ kind: 'image', ids, field, text });
  }
  return { images, usable };
}

/** Collects the images that the shown articles need, by URL without a signature. */
function findImages(
  versions: Iterable<Version>,
  { before, options, oldUrls }: Load,
): Map<string, NeededImage> {
  const { covers, body } = options.images;
  const needed = new Map<string, NeededImage>();

  function add(url: string, { article: { id, record } }: Version, isCover: boolean): void {
    const known = needed.get(unsigned(url));
    needed.set(unsigned(url), {
      url: known?.isCurrent && oldUrls.has(id) ? known.url : url,
      changed: known?.changed === true || before.get(id)?.record !== record,
      articles: (known?.articles ?? new Set()).add(id),
      isCurrent: known?.isCurrent === true || !oldUrls.has(id),
      isCover: known?.isCover === true || isCover,
    });
  }

  for (const version of versions) {
    if ('leftOut' in version) continue;
    const { article, transformed } = version;
    if (covers === 'local' && transformed.cover) add(transformed.cover, version, true);
    if (body !== 'local') continue;
    for (const url of article.renderings[0]?.images ?? []) add(url, version, false);
  }
  return needed;
}
