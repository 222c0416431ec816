import type { ArticlesClient } from '../client/client.ts';
import type { IndexedArticle } from '../mirror/formats.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { systemClock } from '../shared/clock.ts';
import { unsigned } from '../shared/image-url.ts';
import type { Notice } from '../shared/notice.ts';
import type { Renderer, Version } from './article-version.ts';
import type { Fates } from './fate.ts';
import type { Images } from './fetch.ts';
import type { Sample } from './list.ts';

/** What all steps of one load share. */
export interface Load {
  collection: string;
  mirror: Mirror;
  options: ResolvedOptions;
  /** Absent when the load makes no request. */
  client?: ArticlesClient | undefined;
  renderer: Renderer;
  /** The hosts of Astro's `image.domains`, which may have private addresses. */
  imageHosts: readonly string[];
  /** The oldest version of sharp that Astro may decode images with. */
  astroSharp?: string | undefined;
  /** The hash of what shapes stored articles and the proofs that they are unchanged: options, and code with `fetch`. */
  shape: string;
  /** The articles that the mirror had before the load, by id, in the order of the site. */
  before: ReadonlyMap<string, IndexedArticle>;
  /** The slugs that builds have published, by the mirror and the published site. */
  addresses: Mirror['addresses'];
  /** Ids of articles whose image URLs are those of an earlier load, so that a signature in them may have expired. */
  oldUrls: Set<string>;
  /** The time limit and the signal of its requests. */
  call: { signal: AbortSignal; deadline: number };
  /** Present in a load that reads a part of the service only: collects what it has read. */
  sample?: Sample | undefined;
  /** Collects what the owner of the site may want to fix. */
  notices: Notice[];
  onProgress(progress: Partial<LoadProgress>): void;
}

export interface LoadProgress {
  /** Articles listed so far. */
  listed: number;
  /** The number of articles that have to be fetched. */
  toFetch: number;
  fetched: number;
}

/**
 * Commits the result of a load to the mirror, with one atomic write.
 *
 * @param loaded `entries`: the articles that the site shows, by id; `addresses`: those that are kept
 * @param inputs the name of the record with the inputs of the fingerprint
 */
export function commit(
  loaded: {
    fates: Fates;
    versions: ReadonlyMap<string, Version>;
    entries: ReadonlyMap<string, { slug: string }>;
    images: Images;
    addresses: Mirror['addresses'];
    unlisted: readonly string[];
    older: number;
  },
  { mirror, before, addresses: known }: Load,
  inputs?: string,
): void {
  const { fates, versions, entries, images, addresses, unlisted, older } = loaded;
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
  const gone = [...mirror.addresses.keys(), ...known.keys()].filter((id) => !addresses.has(id));
  mirror.commit(next, addresses, gone);
}
