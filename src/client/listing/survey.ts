import type { ArticleProblem } from '../../errors.ts';
import type { NewestRows } from './walk.ts';
import type { Doubt, Walk } from './walk-record.ts';

/** The result of reading the listing until it is reliable. */
export interface Survey {
  /** The ids in the order of the listing, each once. If no two walks agree, the ids of all walks. */
  ids: string[];
  /** Known ids that the service no longer lists, each missing from two complete listings that agree. */
  gone: string[];
  /** Rows without a usable id. */
  problems: ArticleProblem[];
  /** Why the listing does not prove that a missing article is gone; `gone` is then empty. */
  unproven?: string | undefined;
  /** Why `ids` may lack an article that the service has. */
  doubt?: Doubt | undefined;
  /** With `newest`: known ids that are older than those of the listing. They are neither listed nor gone. */
  left: string[];
  /** With `newest`: the number of older articles; 0 if it is unknown, because the listing has no `count`. */
  older: number;
  walks: number;
  envelope: string;
}

const maxWalks = 3;

/**
 * Reads the listing until it is reliable: once if the walk has no doubt and no id of `known` is missing,
 * otherwise until two walks in a row agree, three times at most. An article is gone only if two walks lack it.
 *
 * A walk may read the newest articles only. A known article that is older than those is not missing: it has left.
 *
 * @param known ids in the order of an earlier listing
 * @param walkOnce reads the listing. Its parameter counts the walks from 0, so that a repeated walk can cut the pages
 *   at other rows: a table without a stable order repeats and hides articles where pages meet
 * @throws {ArticlesListingError} when the service ignores `offset`, or lists fewer articles than it has
 */
export async function survey(
  walkOnce: (walk: number) => Promise<Walk & { older?: number }>,
  known: Iterable<string>,
  newestRows?: NewestRows,
): Promise<Survey> {
  const knownIds = [...known];
  const newestFirst = newestRows?.order === 'oldest-first' ? knownIds.toReversed() : knownIds;
  const isFull = ({ length }: Walk) => newestRows !== undefined && length >= newestRows.newest;

  /** Splits the known ids that a walk did not list: those that it should have listed, and older ones. */
  function absentFrom(walk: Walk, ids = walk.ids) {
    const listed = new Set(ids);
    const last = newestFirst.findLastIndex((id) => listed.has(id));
    // If no known article is listed, nothing shows which of them are older.
    const end = isFull(walk) && last !== -1 ? last : newestFirst.length;
    const absent = (id: string) => !listed.has(id);
    const [missing, left] = [newestFirst.slice(0, end), newestFirst.slice(end)];
    return { missing: missing.filter(absent), left: left.filter(absent) };
  }

  let last = await walkOnce(0);
  const walks = [last];
  let settled = !last.doubt && absentFrom(last).missing.length === 0;
  while (!settled && walks.length < maxWalks) {
    const previous = new Set(last.ids);
    last = await walkOnce(walks.length);
    walks.push(last);
    settled = previous.size === last.ids.length && last.ids.every((id) => previous.has(id));
  }

  if (last.failure && walks.every(({ failure }) => failure)) throw last.failure;
  const { problems, envelope, older = 0 } = last;
  const doubt = walks.every((walk) => walk.doubt) ? last.doubt : undefined;
  let unproven = last.doubt?.reason;
  if (problems.length > 0) unproven = `${problems.length} of its rows have no usable id`;
  if (!settled) unproven = 'it kept changing while it was read';
  const all = [...new Set(walks.toReversed().flatMap(({ ids }) => ids))];
  // Several walks together may list what each of them lacks.
  const isComplete = doubt?.announced !== undefined && all.length >= doubt.announced;
  const ids = settled && !doubt ? last.ids : all;
  const { missing, left } = absentFrom(last, ids);
  return {
    ids,
    gone: unproven ? [] : missing,
    left,
    older,
    problems,
    unproven,
    doubt: doubt && !isComplete ? { ...doubt, listed: all.length } : undefined,
    walks: walks.length,
    envelope,
  };
}
