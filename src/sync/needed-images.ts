import type { ArticleProblem } from '../errors.ts';
import { downloadImages, type ImageProblem, type WantedImage } from '../images/download.ts';
import type { IndexedArticle, MirrorImage } from '../mirror/index-file.ts';
import { systemClock } from '../shared/clock.ts';
import { printableUrl, unsigned } from '../shared/image-url.ts';
import type { PreparedVersion, PreparerOptions } from './prepare.ts';

/** An image that shown articles need. */
interface NeededImage extends WantedImage {
  /** The ids of the articles that show it. */
  articles: Set<string>;
  /** Whether it is the cover of one of these articles. */
  isCover: boolean;
}

/** An image that cannot be used. */
export interface UsedImageProblem extends ImageProblem, Pick<NeededImage, 'isCover'> {
  articles: string[];
}

/** Collects the images that the shown articles need, by URL without a signature. */
export function findImages(
  versions: readonly PreparedVersion[],
  {
    before,
    options,
  }: Pick<PreparerOptions, 'options'> & { before: ReadonlyMap<string, IndexedArticle> },
): Map<string, NeededImage> {
  const { covers, body } = options.images;
  const needed = new Map<string, NeededImage>();

  function add(url: string, { id, digest }: IndexedArticle, isCover: boolean): void {
    const known = needed.get(unsigned(url));
    needed.set(unsigned(url), {
      url,
      changed: known?.changed === true || before.get(id)?.digest !== digest,
      articles: (known?.articles ?? new Set()).add(id),
      isCover: known?.isCover === true || isCover,
    });
  }

  for (const { article, shown } of versions) {
    if (!shown) continue;
    if (covers === 'local' && shown.cover) add(shown.cover, article, true);
    if (body !== 'local') continue;
    for (const url of article.rendering?.images ?? []) add(url, article, false);
  }
  return needed;
}

/** Downloads new images and revalidates stale ones. Without a client, the images are those of the mirror. */
export async function updateImages(
  needed: ReadonlyMap<string, NeededImage>,
  preparerOptions: PreparerOptions,
): Promise<{ usable: Map<string, MirrorImage>; problems: UsedImageProblem[] }> {
  const { mirror, client, options } = preparerOptions;
  const { images: usable, problems } = client
    ? await downloadImages(needed, {
        ...preparerOptions,
        baseUrl: client.baseUrl,
        settings: options.images,
        clock: systemClock,
      })
    : { images: new Map<string, MirrorImage>(), problems: new Map<string, ImageProblem>() };
  // Earlier versions of articles may need other images. With a missing file, Astro's build would fail.
  for (const [url, image] of mirror.index.images) {
    if (usable.has(url) || problems.has(url)) continue;
    const reason = 'its file in the mirror is missing or corrupt';
    if (await mirror.hasImage(image)) usable.set(url, image);
    else problems.set(url, { url: printableUrl(url), reason, kept: false });
  }
  // Without requests, an image that no earlier load has downloaded stays missing.
  for (const [key, { url }] of needed) {
    if (usable.has(key) || problems.has(key)) continue;
    const reason = 'the mirror does not have it';
    problems.set(key, { url: printableUrl(url), reason, kept: false });
  }
  const used = [...problems].flatMap(([url, problem]) => {
    const image = needed.get(url);
    return image ? [{ ...problem, isCover: image.isCover, articles: [...image.articles] }] : [];
  });
  return { usable, problems: used };
}

/** Converts the problem of an image to a problem of each article that shows it. */
export function articleProblems({
  articles,
  isCover,
  reason,
  url,
}: UsedImageProblem): ArticleProblem[] {
  const field = isCover ? 'cover_image' : 'content';
  return articles.map((id) => ({ id, field, reason: `${url}: ${reason}` }));
}
