import type { Mirror } from '../mirror/mirror.ts';
import { joinHistories } from '../redirects/history.ts';
import { systemClock } from '../shared/clock.ts';
import { unsigned } from '../shared/image-url.ts';
import type { Version } from './article-version.ts';
import type { Fates } from './fate.ts';
import type { Images } from './images.ts';
import type { Load } from './load.ts';

/**
 * Commits the result of a load to the mirror, with one atomic write.
 *
 * @param loaded `entries`: the articles that the site shows, by id; `slugHistory`: without articles that are gone
 * @param inputs the name of the record with the inputs of the fingerprint
 */
export function commit(
  loaded: {
    fates: Fates;
    versions: ReadonlyMap<string, Version>;
    entries: ReadonlyMap<string, { slug: string }>;
    images: Images;
    slugHistory: Mirror['slugHistory'];
    unlisted: readonly string[];
    older: number;
  },
  { mirror, before, slugHistory: known }: Load,
  inputs?: string,
): void {
  const { fates, versions, entries, images, slugHistory, unlisted, older } = loaded;
  const articles = [...fates].flatMap(([id, fate]) => {
    // One that is not listed is requested again when it is listed again.
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
  const next = {
    articles,
    unlisted: [...unlisted],
    older,
    inputs,
    images: new Map([...images].filter(([url]) => used.has(url))),
    syncedAt: systemClock.date(),
  };
  // Of articles that are gone.
  const dropped = [...joinHistories(mirror.slugHistory, known)].flatMap(([id, slugs]) =>
    [...slugs.keys()].every((slug) => slugHistory.get(id)?.has(slug)) ? [] : id,
  );
  mirror.commit(next, slugHistory, dropped);
}
