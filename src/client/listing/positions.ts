import { type ArticleProblem, ArticlesListingError, quote } from '../../errors.ts';
import type { ListedArticle, Row } from '../article.ts';
import type { ListingPage } from './page.ts';

/**
 * What speaks against a walk: an id at two positions, a position with two ids or a changed `count`,
 * fewer rows than there should be, or the first page in response to another `offset`.
 */
export type Doubt = 'repeats' | 'moved' | 'short' | 'ignored';

/** One walk through the whole listing. */
export interface Walk {
  /** The ids in the order of the listing, each once. */
  ids: string[];
  /** Rows without a usable id. */
  problems: ArticleProblem[];
  doubts: ReadonlySet<Doubt>;
  /** Whether every row up to the end was read, and the service said that it is the end. */
  endStated: boolean;
  /** Whether as many articles were read as the service says there are. */
  complete: boolean;
  /** The number of articles according to the service. */
  count: number | undefined;
  envelope: string;
}

/** A page, as a walk sees it. */
export interface WalkedPage {
  offset: number;
  /** The position after its last row. */
  end: number;
  /** The number of its rows. */
  size: number;
  /** The number of ids that no earlier page of this walk had. */
  fresh: number;
  /** Whether it is the first page again, although another `offset` was requested. */
  isFirstAgain: boolean;
  count: number | undefined;
  more: boolean | undefined;
}

/**
 * Called with the new rows of each page as it arrives, in any order. A returned promise delays the next
 * page.
 */
export type OnRows = (rows: ListedArticle[]) => void | Promise<void>;

const maxArticles = 1_000_000;

/** Collects the id at each position of the listing. It keeps no texts, which may be many. */
export function createPositions(onRows: OnRows | undefined) {
  const pages: WalkedPage[] = [];
  const ids: string[] = [];
  const seen = new Map<string, { position: number; idType: ListedArticle['idType'] }>();
  const problems = new Map<number, ArticleProblem>();
  const doubts = new Set<Doubt>();
  let firstIds: readonly string[] = [];
  /** The first position that was not read. */
  let end = 0;
  let envelope = '';

  async function add(offset: number, page: ListingPage<Row>): Promise<WalkedPage> {
    const { rows, count, more } = page;
    const walked = { offset, end: offset + rows.length, size: rows.length, count, more };
    const rowIds = rows.map(idOf);
    if (offset === 0) firstIds = rowIds;
    else if (rows.length > 0 && rowIds.every((id, index) => id === firstIds[index])) {
      return { ...walked, fresh: 0, isFirstAgain: true };
    }

    const fresh: ListedArticle[] = [];
    for (const [index, row] of rows.entries()) {
      const isNew = place(row, offset + index);
      if (isNew && 'id' in row) fresh.push(row);
    }
    // The row that was there has moved, and others with it.
    if (rows.length === 0 && offset < end) doubts.add('moved');
    while (ids[end] !== undefined) end += 1;
    envelope ||= page.envelope;
    const added = { ...walked, fresh: fresh.length, isFirstAgain: false };
    pages.push(added);
    await onRows?.(fresh);
    return added;
  }

  /** Returns whether this walk has not seen the row's id before. */
  function place(row: Row, position: number): boolean {
    const id = idOf(row);
    ids[position] ??= id;
    if (ids[position] !== id) doubts.add('moved');
    if ('problem' in row) {
      problems.set(position, row.problem);
      return false;
    }
    const earlier = seen.get(id);
    if (!earlier) {
      if (seen.size === maxArticles) throw endless();
      seen.set(id, { position, idType: row.idType });
      return true;
    }
    if (earlier.idType !== row.idType) throw clash(id);
    if (earlier.position !== position) doubts.add('repeats');
    return false;
  }

  /** Returns the page that reaches furthest, up to a position. */
  function lastPage(limit: number): WalkedPage | undefined {
    const [last] = pages.filter((page) => page.end <= limit).sort((a, b) => b.end - a.end);
    return last;
  }

  function finish(): Walk {
    const last = lastPage(Number.POSITIVE_INFINITY);
    const count = pages.some(countsItself) ? undefined : last?.count;
    const hasGap = end < (last?.end ?? 0);
    if (hasGap || (count !== undefined && end < count)) doubts.add('short');
    if (count !== undefined && pages.some((page) => page.count !== count)) doubts.add('moved');
    const ordered = [...new Set([...ids.filter(Boolean), ...seen.keys()])];
    return {
      ids: ordered,
      problems: [...problems.values()],
      doubts,
      endStated: !hasGap && last?.more === false,
      complete: !hasGap && (count === undefined || ordered.length + problems.size >= count),
      count,
      envelope,
    };
  }

  return {
    add,
    finish,
    doubt: (doubt: Doubt) => void doubts.add(doubt),
    /** Returns the last page before the first gap. */
    lastPage: () => lastPage(end),
  };
}

/** Whether `count` is the number of rows in the page, and not that of all articles. */
export function countsItself({ offset, size, count }: WalkedPage): boolean {
  return offset > 0 && size > 0 && count === size;
}

/** Rows without a usable id take their position, too. */
function idOf(row: Row): string {
  return 'id' in row ? row.id : '';
}

function endless(): ArticlesListingError {
  return new ArticlesListingError(
    'listing-endless',
    `The listing has not ended after ${maxArticles} articles.`,
    { hint: 'The service seems to announce a next page for ever. It has to be fixed.' },
  );
}

function clash(id: string): ArticlesListingError {
  return new ArticlesListingError(
    'id-clash',
    `The listing contains the id ${quote(id)} both as text and as a number.`,
    { hint: 'Both have the same address, so one of the two articles could never be fetched.' },
  );
}
