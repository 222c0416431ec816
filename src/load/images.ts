import { correctIt, downloadImages, type WantedImage } from '../images/download.ts';
import { safeKinds } from '../images/safe-kinds.ts';
import type { MirrorImage } from '../mirror/formats.ts';
import { systemClock } from '../shared/clock.ts';
import type { Finding, ImageProblem } from '../shared/finding.ts';
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

/** By URL without a signature, with files that exist. */
export type Images = ReadonlyMap<string, MirrorImage>;

/**
 * Downloads new images that the articles show, and revalidates stale ones. Without a client, the images are the images of
 * the mirror.
 *
 * @returns `images`: the images that are kept, also for earlier versions of articles; `usable`: the images
 *   that Astro may decode; `noticesOf`: returns the problems of the images that some versions show
 */
export async function loadImages(versions: Iterable<Version>, load: Load) {
  const { mirror, client, options, call, imageHosts, astroSharp } = load;
  const kinds = safeKinds(astroSharp);
  const wanted = client ? findImages(versions, load) : new Map<string, NeededImage>();
  const { images, problems } = await downloadImages(wanted, {
    ...call,
    mirror,
    kinds,
    baseUrl: new URL(options.baseUrl),
    fetch: options.fetch,
    maxBytes: options.images.maxBytes,
    allowedHosts: imageHosts,
    clock: systemClock,
  });
  // Earlier versions of articles may need other images. With a missing file, Astro's build would fail.
  for (const [url, image] of mirror.index.images) {
    if (!images.has(url) && !problems.has(url) && mirror.hasImage(image)) images.set(url, image);
  }
  const isUsable = ({ file }: MirrorImage) => kinds.some((kind) => file.endsWith(`.${kind}`));
  const usable: Images = new Map([...images].filter(([, image]) => isUsable(image)));

  /** Returns what is wrong with an image; undefined if nothing is. */
  function findingOf([key, image]: [string, NeededImage]): Finding | undefined {
    const { url, articles: ids, isCover } = image;
    const file = images.get(key)?.file;
    const isSvg = file?.endsWith('.svg');
    // In a text, an SVG keeps its URL.
    if (isSvg && !isCover) return undefined;
    const host = URL.parse(url, options.baseUrl)?.host;
    const subject = { ids: [...ids], urls: [printableUrl(url)] };
    const pictures = { isCover, host };
    if (file && !isSvg && !usable.has(key))
      return { code: 'old-sharp', ...subject, data: { ...pictures, sharp: astroSharp } };
    // Without a request, the image has no problem yet.
    const found = problems.get(key) ?? (file ? undefined : unusable('the mirror does not have it'));
    const problem = isSvg ? unusable('it is an SVG') : found;
    return problem && { code: 'image', ...subject, data: { ...pictures, ...problem } };
  }

  const noticesOf = (shown: Iterable<Version>) =>
    [...findImages(shown, load)].flatMap((each) => findingOf(each) ?? []);
  return { images, usable, noticesOf };
}

function unusable(reason: string): ImageProblem {
  return { reason, remedy: correctIt, kept: false };
}

/** Collects the images that the shown articles need, by URL without a signature. */
function findImages(
  versions: Iterable<Version>,
  {
    before,
    options,
    idsWithOldUrls,
    renderer,
  }: Pick<Load, 'before' | 'options' | 'idsWithOldUrls' | 'renderer'>,
): Map<string, NeededImage> {
  const { covers, body } = options.images;
  const needed = new Map<string, NeededImage>();

  function add(url: string, { article: { id, record } }: Version, isCover: boolean): void {
    const known = needed.get(unsigned(url));
    needed.set(unsigned(url), {
      url: known?.isCurrent && idsWithOldUrls.has(id) ? known.url : url,
      // With `--force`, each image is requested.
      changed: known?.changed || !renderer.isReusable || before.get(id)?.record !== record,
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
