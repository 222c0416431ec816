import type { LimitFunction } from 'p-limit';
import type { ArticlesClient } from '../client/client.ts';
import type { IndexedArticle, StoredArticle } from '../mirror/formats.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import type { PathHistory } from '../redirects/history.ts';
import type { RenderedArticle } from '../render/render-article.ts';
import type { AstroCollection } from './astro-collection.ts';

/** What all steps of one load share. */
export interface Load {
  collection: string;
  mirror: Mirror;
  options: ResolvedOptions;
  /** Absent when the load makes no request. */
  client?: ArticlesClient | undefined;
  renderer: Renderer;
  astro: AstroCollection;
  /** The hosts of Astro's `image.domains`, which may have private addresses. */
  imageHosts: readonly string[];
  /** The oldest version of sharp that Astro may decode images with. */
  astroSharp?: string | undefined;
  /**
   * A hash of the options that articles are read with, and of the site's code if it passes `fetch`. After a change, all
   * articles are requested again.
   */
  sourceHash: string;
  /** The articles that the mirror had before the load, by id, in the order of the site. */
  before: ReadonlyMap<string, IndexedArticle>;
  /** The history of the pages that builds have published, as the mirror and the published site say. */
  paths: PathHistory;
  /** Ids in the history of paths that were not listed in the last load, and are not requested until they are listed again. */
  unlisted: ReadonlySet<string>;
  /** Ids in the history of paths that are gone since an earlier load. They are ignored until they are listed again. */
  gone: ReadonlySet<string>;
  /** Ids of articles whose image URLs are of an earlier load, so that a signature in them may have expired. */
  idsWithOldUrls: Set<string>;
  /** The time limit and the signal of its requests. */
  call: { signal: AbortSignal; deadline: number };
  onProgress(progress: Partial<LoadProgress>): void;
}

export interface LoadProgress {
  /** Articles listed so far. */
  listed: number;
  /** The number of articles that have to be fetched. */
  toFetch: number;
  fetched: number;
}

/** Renders articles with the site's own Markdown settings. */
export interface Renderer {
  /** @throws {ArticlesInvalidError} when the Markdown of the article cannot be rendered */
  render(article: StoredArticle): Promise<RenderedArticle>;
  /** Renders one article at a time, because they share a processor; with Markdown plugins, which may wait, many. */
  queue: LimitFunction;
  /** A hash of everything that shapes a rendering, except the article. */
  fingerprint: string;
  /** Whether renderings and values of `rows.changedBy` of earlier loads are used: not with `--force`. */
  isReusable: boolean;
}
