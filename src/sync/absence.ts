import { readListing } from '../client/listing/reading.ts';
import { sleep, systemClock } from '../shared/clock.ts';
import { type Evidence, undecided } from './fate.ts';
import type { FetchedArticles } from './fetch.ts';
import type { Listing } from './list.ts';
import type { Load } from './load.ts';

/** The minimum time in ms between two readings: a listing may come from a cache or a replica that is some seconds old. */
const betweenReadings = 5_000;
/** The number of other articles that are requested, to show that the service can respond with one. */
const maxControls = 5;

/**
 * Collects what shows which articles the service no longer has, after they were requested at their own URLs. Reads the
 * listing again, after a wait, only if an article would stay undecided without it.
 *
 * @param ids those of the listing, and of the articles that it lacks
 * @throws {ArticlesRequestError | ArticlesListingError}
 */
export async function collectEvidence(
  ids: readonly string[],
  listing: Listing,
  { missing, found }: FetchedArticles,
  load: Load,
): Promise<Evidence> {
  const { client, options, call } = load;
  const listed = listing.rows.map(({ id }) => id);
  const evidence: Evidence = {
    listed,
    isComplete: listing.incomplete === undefined,
    isFull: listing.isFull,
    missing,
    canBeFound: found.size > 0 || (await canFindOne(controlsIn(listed, missing), load)),
  };
  if (!client || undecided(ids, evidence).length === 0) return evidence;
  const wait = Math.max(0, listing.readAt + betweenReadings - systemClock.now());
  await sleep(systemClock, wait, call.signal);
  const reading = await readListing(client, { ...options, call, isSecond: true });
  const again = { ids: new Set(reading.ids), isComplete: reading.incomplete === undefined };
  return { ...evidence, again };
}

/** Returns some listed articles, from all parts of the listing, because one of them may have been deleted, too. */
function controlsIn(listed: readonly string[], missing: ReadonlySet<string>): string[] {
  if (missing.size === 0) return [];
  const others = listed.filter((id) => !missing.has(id));
  const step = Math.max(1, Math.ceil(others.length / maxControls));
  // The oldest article, which is the last one of most listings, is the least likely to disappear now.
  return others.toReversed().filter((_, index) => index % step === 0);
}

/** Whether the service responds with an article. One whose rows are the articles may have no such endpoint. */
async function canFindOne(controls: readonly string[], { client, call }: Load): Promise<boolean> {
  for (const id of controls) {
    const request = client?.getArticle(id, { ...call, confirmMissing: false });
    const article = await request?.catch(() => undefined);
    if (article) return true;
  }
  return false;
}
