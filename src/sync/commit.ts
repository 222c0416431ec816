import type { MirrorIndex, SlugHistory } from '../mirror/index-file.ts';
import { systemClock } from '../shared/clock.ts';
import { unsigned } from '../shared/image-url.ts';
import type { Load, LoadOptions } from './pipeline.ts';

/**
 * Commits the result of a load to the mirror, with one atomic write.
 *
 * @param slugs the current slugs by id; absent when no site is built from the load
 */
export async function commitLoad(
  { versions, before, images, slugs }: CommittedLoad,
  { mirror, renderer, slugHistory }: Omit<LoadOptions, 'options'>,
): Promise<void> {
  const { index } = mirror;
  const shown = versions.flatMap((version) => version.shown ?? []);
  const articles = versions.map(({ article: { hidden: _, ...article } }) => {
    const known = before.get(article.id);
    const isHidden = slugs ? !slugs.has(article.id) : !known || known.hidden;
    return isHidden ? { ...article, hidden: true as const } : article;
  });
  const used = new Set(
    [...shown, ...articles].flatMap(({ cover, bodyImages }) => [
      ...(cover ? [unsigned(cover)] : []),
      ...(bodyImages?.urls.map(unsigned) ?? []),
    ]),
  );
  const next: MirrorIndex = {
    source: index.source,
    articles,
    images: new Map([...images].filter(([url]) => used.has(url))),
    slugHistory: addSlugs(slugHistory ?? index.slugHistory, slugs ?? new Map()),
    syncedAt: systemClock.date(),
  };
  const renderings = renderer ? shown.map(renderer.keyOf) : [];
  await mirror.commit(next, { renderings });
}

type Slugs = ReadonlyMap<string, string>;
type CommittedLoad = Pick<Load, 'versions' | 'before' | 'images'> & { slugs?: Slugs };

/** Adds the current slugs to the history of each article. The newest slug is last. */
function addSlugs(history: SlugHistory, slugs: Slugs): SlugHistory {
  const updated = new Map(history);
  for (const [id, slug] of slugs) {
    const earlier = updated.get(id) ?? [];
    if (earlier.at(-1) === slug) continue;
    updated.set(id, [...earlier.filter((other) => other !== slug), slug]);
  }
  return updated;
}
