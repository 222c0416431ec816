import type { Mirror } from '../mirror/mirror.ts';
import { systemClock } from '../shared/clock.ts';
import { unsigned } from '../shared/image-url.ts';
import type { Fates } from './fate.ts';
import type { Images } from './images.ts';
import type { Load } from './load.ts';
import type { Version } from './version.ts';

/** What a load commits. */
interface CommittedLoad {
  fates: Fates;
  versions: ReadonlyMap<string, Version>;
  /** Of the articles that the site shows, by id. */
  entries: ReadonlyMap<string, { slug: string }>;
  images: Images;
  /** Those that are kept. */
  addresses: Mirror['addresses'];
  older: number;
}

/**
 * Commits the result of a load to the mirror, with one atomic write.
 *
 * @param inputs the name of the record with the files that shaped the entries
 */
export function commit(
  { fates, versions, entries, images, addresses, older }: CommittedLoad,
  { mirror, options, before, addresses: known }: Load,
  inputs?: string,
): void {
  const articles = [...fates].flatMap(([id, fate]) => {
    // One that is not listed is requested again when it is listed again.
    const isKept = fate.is === 'shown' || (fate.is === 'left out' && fate.why !== 'not listed');
    const article = versions.get(id)?.article ?? before.get(id);
    if (!isKept || !article) return [];
    const slug = entries.get(id)?.slug ?? article.slug;
    return { ...article, shown: fate.is === 'shown', ...(slug !== undefined && { slug }) };
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
    older,
    inputs,
    images: new Map([...images].filter(([url]) => used.has(url))),
    syncedAt: systemClock.date(),
  };
  const gone = [...mirror.addresses.keys(), ...known.keys()].filter((id) => !addresses.has(id));
  mirror.commit(next, { apiKey: options.apiKey, addresses, gone });
}
