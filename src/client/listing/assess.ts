import type { ArticleProblem } from '../../errors.ts';
import type { ListingPage } from './page.ts';

/**
 * A reason not to rely on a walk.
 *
 * - `repeats`: an id is at two positions.
 * - `moved`: a position has two ids, or `count` has changed.
 * - `short`: there are fewer rows than `count`.
 * - `ignored`: the service responded to another `offset` with the first page.
 */
export type Doubt = 'repeats' | 'moved' | 'short' | 'ignored';

/** The result of reading the listing once, page by page. */
export interface Walk {
  /** The ids in the order of the listing, each once. */
  ids: string[];
  /** Rows without a usable id. */
  problems: ArticleProblem[];
  doubts: ReadonlySet<Doubt>;
  /** Whether every row up to the end was read, and the response states that no more rows follow. */
  endStated: boolean;
  /** Whether the number of articles is at least `count`. */
  complete: boolean;
  /** The number of articles according to the service. */
  count: number | undefined;
  envelope: string;
}

/** A page that a walk has read. It contains no texts, to save memory. */
export interface WalkedPage extends Pick<ListingPage, 'count' | 'more' | 'envelope'> {
  offset: number;
  /** The position after its last row. */
  end: number;
  /** A row without a usable id has a problem, and still counts for the positions. */
  rows: readonly { id: string; problem?: ArticleProblem }[];
}

/** Merges the pages of a walk, which are in the order of arrival. Adds to the doubts. */
export function assess(first: WalkedPage, pages: readonly WalkedPage[], doubts: Set<Doubt>): Walk {
  const ids: string[] = [];
  const positions = new Map<string, number>();
  const problems = new Map<number, ArticleProblem>();
  for (const { offset, rows } of pages) {
    for (const [index, { id, problem }] of rows.entries()) {
      const position = offset + index;
      ids[position] ??= id;
      if (ids[position] !== id) doubts.add('moved');
      if (problem) problems.set(position, problem);
      else if (!positions.has(id)) positions.set(id, position);
      else if (positions.get(id) !== position) doubts.add('repeats');
    }
  }

  const { end } = lastBeforeGap(first, pages);
  const last = pages.reduce((furthest, page) => (page.end > furthest.end ? page : furthest));
  const hasGap = end < last.end;
  const count = pages.some(countsItself) ? undefined : last.count;
  if (hasGap || (count !== undefined && end < count)) doubts.add('short');
  if (count !== undefined && pages.some((page) => page.count !== count)) doubts.add('moved');
  // An empty page before the end: its rows have moved to other positions.
  if (pages.some(({ rows, offset }) => rows.length === 0 && offset < end)) doubts.add('moved');
  const ordered = [...new Set([...ids.filter(Boolean), ...positions.keys()])];
  return {
    ids: ordered,
    problems: [...problems.values()],
    doubts,
    endStated: !hasGap && last.more === false,
    complete: !hasGap && (count === undefined || ordered.length + problems.size >= count),
    count,
    envelope: first.envelope,
  };
}

/** Returns the last page that can be reached from the first one without a gap. */
export function lastBeforeGap(first: WalkedPage, pages: readonly WalkedPage[]): WalkedPage {
  let last = first;
  for (const page of pages.toSorted((a, b) => a.offset - b.offset)) {
    if (page.offset <= last.end && page.end > last.end) last = page;
  }
  return last;
}

/** Whether `count` is the number of rows in the page instead of the number of all articles. */
export function countsItself({ offset, rows, count }: WalkedPage): boolean {
  return offset > 0 && rows.length > 0 && count === rows.length;
}
