import type { ArticleProblem } from '../errors.ts';
import type { ImageProblem } from '../images/download.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { unsigned } from '../shared/image-url.ts';
import type { PreparedVersion } from './prepare.ts';
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
  }: {
    before: ReadonlyMap<string, IndexedArticle>;
    renderer?: Renderer | undefined;
    options: ResolvedOptions;
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
    const { shown, renderingHash } = version;
    const bodyImages =
      body === 'local' && shown && renderingHash && renderer
        ? await bodyImagesOf(version, renderer)
        : undefined;
    withImages.push(bodyImages ? withBodyImages(version, bodyImages) : version);
    if (!shown) continue;
    if (covers === 'local' && shown.cover) add(shown.cover, version.article, true);
    for (const url of bodyImages?.urls ?? []) add(url, version.article, false);
  }
  return { versions: withImages, urls, users };
}

type BodyImages = NonNullable<IndexedArticle['bodyImages']>;

/** Returns the images of a body: from the index if the rendering is unchanged, otherwise from the rendering. */
async function bodyImagesOf(
  { shown, renderingHash = '', rendering }: PreparedVersion,
  renderer: Renderer,
): Promise<BodyImages | undefined> {
  if (!shown) return undefined;
  if (!rendering && shown.bodyImages?.rendering === renderingHash) return shown.bodyImages;
  const source = rendering ?? (await renderer.read(shown));
  return source && { rendering: renderingHash, urls: source.images.map(({ url }) => url) };
}

function withBodyImages(version: PreparedVersion, bodyImages: BodyImages): PreparedVersion {
  const { article, shown } = version;
  return {
    ...version,
    article: { ...article, bodyImages },
    ...(shown ? { shown: { ...shown, bodyImages } } : {}),
  };
}

/** Adds to each problem the articles that show the image. */
export function withUsers(
  problems: ReadonlyMap<string, ImageProblem>,
  users: NeededImages['users'],
): UsedImageProblem[] {
  return [...problems].flatMap(([url, problem]) => {
    const user = users.get(url);
    return user ? [{ ...problem, isCover: user.isCover, articles: [...user.articles] }] : [];
  });
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
