import { idProblem } from '../client/urls.ts';
import { ArticlesOptionsError } from '../errors.ts';
import { cacheTags, collectionTag, listTag } from '../live/cache-tags.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { recordPurge } from '../shared/purge-count.ts';
import { runAction, type WebhookAction } from './actions.ts';
import { createBatches } from './batches.ts';

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
  /**
   * Returns the path of an article's page, which is requested after the purge, so that the next reader gets a page
   * that is rendered already. @default no page is requested
   */
  warm?: (id: string) => string;
}

/** The time in milliseconds within which Astro stores a response that was complete before a purge. */
const storeDelay = 20;
/**
 * Milliseconds between two calls on hosts with a cache of their own: Cloudflare allows five a minute. No page takes
 * longer to render with the default `totalTimeout` of the live loader, so the second call finds each page that was
 * being rendered, elsewhere, during the first.
 */
const hostWindow = 12_000;
/** Of a body with more ids, all pages of the collection are purged. */
export const maxIds = 100;
/** Cloudflare accepts no more tags in a call. */
const maxTags = 100;

/**
 * Invalidates live pages in Astro's cache: those of the articles that the body names, and lists; without any
 * names, all pages that show articles of the collection. The first request of a burst purges at once, all others of
 * the next 12 seconds together, and each tag is purged a second time after 12 seconds. In a process without
 * `waitUntil()`, such as one of Node, every request purges at once.
 */
export function purge(
  options: PurgeableCache | PurgeOptions = {},
  clock: Clock = systemClock,
): WebhookAction {
  const {
    cache,
    collection = 'articles',
    warm,
  }: PurgeOptions = 'invalidate' in options ? { cache: options } : options;
  const calls = createBatches(clock, invalidateAll);

  /** Invalidates the tags of some purges in one call, and returns the time at which it began. */
  async function invalidateAll(purges: { target: PurgeableCache; tags: string[] }[]) {
    const start = clock.now();
    const all = await collectionTag(collection);
    const tags = [...new Set(purges.flatMap((each) => each.tags))];
    const isAll = tags.length > maxTags || tags.includes(all);
    const { target } = purges.reduce((_, latest) => latest);
    await invalidate(target, isAll ? [all] : tags);
    return start;
  }

  return {
    name: 'purge',
    everyTime: true,
    async run(event) {
      const { body, context, waitUntil } = event;
      const target: Partial<PurgeableCache> = cache ?? Object(context).cache ?? {};
      if (!isCache(target)) {
        throw new ArticlesOptionsError(
          'invalid-options',
          'purge() found no cache of Astro: use the webhook as an endpoint of the site, and set `cache` in astro.config.',
        );
      }
      // Without a cache, each reader gets the current article.
      if (target.enabled === false) return;
      // Responses that are being rendered from now on are not stored, and one that is complete is stored soon.
      recordPurge();
      const ids = namedIds(body);
      const tags = await tagsOf(ids, collection);
      const window = waitUntil ? hostWindow : storeDelay;
      const call = (due: number) => calls({ target, tags }, { due, window }).result;
      const requestAll = async () => warm && requestPages(ids.map(warm), context);
      const first = await call(clock.now() + storeDelay);
      // Counted from the beginning of the first call, so that it is part of the next one of a burst.
      const again = () => call(first + hostWindow).then(requestAll);
      const rest = [
        runAction({ name: 'warm', run: requestAll }, event, clock),
        runAction({ name: 'second purge', run: again }, event, clock),
      ];
      waitUntil?.(Promise.all(rest));
    },
  };
}

/** Invalidates tags in one call, or in a call for each of them if the host refuses it. */
async function invalidate(cache: PurgeableCache, tags: string[]): Promise<void> {
  try {
    await cache.invalidate({ tags });
  } catch (error) {
    if (tags.length === 1) throw error;
    // Netlify refuses all tags of a call if one of them, such as that of lists, was purged twice in five seconds.
    await Promise.all(tags.map((tag) => cache.invalidate({ tags: [tag] })));
  }
}

function isCache(value: Partial<PurgeableCache>): value is PurgeableCache {
  return typeof value.invalidate === 'function';
}

/** Returns tags of `liveArticlesLoader()`: those of the articles and of lists, or that of all pages if there are no ids. */
async function tagsOf(ids: readonly string[], collection: string): Promise<string[]> {
  if (ids.length === 0) return [await collectionTag(collection)];
  const own = ids.map(async (id) => (await cacheTags(collection, id)).slice(1));
  return [...(await Promise.all(own)).flat(), await listTag(collection)];
}

/** Requests pages one by one, and ignores failures: the next reader requests the page, too. */
async function requestPages(paths: readonly string[], context: unknown): Promise<void> {
  const { request } = Object(context);
  for (const path of paths) {
    const url = new URL(path, request?.url);
    await fetch(url).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    );
  }
}

/** Returns the ids of the articles that a body names; none if they are too many or one cannot be an id. */
function namedIds(body: unknown): string[] {
  const ids = [...new Set(idsIn(body))];
  return ids.length <= maxIds && !ids.some(idProblem) ? ids : [];
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
