import type { ArticlesClient } from '../client/client.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Listing } from './list.ts';

/** The evidence about whether the service still has an article. */
export interface Evidence {
  /** Whether the first listing of the load contains it. */
  listed: boolean;
  /** Whether two complete listings lack it, which is proof by itself. */
  provenGone: boolean;
  /** The response to the request for the article. `missing`: the service responded 404 or 410 twice. */
  response: 'none' | 'found' | 'missing' | 'failed';
  /** Whether a listing that was read after that response contains it; undefined when it was not read again. */
  listedAfterwards?: boolean | undefined;
}

/**
 * - `keep`: the service has it, or there is no proof that it is gone.
 * - `gone`: the service no longer has it.
 * - `contradiction`: the service lists it, and responds 404 to the request for it.
 */
export type RemovalDecision = 'keep' | 'gone' | 'contradiction';

/**
 * Decides whether an article is gone. That needs two complete listings without the article, or a listing without
 * it and a 404 response for it.
 */
export function decideRemoval(evidence: Evidence): RemovalDecision {
  const { listed, provenGone, response, listedAfterwards } = evidence;
  if (!listed) return provenGone || response === 'missing' ? 'gone' : 'keep';
  if (response !== 'missing') return 'keep';
  return listedAfterwards === false ? 'gone' : 'contradiction';
}

/**
 * Decides which articles the service no longer has, after they were requested. Reads the listing again if it
 * contains an article for which the service responded 404.
 *
 * @returns the ids to keep, in the order of the listing
 */
export async function decideRemovals(
  listing: Listing,
  {
    prepared,
    before,
    client,
    ...call
  }: {
    prepared: { missing: ReadonlySet<string>; found: ReadonlySet<string> };
    before: ReadonlyMap<string, IndexedArticle>;
    client: ArticlesClient;
    signal: AbortSignal;
    deadline: number;
  },
) {
  const listed = new Set(listing.rows.map(({ id }) => id));
  const provenGone = new Set(listing.gone);
  const { missing, found } = prepared;
  const afterwards = [...missing].some((id) => listed.has(id))
    ? new Set((await client.survey({ known: missing, ...call })).ids)
    : undefined;
  const decide = (id: string) =>
    decideRemoval({
      listed: listed.has(id),
      provenGone: provenGone.has(id),
      response: missing.has(id) ? 'missing' : found.has(id) ? 'found' : 'none',
      listedAfterwards: afterwards?.has(id),
    });

  // Articles that are neither listed nor proven gone come last.
  const ids = [...new Set([...listed, ...before.keys()])];
  const contradictions = ids
    .filter((id) => decide(id) === 'contradiction')
    .map((id) => ({ id, reason: 'the service lists it, and responds 404 to the request for it' }));
  const kept = ids.filter((id) => decide(id) !== 'gone');
  const isUnproven = kept.some((id) => !listed.has(id));
  return { ids: kept, contradictions, unproven: isUnproven ? listing.unproven : undefined };
}
