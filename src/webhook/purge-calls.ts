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
  call?: Promise<void>;
}

interface CallSettings {
  cache: PurgeableCache;
  /** Milliseconds from now until the tags are due. */
  delay: number;
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
 * @returns a function that resolves when a call with the tags has succeeded
 */
export function createPurgeCalls(clock: Clock) {
  const open = new Set<Purge>();
  let last = Number.NEGATIVE_INFINITY;

  function call(cache: PurgeableCache, all: string): void {
    last = clock.now();
    const due = [...open].filter((purge) => purge.due <= last);
    const tags = [...new Set(due.flatMap((purge) => purge.tags))];
    const isAll = tags.length > maxTags || tags.includes(all);
    const done = cache.invalidate({ tags: isAll ? [all] : tags });
    for (const purge of due) {
      purge.call = done;
      open.delete(purge);
    }
  }

  return async (
    tags: readonly string[],
    all: string,
    { cache, delay, window }: CallSettings,
  ): Promise<void> => {
    const purge: Purge = { tags, due: clock.now() + delay };
    open.add(purge);
    while (!purge.call) {
      const wait = Math.max(purge.due, last + window) - clock.now();
      if (wait > 0) await sleep(clock, wait);
      else call(cache, all);
    }
    await purge.call;
  };
}
