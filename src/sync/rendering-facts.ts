import type { IndexedArticle } from '../mirror/index-file.ts';
import type { PreparedVersion } from './prepare.ts';
import type { Renderer } from './renderer.ts';

/**
 * Adds what a load has to know of each rendering, its images and what was dropped, to the articles of the index,
 * so that later loads know it without reading the renderings.
 */
export async function addRenderingFacts(
  versions: readonly PreparedVersion[],
  renderer: Renderer | undefined,
): Promise<PreparedVersion[]> {
  // Without a renderer, as in `astro-articles sync`, those of the last build stay.
  if (!renderer) return [...versions];
  const known: PreparedVersion[] = [];
  for (const version of versions) {
    const rendering = await factsOf(version, renderer);
    const { rendering: earlier, ...article } = version.article;
    if (rendering === earlier) known.push(version);
    else known.push({ ...version, article: rendering ? { ...article, rendering } : article });
  }
  return known;
}

/** Returns the facts of a rendering: those of the index, of this load, or of its file. */
async function factsOf(
  version: PreparedVersion,
  renderer: Renderer,
): Promise<IndexedArticle['rendering']> {
  if (version.state !== 'rendered') return undefined;
  const { article, shown, renderingHash, made } = version;
  if (article.rendering?.hash === renderingHash) return article.rendering;
  const rendering = made ?? (await renderer.read(shown));
  if (!rendering) return undefined;
  const { images, dropped } = rendering;
  return { hash: renderingHash, images: images.map(({ url }) => url), dropped };
}
