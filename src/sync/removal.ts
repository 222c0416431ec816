import type { ArticlesClient } from '../client/client.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Listing } from './list.ts';

/**
 * Decides which articles the service no longer has, after they were requested: those that two complete
 * listings lack, and those that a listing lacks and the service responds 404 for. Reads the listing again if
 * it contains an article for which the service responded 404.
 *
 * @returns the ids to keep, in the order of the listing
 */
export async function decideRemovals(
  listing: Listing,
  {
    missing,
    before,
    client,
    ...call
  }: {
    /** Ids of articles for which the service responded 404 or 410, twice. */
    missing: ReadonlySet<string>;
    before: ReadonlyMap<string, IndexedArticle>;
    /** Absent when no article was requested. */
    client: ArticlesClient | undefined;
    signal: AbortSignal;
    deadline: number;
  },
) {
  const listed = new Set(listing.rows.map(({ id }) => id));
  const provenGone = new Set(listing.gone);
  const isContradictory = [...missing].some((id) => listed.has(id));
  const survey = isContradictory ? await client?.survey({ known: missing, ...call }) : undefined;
  const afterwards = survey && new Set(survey.ids);
  const isGone = (id: string) =>
    listed.has(id)
      ? missing.has(id) && afterwards?.has(id) === false
      : missing.has(id) || provenGone.has(id);

  // Articles that are neither listed nor proven gone come last.
  const ids = [...new Set([...listed, ...before.keys()])];
  const kept = ids.filter((id) => !isGone(id));
  const contradictions = kept
    .filter((id) => missing.has(id))
    .map((id) => ({ id, reason: 'the service lists it, and responds 404 to the request for it' }));
  const isUnproven = kept.some((id) => !listed.has(id));
  return { ids: kept, contradictions, unproven: isUnproven ? listing.unproven : undefined };
}
