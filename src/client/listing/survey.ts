import { type ArticleProblem, ArticlesListingError } from '../../errors.ts';
import type { Walk } from './assess.ts';

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
 * Reads the listing until it is reliable: once if the walk has no doubts and no id of `known` is missing,
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
  let settled = last.doubts.size === 0 && missingFrom(last.ids).length === 0;
  while (!settled && walks.length < maxWalks) {
    const previous = new Set(last.ids);
    last = await walkOnce();
    walks.push(last);
    settled = previous.size === last.ids.length && last.ids.every((id) => previous.has(id));
  }

  // In a single walk, a change of the listing may be the cause. In all walks, the service is.
  if (walks.every(isStuck)) throw offsetIgnored(last);
  if (walks.every(isCutShort)) throw incomplete(last);
  const ids = settled ? last.ids : [...new Set(walks.toReversed().flatMap((walk) => walk.ids))];
  const unproven = settled ? weakness(last) : 'it kept changing while it was read';
  return {
    ids,
    gone: unproven ? [] : missingFrom(ids),
    problems: last.problems,
    unproven,
    walks: walks.length,
    envelope: last.envelope,
  };
}

/** Returns why even a listing that does not change cannot prove that an article is gone. */
function weakness({ complete, doubts, ids, problems, count }: Walk): string | undefined {
  if (problems.length > 0) return `${problems.length} of its rows have no usable id`;
  // If one article is listed twice, another one may be missing, in each walk.
  if (doubts.has('repeats')) return 'it contains an article more than once';
  if (doubts.has('moved')) return 'its pages contradict each other';
  if (complete) return undefined;
  return `the service says that it has ${count} articles, but lists ${ids.length}`;
}

/** Whether the service ignored `offset`, and its first page is not the whole listing. */
function isStuck({ doubts, ids, count }: Walk): boolean {
  return doubts.has('ignored') && ids.length !== count;
}

/** Whether rows are missing, and the service did not state the end of the listing. */
function isCutShort({ doubts, endStated }: Walk): boolean {
  return doubts.has('short') && !endStated;
}

function offsetIgnored({ ids }: Walk): ArticlesListingError {
  const hint = 'The service has to page through its articles by `limit` and `offset`.';
  const message = `The listing returns its first ${ids.length} articles for every \`offset\`, so the others cannot be read.`;
  return new ArticlesListingError('offset-ignored', message, { hint });
}

function incomplete({ ids, count }: Walk): ArticlesListingError {
  const hint =
    'Nothing was changed. Try again later. If the failure persists, the listing has to be fixed.';
  const message = `The service says that it has ${count ?? 'more'} articles, but lists only ${ids.length}.`;
  return new ArticlesListingError('listing-incomplete', message, { hint });
}
