import { downloadImages, type ImageProblem, type WantedImage } from '../images/download.ts';
import type { MirrorImage } from '../mirror/index-file.ts';
import { systemClock } from '../shared/clock.ts';
import { printableUrl, unsigned } from '../shared/image-url.ts';
import { joinSome, type Notice } from '../shared/notice.ts';
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
export async function loadImages(versions: readonly Version[], load: Load): Promise<Images> {
  const { mirror, client, options, call, notices } = load;
  const needed = findImages(versions, load);
  const { images: usable, problems } = client
    ? await downloadImages(needed, {
        mirror,
        ...call,
        baseUrl: client.baseUrl,
        maxBytes: options.images.maxBytes,
        allowedHosts: load.imageHosts,
        clock: systemClock,
      })
    : { images: new Map<string, MirrorImage>(), problems: new Map<string, ImageProblem>() };
  const unusable = (url: string, reason: string) =>
    problems.set(unsigned(url), { url: printableUrl(url), reason, kept: false });
  // Earlier versions of articles may need other images. With a missing file, Astro's build would fail.
  for (const [url, image] of mirror.index.images) {
    if (usable.has(url) || problems.has(url)) continue;
    if (mirror.hasImage(image)) usable.set(url, image);
    else unusable(url, 'its file in the mirror is missing or corrupt');
  }
  // Without requests, an image that no earlier load has downloaded stays missing.
  for (const [key, { url }] of needed) {
    if (!usable.has(key) && !problems.has(key)) unusable(url, 'the mirror does not have it');
  }
  for (const [key, problem] of problems) {
    const image = needed.get(key);
    if (image) notices.push(noticeOfImage(problem, image));
  }
  return usable;
}

/** Collects the images that the shown articles need, by URL without a signature. */
function findImages(
  versions: readonly Version[],
  { before, options, oldUrls }: Load,
): Map<string, NeededImage> {
  const { covers, body } = options.images;
  const needed = new Map<string, NeededImage>();

  function add(url: string, { article }: Version, isCover: boolean): void {
    const known = needed.get(unsigned(url));
    const { id, digest } = article;
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

function noticeOfImage(
  { url, reason, kept }: ImageProblem,
  { articles, isCover }: NeededImage,
): Notice {
  const ids = [...articles];
  const users = `${ids.length === 1 ? 'article' : 'articles'} ${joinSome(ids)}`;
  const effect = isCover ? 'No cover is shown.' : 'The remote image is used.';
  const result = kept ? 'The last good file is used.' : effect;
  const text = `${isCover ? 'Cover' : 'Image'} ${url} of ${users}: ${reason}. ${result}`;
  return { kind: 'image', ids, field: isCover ? 'cover_image' : 'content', text };
}
