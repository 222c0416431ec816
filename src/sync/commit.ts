import type { Mirror } from '../mirror/mirror.ts';
import { systemClock } from '../shared/clock.ts';
import { unsigned } from '../shared/image-url.ts';
import type { Fates } from './fate.ts';
import type { Load } from './load.ts';
import type { Images } from './needed-images.ts';
import type { Version } from './version.ts';

/** What a load commits. */
interface CommittedLoad {
  fates: Fates;
  versions: ReadonlyMap<string, Version>;
  /** Of the articles that the site shows, by id. */
  entries: ReadonlyMap<string, { slug: string }>;
  images: Images;
  addresses: Mirror['addresses'];
  /** The ids whose slugs are forgotten. */
  forgotten: readonly string[];
  older: number;
  /** The name of the record with the files that shaped the entries. */
  inputs?: string | undefined;
}

/** Commits the result of a load to the mirror, with one atomic write. */
export function commit(
  { fates, versions, entries, images, addresses, forgotten, older, inputs }: CommittedLoad,
  { mirror, options, before }: Load,
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
  mirror.commit(next, { apiKey: options.apiKey, addresses, gone: forgotten });
}
