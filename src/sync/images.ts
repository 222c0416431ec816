import { downloadImages, type ImageProblem, type WantedImage } from '../images/download.ts';
import type { MirrorImage } from '../mirror/formats.ts';
import { systemClock } from '../shared/clock.ts';
import { printableUrl, unsigned } from '../shared/image-url.ts';
import { joinSome } from '../shared/notice.ts';
import type { Load } from './load.ts';
import type { Version } from './version.ts';

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
 * @returns all images, those of earlier versions of articles, too
 */
export async function loadImages(versions: Iterable<Version>, load: Load): Promise<Images> {
  const { mirror, client, options, call, imageHosts } = load;
  const needed = findImages(versions, load);
  let images = new Map<string, MirrorImage>();
  let problems = new Map<string, ImageProblem>();
  if (client) {
    const { baseUrl } = client;
    const { maxBytes } = options.images;
    const settings = { baseUrl, maxBytes, allowedHosts: imageHosts, clock: systemClock };
    ({ images, problems } = await downloadImages(needed, { mirror, ...call, ...settings }));
  }
  // Earlier versions of articles may need other images. With a missing file, Astro's build would fail.
  for (const [url, image] of mirror.index.images) {
    if (!images.has(url) && !problems.has(url) && mirror.hasImage(image)) images.set(url, image);
  }
  for (const [key, { url, articles, isCover }] of needed) {
    // Without a request, the image has no problem yet.
    const reason = mirror.index.images.has(key)
      ? 'its file in the mirror is missing or corrupt'
      : 'the mirror does not have it';
    const lacking = images.has(key) ? undefined : { url: printableUrl(url), reason, kept: false };
    const problem = problems.get(key) ?? lacking;
    if (!problem) continue;
    const ids = [...articles];
    const users = `${ids.length === 1 ? 'article' : 'articles'} ${joinSome(ids)}`;
    const effect = isCover ? 'No cover is shown.' : 'The remote image is used.';
    const result = problem.kept ? 'The last good file is used.' : effect;
    const text = `${isCover ? 'Cover' : 'Image'} ${problem.url} of ${users}: ${problem.reason}. ${result}`;
    const field = isCover ? 'cover_image' : 'content';
    load.notices.push({ kind: 'image', ids, field, text });
  }
  return images;
}

/** Collects the images that the shown articles need, by URL without a signature. */
function findImages(
  versions: Iterable<Version>,
  { before, options, oldUrls }: Load,
): Map<string, NeededImage> {
  const { covers, body } = options.images;
  const needed = new Map<string, NeededImage>();

  function add(url: string, { article: { id, digest } }: Version, isCover: boolean): void {
    const known = needed.get(unsigned(url));
    needed.set(unsigned(url), {
      url,
      changed: known?.changed === true || before.get(id)?.digest !== digest,
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
