import type { ArticlesClient, CallOptions, SurveyOptions } from '../client/client.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Listing } from './list.ts';
import type { LoadedArticles } from './pipeline.ts';
import type { PreparerOptions } from './prepare.ts';
import type { PreparedArticles } from './prepare-all.ts';

interface RemovalOptions
  extends Pick<PreparedArticles, 'responded404' | 'found'>,
    Pick<PreparerOptions, 'client' | 'signal' | 'deadline'>,
    Pick<SurveyOptions, 'newest' | 'order'> {
  before: ReadonlyMap<string, IndexedArticle>;
}

/**
 * Decides which articles the service no longer has, after they were requested: those that two complete
 * listings lack, and those that a listing lacks and the service responds 404 for. A 404 proves something only if
 * the service can respond with an article at all. Reads the listing again if it contains an article for which the
 * service responded 404.
 *
 * @returns the ids to keep, in the order of the listing
 */
export async function decideRemovals(
  listing: Listing,
  { responded404, found, before, client, ...call }: RemovalOptions,
) {
  const listed = new Set(listing.rows.map(({ id }) => id));
  // An article of an earlier load, and the last one, which is the oldest in most listings: the least likely to
  // disappear now.
  const controls = [...listed].filter((id) => !responded404.has(id));
  const control = controls.findLast((id) => before.has(id)) ?? controls.at(-1);
  const canBeFound =
    responded404.size === 0 || found.size > 0 || (await respondsWith(control, client, call));
  const missing = canBeFound ? responded404 : new Set<string>();
  const provenGone = new Set(listing.gone);
  const isContradictory = [...missing].some((id) => listed.has(id));
  const survey = isContradictory ? await client?.survey({ known: missing, ...call }) : undefined;
  const afterwards = survey && new Set(survey.ids);
  const isGone = (id: string) =>
    listed.has(id)
      ? missing.has(id) && afterwards?.has(id) === false
      : missing.has(id) || provenGone.has(id);

  // Articles that are neither listed nor proven gone come last.
  const left = new Set(listing.left);
  const ids = [...new Set([...listed, ...before.keys()])];
  const kept = ids.filter((id) => !left.has(id) && !isGone(id));
  const contradictions = kept
    .filter((id) => listed.has(id) && responded404.has(id))
    .map((id) => ({ id, reason: 'the service lists it, and responds 404 to the request for it' }));
  const isUnproven = kept.some((id) => !listed.has(id));
  return { ids: kept, contradictions, unproven: isUnproven ? listing.unproven : undefined };
}

/** Whether the service responds with an article. A service whose rows are trusted may have no such endpoint. */
async function respondsWith(
  id: string | undefined,
  client: ArticlesClient | undefined,
  call: CallOptions,
): Promise<boolean> {
  const article = id && client?.getArticle(id, { ...call, confirmMissing: false });
  return (await Promise.resolve(article).catch(() => undefined)) !== undefined;
}

/**
 * Returns a function that says of an article that a load does not have whether the service may still have it, as an
 * older one than the `newest`; undefined without this option. The slugs of such an article are kept.
 */
export function mayExistAfter(
  { versions, before, left }: Pick<LoadedArticles, 'versions' | 'before' | 'left'>,
  { newest }: { newest?: number | undefined },
): ((id: string) => boolean) | undefined {
  if (newest === undefined) return undefined;
  const loaded = new Set(versions.map(({ article }) => article.id));
  const isGone = (id: string) => before.has(id) && !left.has(id);
  return (id) => !loaded.has(id) && !isGone(id);
}
