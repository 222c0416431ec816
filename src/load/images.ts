import type { Notice, NoticeKind } from '../errors.ts';
import {
  correctIt,
  downloadImages,
  type ImageProblem,
  type ImageTraffic,
  type WantedImage,
} from '../images/download.ts';
import { replaceSharp, safeKinds } from '../images/safe-kinds.ts';
import { joinSome } from '../messages.ts';
import type { MirrorImage } from '../mirror/formats.ts';
import { systemClock } from '../shared/clock.ts';
import { printableUrl, unsigned } from '../shared/image-url.ts';
import type { Version } from './article-version.ts';
import type { Load } from './load.ts';

/** An image that shown articles need. */
interface NeededImage extends WantedImage {
  /** The ids of the articles that show it. */
  articles: Set<string>;
  /** Whether it is the cover of one of these articles. */
  isCover: boolean;
}

const lostAnimation =
  'it is an animated PNG, of which Astro shows the first frame. Save it as GIF or WebP in the service.';

/** By URL without a signature, with files that exist. */
export type Images = ReadonlyMap<string, MirrorImage>;

/**
 * Downloads new images that the articles show, and revalidates stale ones. Without a client, the images are the images of
 * the mirror.
 *
 * @returns `images`: the images that are kept, also for earlier versions of articles; `usable`: the images
 *   that Astro may decode
 */
export async function loadImages(versions: Iterable<Version>, load: Load) {
  const { mirror, client, options, call, imageHosts, astroSharp } = load;
  const needed = findImages(versions, load);
  const kinds = safeKinds(astroSharp);
  let images = new Map<string, MirrorImage>();
  let problems = new Map<string, ImageProblem>();
  let traffic: ImageTraffic = { requests: 0, bytes: 0 };
  if (client) {
    const { baseUrl } = client;
    const { maxBytes } = options.images;
    const { fetch } = options;
    const allowed = { allowedHosts: imageHosts, clock: systemClock };
    const settings = { baseUrl, fetch, maxBytes, kinds, ...allowed };
    ({ images, problems, traffic } = await downloadImages(needed, {
      mirror,
      ...call,
      ...settings,
    }));
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
    const missing = { reason: 'the mirror does not have it', remedy: correctIt, kept: false };
    const { reason, remedy, kept } = problem ?? missing;
    return `${reason}. ${kept ? 'The last good file is used.' : effect} ${remedy}`.trim();
  }

  const notices = [...needed].flatMap(([key, image]) => {
    const problem = problemOf(key, image.isCover);
    if (problem) return imageNotice(image, 'image', problem);
    return images.get(key)?.isAnimatedPng ? imageNotice(image, 'other', lostAnimation) : [];
  });
  return { images, usable, notices, traffic };
}

function imageNotice(
  { url, articles, isCover }: NeededImage,
  kind: NoticeKind,
  problem: string,
): Notice {
  const ids = [...articles];
  const users = `${ids.length === 1 ? 'article' : 'articles'} ${joinSome(ids)}`;
  const text = `${isCover ? 'Cover' : 'Image'} ${printableUrl(url)} of ${users}: ${problem}`;
  return { kind, ids, field: isCover ? 'cover_image' : 'content', text };
}

/** Collects the images that the shown articles need, by URL without a signature. */
function findImages(
  versions: Iterable<Version>,
  { before, options, idsWithOldUrls }: Load,
): Map<string, NeededImage> {
  const { covers, body } = options.images;
  const needed = new Map<string, NeededImage>();

  function add(url: string, { article: { id, record } }: Version, isCover: boolean): void {
    const known = needed.get(unsigned(url));
    needed.set(unsigned(url), {
      url: known?.isCurrent && idsWithOldUrls.has(id) ? known.url : url,
      changed: known?.changed === true || before.get(id)?.record !== record,
      articles: (known?.articles ?? new Set()).add(id),
      isCurrent: known?.isCurrent === true || !idsWithOldUrls.has(id),
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
