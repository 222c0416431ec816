import { type ArticleProblem, ArticlesListingError } from '../../errors.ts';
import { type ListedArticle, type Row, translateHint } from '../article.ts';
import type { ListingPage } from './page.ts';

// What a walk proves. Positions are those of the service: a page at `offset` claims the positions from `offset` on.
//
// 1. Each position up to the end was read, because a page begins where the pages before it end. So an article that never
//    moved was seen.
// 2. An article that moved between two pages is at another position than before, or another article is. Pages overlap
//    by one row, so the first page behind a change shows another row at a position that is already known, or one
//    article appears at two positions. Both are noted.
// 3. The end is where the service says it is, or where a page is empty. A `count` that was not reached is noted.
//
// A walk without a note therefore contains every article that was listed the whole time. Each note is a doubt, and a
// doubt never proves that an article is gone.
//
// A walk may read the first rows of the listing only. For them, the same holds.

/** What is kept of a page. Its rows are not: those of 50,000 articles may be 500 MB. */
export interface NotedPage {
  count: number | undefined;
  more: boolean | undefined;
  offset: number;
  /** The position after its last row. */
  end: number;
}

/** A page that has just been read. */
export interface NewPage extends NotedPage {
  /** The rows of articles that were not seen before. */
  fresh: ListedArticle[];
  /** Whether the service responded with the first page again, which has another offset. */
  isFirstAgain: boolean;
}

/**
 * Why a walk ended before the end was proven: the service sends the same rows for every offset, or no rows where it said
 * that there are more.
 */
export type Ending = 'offset ignored' | 'no rows';

/** Why a listing may lack an article that the service has. */
export interface Doubt {
  reason: string;
  /** How many articles the service says that it has, if it does. */
  announced?: number | undefined;
  /** How many articles were listed. */
  listed: number;
  /** Ids that are listed more than once, so that each may be in the place of another one. */
  repeated: readonly string[];
}

/** The result of reading the listing once, page by page. */
export interface Walk {
  /** The ids in the order of the listing, each once. */
  ids: string[];
  /** Rows without a usable id. */
  problems: ArticleProblem[];
  doubt?: Doubt | undefined;
  /** The error to report if every walk has one. A change of the listing may be the cause in a single walk. */
  failure?: ArticlesListingError | undefined;
  /** The number of rows that were read, those without a usable id included. */
  length: number;
  /** The last `count` of the service. */
  count: number | undefined;
  /** Whether a page came from a cache, by its `Age` (RFC 9111, 5.1), so that it may be outdated. */
  isFromCache: boolean;
}

/**
 * Creates the record of one walk: it notes pages, and judges what they prove. It sends no request.
 *
 * @param limit the number of rows to read. @default all
 */
