import { systemClock } from '../shared/clock.ts';
import { unsigned } from '../shared/image-url.ts';
import { idsOnSite } from './fate.ts';
import type { LoadedCollection } from './load-collection.ts';

/** What a commit needs of a load. */
type CommittedLoad = Omit<LoadedCollection, 'fileOf' | 'notices' | 'listing'>;

/**
 * Commits the result of a load to the mirror, with one atomic write.
 *
 * @param inputs the name of the record with the inputs of the fingerprint
 */
export function commit(
  { fates, versions, entries, images, unlisted, gone, older, load }: CommittedLoad,
  inputs?: string,
): void {
  const { mirror, before, paths, options, astro } = load;
  const articles = [...fates].flatMap(([id, fate]) => {
    // An article that is not listed is requested again when it is listed again.
    const isKept = fate.is === 'shown' || (fate.is === 'left out' && fate.why !== 'not listed');
    const article = versions.get(id)?.article ?? before.get(id);
    if (!isKept || !article) return [];
    return { ...article, slug: entries.get(id)?.slug };
  });
  const transformed = [...versions.values()].flatMap((version) =>
    'leftOut' in version ? [] : version.transformed,
  );
  const used = new Set([
    ...[...transformed, ...articles].flatMap(({ cover }) => (cover ? unsigned(cover) : [])),
    ...articles.flatMap(({ renderings }) =>
      renderings.flatMap((each) => each.images.map(unsigned)),
    ),
  ]);
  // `astro dev` and previews may show drafts.
  const isBuild = !astro.isDev && options.drafts === 'skip';
  const next = {
    articles,
    unlisted,
    gone,
    built: isBuild ? [...idsOnSite(fates)] : mirror.index.built,
    older,
    inputs,
    images: new Map([...images].filter(([url]) => used.has(url))),
    syncedAt: systemClock.date(),
  };
  // Such a folder may be in a repository, where a build without a change has to change no file.
  mirror.commit(next, paths, { keepsDate: options.mirrorDir !== undefined });
}
