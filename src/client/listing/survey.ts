import type { ArticleProblem } from '../../errors.ts';
import type { Walk } from './walk.ts';

/** The result of reading the listing until it is reliable. */
export interface Survey {
  /** The ids in the order of the listing, each once. If no two walks agree, the ids of all walks. */
  ids: string[];
  /** Known ids that the service no longer lists, each missing from two complete listings that agree. */
  gone: string[];
  problems: ArticleProblem[];
  /** Why the listing does not prove that a missing article is gone; `gone` is then empty. */
  unproven?: string | undefined;
  walks: number;
  envelope: string;
}

const maxWalks = 3;

/**
 * Reads the listing until it is reliable: once if the walk has no doubt and no id of `known` is missing,
 * otherwise until two walks in a row agree, three times at most. An article is gone only if two walks lack it.
 *
 * @throws {ArticlesListingError} when the service ignores `offset`, or lists fewer articles than it has
 */
export async function survey(
  walkOnce: () => Promise<Walk>,
  known: Iterable<string>,
): Promise<Survey> {
  const knownIds = [...known];
  const missingFrom = (ids: readonly string[]) => {
    const listed = new Set(ids);
    return knownIds.filter((id) => !listed.has(id));
  };

  let last = await walkOnce();
  const walks = [last];
  let settled = !last.doubt && missingFrom(last.ids).length === 0;
  while (!settled && walks.length < maxWalks) {
    const previous = new Set(last.ids);
    last = await walkOnce();
    walks.push(last);
    settled = previous.size === last.ids.length && last.ids.every((id) => previous.has(id));
  }

  if (last.failure && walks.every(({ failure }) => failure)) throw last.failure;
  const { problems, doubt, envelope } = last;
  let unproven = doubt;
  if (problems.length > 0) unproven = `${problems.length} of its rows have no usable id`;
  if (!settled) unproven = 'it kept changing while it was read';
  return {
    ids: settled ? last.ids : [...new Set(walks.toReversed().flatMap(({ ids }) => ids))],
    gone: unproven ? [] : missingFrom(last.ids),
    problems,
    unproven,
    walks: walks.length,
    envelope,
  };
}
