import type { ArticlesClient, CallOptions } from '../client/client.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import type { Notice } from '../shared/notice.ts';
import type { Sample } from './sample.ts';
import type { Renderer } from './version.ts';

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
  /** The articles that the mirror had before the load, by id, in the order of the site. */
  before: ReadonlyMap<string, IndexedArticle>;
  /** The slugs that builds have published, by the mirror and the published site. */
  addresses: Mirror['addresses'];
  /** Ids of articles whose image URLs are those of an earlier load, so that a signature in them may have expired. */
  oldUrls: Set<string>;
  /** The time limit and the signal of its requests. */
  call: Required<CallOptions> & { signal: AbortSignal; deadline: number };
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
