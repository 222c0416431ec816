import { type Clock, sleep } from '../../../src/shared/clock.ts';

export type HostName = 'Netlify' | 'Vercel' | 'Cloudflare';

/** A page in the cache of a host. */
export interface CachedPage {
  body: string;
  tags: string[];
  /** The times until which it is fresh, and may be served while it is rendered again. */
  freshUntil: number;
  usableUntil: number;
}

/** The cache of a host that all processes of a site share, with the limits of the host. */
export interface HostCache {
  pages: Map<string, CachedPage>;
  /** When each tag was purged for the last time. */
  purged: Map<string, number>;
  /** The number of purges that the host refused. */
  refused(): number;
  store(path: string, response: Response): Promise<void>;
  /** The headers of a page that the cache may store. */
  headersFor(tags: readonly string[]): Record<string, string>;
  /** The functions of the host that the adapter's cache provider imports. */
  functions: Record<string, unknown>;
  /** What the adapter's cache provider does. */
  invalidate(input: { tags: string[] }): Promise<unknown>;
}

/** The time in milliseconds that a call to a host takes. */
const callDuration = 300;

interface Host {
  /** The prefix of its header for caches, and its header of tags. */
  headers: [string, string];
  maxTagLength: number;
  functions(cache: {
    clock: Clock;
    select: Select;
    refuse(): void;
  }): Pick<HostCache, 'functions' | 'invalidate'>;
}

/** Applies a purge to the pages with one of the tags. */
type Select = (tags: readonly string[], how: 'remove' | 'expire') => void;

const hosts: Record<HostName, Host> = {
  Netlify: {
    headers: ['netlify-cdn-cache-control', 'netlify-cache-tag'],
    maxTagLength: 1_024,
    functions({ clock, select, refuse }) {
      const purges: { at: number; tags: string[] }[] = [];
      // A tag is purged twice in five seconds at most. The call resolves soon, and all nodes have it some seconds later.
      async function purgeCache({ tags }: { tags: string[] }) {
        const recent = purges.filter(({ at }) => at > clock.now() - 5_000);
        if (tags.some((tag) => recent.filter((purge) => purge.tags.includes(tag)).length >= 2)) {
          refuse();
          throw new Error('The status is 429.');
        }
        purges.push({ at: clock.now(), tags });
        clock.after(2_000, () => select(tags, 'remove'));
        await sleep(clock, callDuration);
      }
      return { functions: { purgeCache }, invalidate: purgeCache };
    },
  },
  Vercel: {
    headers: ['vercel-cdn-cache-control', 'vercel-cache-tag'],
    maxTagLength: 256,
    functions({ clock, select }) {
      // The next reader gets the old page, while it is rendered again.
      async function invalidateByTag(tag: string) {
        await sleep(clock, callDuration);
        select([tag], 'expire');
      }
      return {
        functions: { invalidateByTag },
        invalidate: ({ tags }) => Promise.all(tags.map(invalidateByTag)),
      };
    },
  },
  Cloudflare: {
    headers: ['cloudflare-cdn-cache-control', 'cache-tag'],
    maxTagLength: 1_024,
    functions({ clock, select, refuse }) {
      let tokens = 25;
      let last = clock.now();
      // Five purges a minute, of which 25 can be saved up. A refusal is a result, which the provider ignores.
      async function purge({ tags }: { tags: string[] }) {
        await sleep(clock, callDuration);
        tokens = Math.min(25, tokens + ((clock.now() - last) * 5) / 60_000);
        last = clock.now();
        if (tokens < 1 || tags.length > 100) {
          refuse();
          return { success: false };
        }
        tokens -= 1;
        select(tags, 'remove');
        return { success: true };
      }
      return { functions: { env: {}, cache: { purge } }, invalidate: purge };
    },
  },
};

/** Creates the cache of a host. */
export function createHostCache(name: HostName, clock: Clock): HostCache {
  const { headers, maxTagLength, functions } = hosts[name];
  const pages: HostCache['pages'] = new Map();
  const purged: HostCache['purged'] = new Map();
  let refused = 0;
  const select: Select = (tags, how) => {
    for (const tag of tags) purged.set(tag, clock.now());
    for (const [path, page] of pages) {
      if (!page.tags.some((tag) => tags.includes(tag))) continue;
      if (how === 'remove') pages.delete(path);
      else page.freshUntil = clock.now();
    }
  };

  return {
    pages,
    purged,
    refused: () => refused,
    async store(path, response) {
      const body = await response.text();
      const [control = '', tags = ''] = headers.map((header) => response.headers.get(header) ?? '');
      const seconds = (field: string) =>
        Number(new RegExp(`\\b${field}=(\\d+)`).exec(control)?.[1]);
      const freshUntil = clock.now() + seconds('max-age') * 1000;
      if (!(freshUntil > clock.now())) return;
      const usableUntil = freshUntil + seconds('stale-while-revalidate') * 1000;
      const kept = tags.split(',').filter((tag) => tag.length <= maxTagLength);
      pages.set(path, { body, tags: kept, freshUntil, usableUntil });
    },
    headersFor: (tags) => ({
      [headers[0]]: 'max-age=60, stale-while-revalidate=86400',
      [headers[1]]: tags.join(),
    }),
    ...functions({
      clock,
      select,
      refuse: () => {
        refused += 1;
      },
    }),
  };
}
