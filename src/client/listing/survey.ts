import { type ArticleProblem, ArticlesListingError } from '../../errors.ts';
import type { Walk } from './walk-state.ts';

/** What is known of the listing after as many walks as it took. */
export interface Survey {
  /** The ids in the order of the listing, each once; all that was seen, if walks did not agree. */
  ids: string[];
  /** Known ids that the service no longer lists, each missed by two walks. */
  gone: string[];
  problems: ArticleProblem[];
  /** Why `gone` is empty whatever may be gone; absent when it can be relied on. */
  unproven?: string;
  walks: number;
  envelope: string;
}

const maxWalks = 3;

/**
 * Walks until the listing can be relied on: once when nothing speaks against it, else until two
 * walks in a row agree. An id of `known` that is missing speaks against a walk: only a second walk
 * without it proves that the article is gone.
 *
 * @throws {ArticlesListingError} when the service has more articles than it gives, or no `offset`
 */
export async function survey(
  walkOnce: () => Promise<Walk>,
  known: Iterable<string>,
): Promise<Survey> {
  const knownIds = [...known];
  const walks: Walk[] = [];
  let settled = false;
  while (!settled && walks.length < maxWalks) {
    const current = await walkOnce();
    const previous = walks.at(-1);
    settled = previous ? agree(previous, current) : isBeyondDoubt(current, knownIds);
    walks.push(current);
  }

  const last = walks.at(-1);
  if (!last) throw new RangeError('no walk was made');
  // Once, either may come of changes during the walk; every time, it is how the service is.
  if (walks.every(({ doubts }) => doubts.has('ignored'))) throw offsetIgnored(last);
  if (walks.every(isCutShort)) throw incomplete(last);
  const ids = settled ? last.ids : [...new Set(walks.toReversed().flatMap((walk) => walk.ids))];
  const unproven = settled ? weakness(last) : 'it kept changing while it was read';
  const listed = new Set(ids);
  return {
    ids,
    gone: unproven ? [] : knownIds.filter((id) => !listed.has(id)),
    problems: last.problems,
    ...(unproven ? { unproven } : {}),
    walks: walks.length,
    envelope: last.envelope,
  };
}

/** What keeps even a listing that held still from proving that an article is gone. */
function weakness({ complete, ids, problems, count }: Walk): string | undefined {
  if (problems.length > 0) return `${problems.length} of its rows have no usable id`;
  return complete
    ? undefined
    : `the service says that it has ${count} articles, but lists ${ids.length}`;
}

function isBeyondDoubt({ ids, doubts }: Walk, known: readonly string[]): boolean {
  const listed = new Set(ids);
  return doubts.size === 0 && known.every((id) => listed.has(id));
}

/** Fewer articles than `count`, and no word from the service that these are all. */
function isCutShort({ doubts, endStated }: Walk): boolean {
  return doubts.has('short') && !endStated;
}

function agree(a: Walk, b: Walk): boolean {
  const ids = new Set(a.ids);
  return ids.size === b.ids.length && b.ids.every((id) => ids.has(id));
}

function offsetIgnored({ ids }: Walk): ArticlesListingError {
  return new ArticlesListingError(
    'offset-ignored',
    `The listing answers every \`offset\` with its first ${ids.length} articles, so the rest cannot be reached.`,
    { hint: 'The service must page through its articles by `limit` and `offset`.' },
  );
}

function incomplete({ ids, count }: Walk): ArticlesListingError {
  return new ArticlesListingError(
    'listing-incomplete',
    `The service says that it has ${count ?? 'more'} articles, but lists only ${ids.length}.`,
    {
      hint: 'Nothing was changed. Try again later; if it stays so, the listing itself is at fault.',
    },
  );
}
