import { ArticlesError } from '../errors.ts';
import type { Fetch } from '../http/attempt.ts';
import { historyOf, joinHistories, type SlugHistory } from './history.ts';
import { readPublishedHistory, type SiteHistory } from './published-history.ts';

/** Matches hosts that no published site has: reserved names (RFC 2606, RFC 6761), and this machine. */
const unpublishedHost = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)$/;

/** Returns the URL of the published site; undefined when astro.config names none that can exist. */
export function homeOf({
  site,
  base,
}: {
  site?: string | undefined;
  base: string;
}): URL | undefined {
  if (!site) return undefined;
  const home = new URL(base, site);
  return unpublishedHost.test(home.hostname) ? undefined : home;
}

/**
 * Reads the history of the published site before a build replaces it.
 *
 * @param mode `best-effort`: a history that cannot be read is a warning
 * @throws {ArticlesError} `history-unavailable`
 */
export async function fetchSiteHistory(
  home: URL,
  {
    mode,
    logger,
    fetch = (url, init) => globalThis.fetch(url, init),
  }: {
    mode: 'required' | 'best-effort';
    logger: { info(line: string): void; warn(line: string): void };
    fetch?: Fetch;
  },
): Promise<SiteHistory> {
  try {
    const published = await readPublishedHistory(home, fetch);
    if (published) return published;
    logger.info(`${home.href} has no history of slugs, so this build starts one.`);
  } catch (error) {
    if (mode === 'required' || !ArticlesError.is(error)) throw error;
    const effect = 'Former URLs that only this history contains have no redirects from now on.';
    logger.warn(`${error.message} ${effect}`);
  }
  return new Map();
}

/**
 * Returns the published slugs of the articles that a collection has or may have. A collection that is new may be one
 * that had another name before, so it also gets the slugs of collections that the site no longer has.
 *
 * @param collections the names of the collections that the site has
 */
export function publishedSlugs(
  history: SiteHistory,
  collection: string,
  { ids, mayExist, collections }: CollectionArticles,
): SlugHistory {
  const own = history.get(collection);
  const former = [...history].flatMap(([name, slugs]) => (collections.has(name) ? [] : [slugs]));
  const parts = own ? [own] : former;
  return joinHistories(
    ...parts.map((part) =>
      historyOf(part, [...ids, ...[...part.keys()].filter((id) => mayExist?.(id))]),
    ),
  );
}

interface CollectionArticles {
  ids: Iterable<string>;
  /** Whether the service may have an article that is not loaded. */
  mayExist?: ((id: string) => boolean) | undefined;
  collections: ReadonlySet<string>;
}
