import type { ArticleProblem } from '../../errors.ts';
import type { Doubt, Walk } from './walk-record.ts';

/** The result of reading the listing until it is reliable. */
export interface Survey {
  /** The ids in the order of the listing, each once. If no two walks agree, the ids of all walks. */
  ids: string[];
  /** Known ids that the service no longer lists, each missing from two complete listings that agree. */
  gone: string[];
  problems: ArticleProblem[];
  /** Why the listing does not prove that a missing article is gone; `gone` is then empty. */
  unproven?: string | undefined;
  /** Why `ids` may lack an article that the service has. */
  doubt?: Doubt | undefined;
  walks: number;
  envelope: string;
}

const maxWalks = 3;

/**
 * Reads the listing until it is reliable: once if the walk has no doubt and no id of `known` is missing,
 * otherwise until two walks in a row agree, three times at most. An article is gone only if two walks lack it.
 *
 * @param walkOnce reads the listing. Its parameter counts the walks from 0, so that a repeated walk can cut the pages
 *   at other rows: a table without a stable order repeats and hides articles where pages meet
 * @throws {ArticlesListingError} when the service ignores `offset`, or lists fewer articles than it has
 */
export async function survey(
  walkOnce: (walk: number) => Promise<Walk>,
  known: Iterable<string>,
): Promise<Survey> {
  const knownIds = [...known];
  const missingFrom = (ids: readonly string[]) => {
    const listed = new Set(ids);
    return knownIds.filter((id) => !listed.has(id));
  };

  let last = await walkOnce(0);
  const walks = [last];
  let settled = !last.doubt && missingFrom(last.ids).length === 0;
  while (!settled && walks.length < maxWalks) {
    const previous = new Set(last.ids);
    last = await walkOnce(walks.length);
    walks.push(last);
    settled = previous.size === last.ids.length && last.ids.every((id) => previous.has(id));
  }

  if (last.failure && walks.every(({ failure }) => failure)) throw last.failure;
  const { problems, envelope } = last;
  const doubt = walks.every((walk) => walk.doubt) ? last.doubt : undefined;
  let unproven = last.doubt?.reason;
  if (problems.length > 0) unproven = `${problems.length} of its rows have no usable id`;
  if (!settled) unproven = 'it kept changing while it was read';
  const all = [...new Set(walks.toReversed().flatMap(({ ids }) => ids))];
  // Several walks together may list what each of them lacks.
  const isComplete = doubt?.announced !== undefined && all.length >= doubt.announced;
  return {
    ids: settled && !doubt ? last.ids : all,
    gone: unproven ? [] : missingFrom(last.ids),
    problems,
    unproven,
    doubt: doubt && !isComplete ? { ...doubt, listed: all.length } : undefined,
    walks: walks.length,
    envelope,
  };
}