export function createWalkRecord(limit = Number.POSITIVE_INFINITY) {
  const pages: NotedPage[] = [];
  /** Ids by position; an empty string for a row without a usable id. */
  const idAt: string[] = [];
  /** The position at which each id was first seen. */
  const seen = new Map<string, number>();
  const problems = new Map<number, ArticleProblem>();
  const repeated = new Set<string>();
  let hasMoved = false;
  let isFromCache = false;

  /** Notes the rows of a page, up to the limit. */
  function note({ rows: all, count, more, age = 0 }: ListingPage<Row>, offset: number): NewPage {
    const rows = all.slice(0, Math.max(0, limit - offset));
    isFromCache ||= age > 0;
    const page = { offset, end: offset + rows.length, count, more };
    if (isFirstPage(rows, offset)) return { ...page, fresh: [], isFirstAgain: true };
    pages.push(page);
    // The overlapping row is missing.
    if (rows.length === 0 && idAt[offset] !== undefined) hasMoved = true;
    const isNew = (row: Row, index: number): row is ListedArticle => noteRow(row, offset + index);
    return { ...page, fresh: rows.filter(isNew), isFirstAgain: false };
  }

  /** Whether a page at another offset has the rows of the first page. */
  function isFirstPage(rows: readonly Row[], offset: number): boolean {
    if (offset === 0 || rows.length === 0) return false;
    // The overlapping row alone is what a correct service sends, also if the first article is listed again.
    if (rows.length === 1 && idAt[offset] === idOf(rows[0])) return false;
    return rows.every((row, index) => idOf(row) === idAt[index]);
  }

  /** Notes a row. Returns whether it is an article that this walk has not seen before. */
  function noteRow(row: Row, position: number): boolean {
    const id = idOf(row);
    idAt[position] ??= id;
    if (idAt[position] !== id) hasMoved = true;
    if ('problem' in row) {
      problems.set(position, row.problem);
      return false;
    }
    const earlier = seen.get(id);
    if (earlier === undefined) {
      seen.set(id, position);
      return true;
    }
    if (earlier !== position) repeated.add(id);
    return false;
  }

  /** Returns the number of rows of the largest page. */
  function pageLength(): number {
    return Math.max(...pages.map(({ offset, end }) => end - offset));
  }

  /** Returns the page that ends last. */
  function lastPage(): NotedPage {
    return pages.reduce((last, page) => (page.end > last.end ? page : last));
  }

  /** Whether no row follows a page. */
  function isEnd({ offset, end, count = 0, more }: NotedPage): boolean {
    if (end >= limit) return true;
    if (more === true || end < count) return false;
    if (more === false || offset === end) return true;
    // A full page may be followed by others: `count` may be the number of its rows, or have an upper limit.
    return end === count && end - offset < pageLength();
  }

  /** Judges the walk. `ending`: why no further page was requested, if the end was not proven. */
  function judge(ending?: Ending): Walk {
    const { end, count, more } = lastPage();
    const ids = [...seen.keys()];
    const total = Math.min(count ?? 0, limit);
    const lacksRows = ending !== undefined || end < total;
    const part = limit < (count ?? 0) ? ` of the newest ${limit}` : '';
    const claim = `says that it has ${count ?? 'more'} articles, but lists only ${ids.length}${part}`;
    let reason = lacksRows ? `the service ${claim}` : undefined;
    if (hasMoved || hasChangingCount()) reason = 'its pages contradict each other';
    // If one article is listed twice, another one may be missing, in each walk.
    if (repeated.size > 0) reason = 'it contains an article more than once';
    let failure: ArticlesListingError | undefined;
    if (lacksRows && more !== false) {
      const hint =
        'Nothing was changed. Try again later. If the failure persists, the listing has to be fixed.';
      failure = unusable(`The service ${claim}.`, hint);
    }
    if (ending === 'offset ignored') {
      const message = `The listing returns its first ${ids.length} articles for every \`offset\`, so the others cannot be read.`;
      const hint = `The service has to page through its articles by \`limit\` and \`offset\`. ${translateHint}`;
      failure = unusable(message, hint);
    }
    const announced = total > ids.length ? total : undefined;
    return {
      ids,
      problems: [...problems.values()],
      doubt: reason
        ? { reason, announced, listed: ids.length, repeated: [...repeated] }
        : undefined,
      failure,
      length: end,
      count,
      isFromCache,
    };
  }

  /** Whether `count` differs between pages, unless it is the number of rows of a page. */
  function hasChangingCount(): boolean {
    // Changes say nothing about the first rows: most of them are elsewhere.
    if (limit < Number.POSITIVE_INFINITY) return false;
    const isOfPage = ({ offset, end, count }: NotedPage) => offset > 0 && count === end - offset;
    return !pages.some(isOfPage) && new Set(pages.flatMap(({ count }) => count ?? [])).size > 1;
  }

  return { note, pageLength, lastPage, isEnd, judge };
}

function idOf(row: Row | undefined): string {
  return row && 'id' in row ? row.id : '';
}

function unusable(message: string, hint: string): ArticlesListingError {
  return new ArticlesListingError('listing-unusable', message, { hint });
}
