import type { ArticleProblem } from '../errors.ts';
import { downloadImages, type ImageProblem } from '../images/download.ts';
import type { IndexedArticle, MirrorImage } from '../mirror/index-file.ts';
import { systemClock } from '../shared/clock.ts';
import { printableUrl, unsigned } from '../shared/image-url.ts';
import type { PreparedVersion, PreparerOptions } from './prepare.ts';

/** The images that the shown articles need. */
export interface NeededImages {
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
export function findImages(
  versions: readonly PreparedVersion[],
  {
    before,
    options,
  }: Pick<PreparerOptions, 'options'> & { before: ReadonlyMap<string, IndexedArticle> },
): NeededImages {
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

  for (const { article, shown } of versions) {
    if (!shown) continue;
    if (covers === 'local' && shown.cover) add(shown.cover, article, true);
    if (body !== 'local') continue;
    for (const url of article.rendering?.images ?? []) add(url, article, false);
  }
  return { urls, users };
}

/** Downloads new images and revalidates stale ones. Without a client, the images are those of the mirror. */
export async function updateImages(
  { urls, users }: NeededImages,
  preparerOptions: PreparerOptions,
): Promise<{ usable: Map<string, MirrorImage>; problems: UsedImageProblem[] }> {
  const { mirror, client, options } = preparerOptions;
  const { images: usable, problems } = client
    ? await downloadImages(urls, {
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
