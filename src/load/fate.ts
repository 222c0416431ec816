import { readListing } from '../client/listing/reading.ts';
import { ArticlesInvalidError } from '../errors.ts';
import { sleep, systemClock } from '../shared/clock.ts';
import type { FetchedArticles } from './fetch.ts';
import type { LeftOutReason } from './left-out.ts';
import type { Listing } from './list.ts';
import type { Load } from './load.ts';

/** Why an article is on the site, or not. Each article that is listed or known has exactly one. */
export type Fate =
  /** On the site: as the service has it, or in an earlier version, or although the listing lacks it. */
  | { is: 'shown'; why?: 'earlier version' | 'not listed' }
  /** Not on the site, but it may come back, so it keeps its history of paths. */
  | { is: 'left out'; why: LeftOutReason }
  /** With `newest`: the site has newer articles, and a page on demand shows it. */
  | { is: 'older' }
  /** The service no longer has it: its own URL responds 404 or 410, and the URL of another article does not. */
  | { is: 'gone' };

/** By id, in the order of the site. */
export type Fates = ReadonlyMap<string, Fate>;

/** The findings of a load about articles that the listing lacks, and about articles that could not be fetched. */
export interface Evidence {
  /** If it is complete, it may prove that an article is not in it. If it is full, what it lacks is older. */
  listing: Pick<Listing, 'ids' | 'incomplete' | 'isFull'>;
  /** A second reading of the listing, at least five seconds after the first one. */
  secondReading?: { ids: ReadonlySet<string>; isComplete: boolean } | undefined;
  /** Ids for which the service responded 404 or 410, twice. Empty if it returned no article: 404 then proves nothing. */
  notFound: ReadonlySet<string>;
  /** Ids that only the published history has: neither the listing, nor the mirror, nor their own URLs have an article. */
  onlyPublished: ReadonlySet<string>;
}

/** The minimum time in ms between two readings: a listing may come from a cache or a replica that is some seconds old. */
const betweenReadings = 5_000;
/** The number of other articles that are requested, to show that the service can respond with one. */
const maxControls = 5;

/**
 * Returns the fate of each article that the listing takes off the site, after the articles that it lacks were requested
 * at their own URLs. Reads the listing again, after a wait, only if that can decide about an article: an article that a
 * complete listing lacks and that is not gone, or that the listing has and that could not be found.
 *
 * @param ids the ids of the listing, and of the articles that it lacks
 * @throws {ArticlesRequestError | ArticlesListingError}
 */
export async function findAbsent(
  ids: readonly string[],
  listing: Listing,
  { notFound, found }: FetchedArticles,
  load: Load,
): Promise<Fates> {
  const { client, options, call, before } = load;
  const canBeFound = found.size > 0 || (await canFindOne([...listing.ids], notFound, load));
  const hasArticle = (id: string) => listing.ids.has(id) || before.has(id) || found.has(id);
  const evidence: Evidence = {
    listing,
    notFound: canBeFound ? notFound : new Set(),
    onlyPublished: new Set(ids.filter((id) => !hasArticle(id))),
  };
  const fates = absentFates(ids, evidence);
  const isOpen = (id: string) =>
    listing.ids.has(id) ? evidence.notFound.has(id) : !listing.incomplete && !fates.has(id);
  if (!client || !ids.some(isOpen)) return fates;
  await sleep(systemClock, betweenReadings, call.signal);
  const reading = await readListing(client, { ...options, call, earlierSize: listing.pageSize });
  const secondReading = { ids: new Set(reading.ids), isComplete: reading.incomplete === undefined };
  return absentFates(ids, { ...evidence, secondReading });
}

/**
 * Returns whether the service responds with one of some listed articles, because some may have been deleted, too. A
 * service whose rows are the articles may have no such endpoint.
 */
async function canFindOne(
  listed: readonly string[],
  notFound: ReadonlySet<string>,
  { client, call }: Pick<Load, 'client' | 'call'>,
): Promise<boolean> {
  if (notFound.size === 0) return false;
  const others = listed.filter((id) => !notFound.has(id));
  // The oldest articles, which are the last ones of most listings, are the least likely to disappear now.
  for (const id of others.slice(-maxControls).reverse()) {
    const request = client?.getArticle(id, { ...call, confirmMissing: false });
    // An article that cannot be used has been found, too.
    if (await request?.catch((error) => error instanceof ArticlesInvalidError)) return true;
  }
  return false;
}

/**
 * Returns the fate of each article that the listing takes off the site: older if the listing is full, gone if a reading
 * lacks it and its own URL responds 404 or 410, while the URL of another article does not, and left out if two complete
 * readings lack it, or if there is nothing to show.
 */
export function absentFates(
  ids: readonly string[],
  { listing, secondReading, notFound, onlyPublished }: Evidence,
): Map<string, Fate> {
  const { ids: listed, isFull } = listing;
  const isComplete = listing.incomplete === undefined;
  const fates = new Map<string, Fate>();
  for (const id of ids) {
    const isListed = listed.has(id);
    const isListedAgain = secondReading?.ids.has(id) ?? isListed;
    const isInNeither = !isListed && isComplete && !isListedAgain && secondReading?.isComplete;
    if (!isListed && isFull) fates.set(id, { is: 'older' });
    else if (!(isListed && isListedAgain) && notFound.has(id)) fates.set(id, { is: 'gone' });
    else if (onlyPublished.has(id) || isInNeither)
      fates.set(id, { is: 'left out', why: 'not listed' });
  }
  return fates;
}

/**
 * Returns the fate of an article that the service has.
 *
 * @param results `refused`: the ids of articles whose newest version the schema refuses; `entries`: by the id of the article
 */
export function fateOf(
  id: string,
  { ids }: Listing,
  { versions, problems, notFound }: FetchedArticles,
  { refused, entries }: { refused: ReadonlySet<string>; entries: ReadonlyMap<string, unknown> },
): Fate {
  const version = versions.get(id);
  if (entries.has(id)) {
    if (!ids.has(id)) return { is: 'shown', why: 'not listed' };
    const isEarlier = problems.has(id) || notFound.has(id) || refused.has(id);
    return isEarlier ? { is: 'shown', why: 'earlier version' } : { is: 'shown' };
  }
  if (refused.has(id)) return { is: 'left out', why: 'schema' };
  if (version && 'leftOut' in version) return { is: 'left out', why: version.leftOut };
  return { is: 'left out', why: 'no usable version' };
}

/** Returns the ids of the articles that are on the site. */
export function idsOnSite(fates: Fates): Set<string> {
  return new Set([...fates].flatMap(([id, fate]) => (fate.is === 'shown' ? id : [])));
}
