import { idProblem } from '../client/urls.ts';
import { ArticlesOptionsError } from '../errors.ts';
import { FailureError } from '../http/failure.ts';
import { failureOf } from '../http/retry.ts';
import { cacheTags, listTags } from '../live/cache-tags.ts';
import { isRecord } from '../shared/json-value.ts';
import type { PacedAction } from './bursts.ts';

/** The part of Astro's cache that `purge()` uses. */
export interface PurgeableCache {
  readonly enabled?: boolean;
  invalidate(input: { tags: string[] }): Promise<void>;
}

export interface PurgeOptions {
  /** @default the cache of the request: Astro passes it to endpoints */
  cache?: PurgeableCache;
  /** The name of the live collection. @default 'articles' */
  collection?: string;
}

/**
 * Milliseconds between two calls on hosts with a cache of their own: Cloudflare allows five a minute. No page takes
 * longer to render with the time limit of the live loader, so a purge after this time finds each page that
 * was being rendered during the first one.
 */
const hostWindow = 12_000;
/** Milliseconds until the first purge. Most pages that are being rendered are stored by then. */
const firstDelay = 100;
/** Milliseconds until a host is called again that refused a call: Netlify accepts two for a tag in five seconds. */
const retryAfterMs = 6_000;
/** Cloudflare accepts no more tags in a call (https://developers.cloudflare.com/cache/how-to/purge-cache/). */
const maxTags = 100;

/**
 * Invalidates live pages in Astro's cache: the pages of the articles that the body names, and lists; without any
 * names, all pages that show articles of the collection. The first request of a burst purges at once, all others of
 * the next 12 seconds together, and each tag is purged a second time after 12 seconds. In a process without
 * `waitUntil()`, such as a server of Node, every request purges at once, and again after one and after 12 seconds.
 */
export function purge({ cache, collection = 'articles' }: PurgeOptions = {}): PacedAction {
  return {
    name: 'purge',
    window: (continues) => (continues ? hostWindow : firstDelay),
    delays: [firstDelay, 1_000, hostWindow],
    async run({ bodies, context }) {
      const { cache: cacheOfRequest } = Object(context);
      const target: PurgeableCache | undefined = cache ?? cacheOfRequest;
      if (typeof target?.invalidate !== 'function') {
        const use = 'use the webhook as an endpoint of the site, and set `cache` in astro.config';
        throw new ArticlesOptionsError(
          'invalid-options',
          `purge() found no cache of Astro: ${use}.`,
        );
      }
      // Without a cache, each reader gets the current article.
      if (target.enabled === false) return;
      const ids = [...new Set(bodies.flatMap((body) => idsIn(body)))];
      const isAll = ids.length >= maxTags || ids.some(idProblem);
      const [all, lists] = listTags(collection);
      const tags = isAll ? [all] : [...ids.map((id) => cacheTags(collection, id)[1]), lists];
      await invalidate(target, tags).catch((error) => {
        throw new FailureError({ ...failureOf(error), retryAfterMs });
      });
    },
  };
}

/** Invalidates tags in one call, or in a call for each of them if the host refuses it. */
async function invalidate(cache: PurgeableCache, tags: string[]): Promise<void> {
  try {
    await cache.invalidate({ tags });
  } catch (error) {
    if (tags.length === 1) throw error;
    // Netlify refuses all tags of a call if one of them, such as the tag of lists, was purged twice in five seconds.
    await Promise.all(tags.map((tag) => cache.invalidate({ tags: [tag] })));
  }
}

/** The fields in which webhooks wrap articles. */
const wrappers = ['article', 'articles', 'data', 'payload', 'object'] as const;
const maxDepth = 4;

/**
 * Finds the ids of articles in a body of unknown shape. What names no article gets an empty id, because it may be about any
 * article. An `id` next to a wrapped article is ignored, because it is the id of the event.
 */
function idsIn(body: unknown, depth = 0): string[] {
  const idsInEach = (parts: unknown[]) => parts.flatMap((part) => idsIn(part, depth + 1));
  if (depth > maxDepth) return [''];
  if (Array.isArray(body) && body.length > 0) return idsInEach(body);
  if (!isRecord(body)) return [''];
  const named = [body.article_id ?? [], body.ids ?? []].flat();
  if (named.length > 0) return named.map(toId);
  const wrapped = wrappers.map((name) => body[name]).filter((value) => Object(value) === value);
  return wrapped.length > 0 ? idsInEach(wrapped) : [toId(body.id)];
}

/** Returns no id for a number that JSON has rounded: it names another article, or none. */
function toId(value: unknown): string {
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? String(value) : '';
}
