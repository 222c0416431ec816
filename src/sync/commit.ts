import type { MirrorIndex } from '../mirror/index-file.ts';
import { systemClock } from '../shared/clock.ts';
import { unsigned } from '../shared/image-url.ts';
import type { LoadedArticles, LoadOptions } from './pipeline.ts';

/**
 * Commits the result of a load to the mirror, with one atomic write.
 */
export async function commitLoad(
  { versions, before, left, older, images, shown: shownIds }: CommittedLoad,
  { mirror, renderer }: Omit<LoadOptions, 'options'>,
): Promise<void> {
  const { index } = mirror;
  const shown = versions.flatMap((version) => version.shown ?? []);
  const articles = versions.map(({ article: { hidden: _, ...article } }) => {
    const known = before.get(article.id);
    const isHidden = shownIds ? !shownIds.has(article.id) : !known || known.hidden;
    return isHidden ? { ...article, hidden: true as const } : article;
  });
  const used = new Set(
    [...shown, ...articles].flatMap(({ cover, rendering }) => [
      ...(cover ? [unsigned(cover)] : []),
      ...(rendering?.images.map(unsigned) ?? []),
    ]),
  );
  const next: MirrorIndex = {
    source: index.source,
    articles,
    older,
    images: new Map([...images].filter(([url]) => used.has(url))),
    slugHistory: index.slugHistory,
    syncedAt: systemClock.date(),
  };
  const renderings = renderer ? shown.map(renderer.keyOf) : [];
  await mirror.commit(next, { renderings, slugs: left });
}

type CommittedLoad = Pick<LoadedArticles, 'versions' | 'before' | 'left' | 'older' | 'images'> & {
  /** The ids of the articles that the site shows; absent when no site is built from the load. */
  shown?: ReadonlySet<string>;
};
