import { type Clock, sleep } from '../shared/clock.ts';

/** The part of Astro's cache that `purge()` uses. */
export interface PurgeableCache {
  readonly enabled?: boolean;
  invalidate(input: { tags: string[] }): Promise<void>;
}

interface Purge {
  tags: readonly string[];
  /** The time from which a call may contain the tags. */
  due: number;
  /** The call that contains them. */
  call?: { start: number; done: Promise<void> };
}

interface CallSettings {
  cache: PurgeableCache;
  /** The time from which the call may be. */
  due: number;
  /** Milliseconds between two calls. */
  window: number;
}

/** Cloudflare accepts no more tags in a call. */
const maxTags = 100;

/**
 * Creates a function that invalidates tags, in as few calls as possible: a call contains the tags of all purges
 * that are due, and the next one follows after `window`. Each purge waits with its own timer, because a host may
 * stop the work of another request.
 *
 * @param all the tag of all pages, instead of more than 100 tags
 * @returns a function that resolves when a call with the tags has succeeded, with the time at which it began
 */
export function createPurgeCalls(clock: Clock) {
  const open = new Set<Purge>();
  let last = Number.NEGATIVE_INFINITY;

  function call(cache: PurgeableCache, all: string): void {
    last = clock.now();
    const due = [...open].filter((purge) => purge.due <= last);
    const tags = [...new Set(due.flatMap((purge) => purge.tags))];
    const isAll = tags.length > maxTags || tags.includes(all);
    const done = invalidate(cache, isAll ? [all] : tags);
    for (const purge of due) {
      purge.call = { start: last, done };
      open.delete(purge);
    }
  }

  return async (
    tags: readonly string[],
    all: string,
    { cache, due, window }: CallSettings,
  ): Promise<number> => {
    const purge: Purge = { tags, due };
    open.add(purge);
    while (!purge.call) {
      const wait = Math.max(purge.due, last + window) - clock.now();
      if (wait > 0) await sleep(clock, wait);
      else call(cache, all);
    }
    await purge.call.done;
    return purge.call.start;
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
