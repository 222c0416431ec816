import type { ArticleProblem } from '../errors.ts';
import { downloadImages, type ImageProblem } from '../images/download.ts';
import type { IndexedArticle, MirrorImage } from '../mirror/index-file.ts';
import { systemClock } from '../shared/clock.ts';
import { printableUrl, unsigned } from '../shared/image-url.ts';
import type { PreparedVersion, PreparerOptions } from './prepare.ts';
import type { Renderer } from './renderer.ts';

/** The images that the shown articles need. */
export interface NeededImages {
  /** The versions, with the images of their bodies. */
  versions: PreparedVersion[];
  /** By URL: whether an article that shows it is new or has changed. */
  urls: Map<string, { changed: boolean }>;
  /** By URL without a signature: the ids of the articles that show it. */
  users: Map<string, { articles: Set<string>; isCover: boolean }>;
}

/** An image that cannot be used. */
export interface UsedImageProblem extends ImageProblem {
  /** The ids of the articles that show it. */
  articles: string[];
  /** Whether it is the cover of one of these articles. */
  isCover: boolean;
}

/** Collects the images that the shown articles need. */
export async function findImages(
  versions: readonly PreparedVersion[],
  {
    before,
    renderer,
    options,
  }: Pick<PreparerOptions, 'renderer' | 'options'> & {
    before: ReadonlyMap<string, IndexedArticle>;
  },
): Promise<NeededImages> {
  const { covers, body } = options.images;
  const urls: NeededImages['urls'] = new Map();
  const users: NeededImages['users'] = new Map();

  function add(url: string, article: IndexedArticle, isCover: boolean): void {
    const changed = before.get(article.id)?.digest !== article.digest;
    urls.set(url, { changed: changed || urls.get(url)?.changed === true });
    const user = users.get(unsigned(url)) ?? { articles: new Set(), isCover: false };
    user.articles.add(article.id);
    users.set(unsigned(url), { ...user, isCover: user.isCover || isCover });
  }

  const withImages: PreparedVersion[] = [];
  for (const version of versions) {
    const { article, shown } = version;
    const bodyImages = body === 'local' ? await bodyImagesOf(version, renderer) : undefined;
    const { bodyImages: _, ...plain } = article;
    // Without a renderer, as in `astro-articles sync`, those of the last build stay.
    if (!renderer) withImages.push(version);
    else withImages.push({ ...version, article: bodyImages ? { ...plain, bodyImages } : plain });
    if (!shown) continue;
    if (covers === 'local' && shown.cover) add(shown.cover, article, true);
    for (const url of bodyImages?.urls ?? []) add(url, article, false);
  }
  return { versions: withImages, urls, users };
}

/** Returns the images of a body: from the index if the rendering is unchanged, otherwise from the rendering. */
async function bodyImagesOf(
  { article, shown, renderingHash }: PreparedVersion,
  renderer: Renderer | undefined,
): Promise<IndexedArticle['bodyImages']> {
  if (!shown || !renderingHash) return undefined;
  if (article.bodyImages?.rendering === renderingHash) return article.bodyImages;
  const rendering = await renderer?.read(shown);
  return rendering && { rendering: renderingHash, urls: rendering.images.map(({ url }) => url) };
}

/** Downloads new images and revalidates stale ones. Without a client, the images are those of the mirror. */
export async function updateImages(
  { urls, users }: NeededImages,
  load: PreparerOptions,
): Promise<{ usable: Map<string, MirrorImage>; problems: UsedImageProblem[] }> {
  const { mirror, client, options } = load;
  const { images: usable, problems } = client
    ? await downloadImages(urls, {
        ...load,
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
  const used = [...problems].flatMap(([url, problem]) => {
    const user = users.get(url);
    return user ? [{ ...problem, isCover: user.isCover, articles: [...user.articles] }] : [];
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
