import { idProblem } from '../client/urls.ts';
import { ArticlesOptionsError } from '../errors.ts';
import type { WebhookAction } from './actions.ts';
import { recordPurge } from './cache-middleware.ts';

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

/** The time in milliseconds within which Astro stores a response that was complete before a purge. */
const storeDelay = 20;
const maxIds = 100;

/**
 * Invalidates live pages in Astro's cache: those of the articles that the body names, and lists; without any
 * names, all pages that show articles of the collection. It runs for each request of a burst, because it costs
 * no build.
 */
export function purge(options: PurgeableCache | PurgeOptions = {}): WebhookAction {
  const { cache, collection = 'articles' }: PurgeOptions =
    'invalidate' in options ? { cache: options } : options;
  return {
    name: 'purge',
    everyTime: true,
    async run({ body, context }) {
      const target: Partial<PurgeableCache> = cache ?? Object(context).cache ?? {};
      if (!target.invalidate) {
        throw new ArticlesOptionsError(
          'invalid-options',
          'purge() found no cache of Astro: use the webhook as an endpoint of the site, and set `cache` in astro.config.',
        );
      }
      // Without a cache, each reader gets the current article.
      if (target.enabled === false) return;
      const tags = tagsOf(body, collection);
      recordPurge();
      await target.invalidate({ tags });
      await new Promise((resolve) => setTimeout(resolve, storeDelay));
      await target.invalidate({ tags });
    },
  };
}

/** The tags are those of `liveArticlesLoader()`. */
function tagsOf(body: unknown, collection: string): string[] {
  const ids = [...new Set(idsIn(body))];
  const areIds = ids.length > 0 && ids.length <= maxIds && !ids.some(idProblem);
  if (!areIds) return [collection];
  return [...ids.map((id) => `${collection}:${encodeURIComponent(id)}`), `${collection}/list`];
}

/** The fields in which webhooks wrap articles. */
const wrappers = ['article', 'articles', 'data', 'payload', 'object'] as const;
const maxDepth = 4;

/**
 * Finds the ids of articles in a body of unknown shape. An `id` next to a wrapped article is ignored, because
 * it is the id of the event.
 */
function idsIn(body: unknown, depth = 0): string[] {
  if (!isObject(body) || depth > maxDepth) return [];
  if (Array.isArray(body)) return body.flatMap((part) => idsIn(part, depth + 1));
  const own = [...toId(body.article_id), ...toId(body.articleId)];
  if (own.length > 0) return own;
  const wrapped = wrappers.map((name) => body[name]).filter(isObject);
  return wrapped.length > 0 ? wrapped.flatMap((part) => idsIn(part, depth + 1)) : toId(body.id);
}

/** Returns no usable id for a number that JSON has rounded: it names another article, or none. */
function toId(value: unknown): string[] {
  if (typeof value === 'number') return [Number.isSafeInteger(value) ? String(value) : ''];
  return typeof value === 'string' ? [value] : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
