import { ArticlesListingError, type Notice } from '../../errors.ts';
import { type ListedArticle, type Row, translateHint } from '../article.ts';
import type { ListingPage } from './page.ts';

// A walk proves which rows a listing has. The service counts positions: a page at `offset` claims the positions from
// `offset` on.
//
// 1. Each position up to the end was read, because a page begins where the pages before it end. So an article that never
//    moved was seen.
// 2. Pages overlap by one row (`nextOffset()`). If a change between the responses of two neighbouring pages moved an
//    article out of both, they have different rows at their common position, or one article is at two positions. Each of
//    these is noted, whichever page the service read first.
// 3. The end is where the service says it is, or where a page is empty. A falling or unreached `count` is noted.
//
// A walk without a note therefore contains every article that was listed the whole time. Each note is a doubt, and a
// doubt never proves that an article is gone.
//
// A walk that reads only the first rows of the listing proves the same of these rows.

/**
 * Requests one page. It may have fewer rows than `limit`, because services may lower the limit. Behind the end, it
 * is empty.
 */
export type RequestPage = (query: { offset: number; limit: number }) => Promise<ListingPage<Row>>;

export interface WalkOptions {
  pageSize: number;
  /** The number of rows to read. @default all */
  rows?: number | undefined;
  /** Called with the new rows of each page. */
  onRows?: ((rows: ListedArticle[]) => void) | undefined;
}

/** Why a listing may lack an article that the service has. */
export interface Doubt {
  reason: string;
  /** How many articles the service says that it has, if it does. */
  announced?: number | undefined;
  /** How many articles were listed. */
  listed: number;
  /** Ids that are listed more than once, so that each may be in the place of another article. */
  repeated: readonly string[];
}

/** The result of reading the listing once, page by page. */
export interface Walk {
  /** The ids in the order of the listing, each once. */
  ids: string[];
  /** Rows without a usable id. */
  problems: Notice[];
  doubt?: Doubt | undefined;
  /** The error to report if every walk has one. A change of the listing may be the cause in a single walk. */
  failure?: ArticlesListingError | undefined;
  /** The number of rows that were read, those without a usable id included. */
  length: number;
  /** The number of rows of a full page: fewer than requested if the service lowers the limit. */
  pageSize: number;
  /** The last `count` of the service. */
  count: number | undefined;
  /** Whether a page came from a cache, by its `Age` (RFC 9111, 5.1), so that it may be outdated. */
  isFromCache: boolean;
}

/** The facts about a page that a walk keeps, without its rows: 50,000 articles may have 500 MB. */
interface PageRead extends Pick<ListingPage, 'count' | 'more'> {
  offset: number;
  /** The position after its last row. */
  end: number;
  /** Whether it has articles that were not seen before. */
  hasNew: boolean;
}

/** More articles than a site can load: a listing that never ends would fill the memory. */
const maxArticles = 1_000_000;
const pagingAdvice = 'page through its articles by `limit` and `offset`';
const offsetAdvice = `${pagingAdvice}, or to send \`next: null\` with a page that has all of them`;
/** With so many rows without a usable id, a response is not a listing of articles. */
export const maxProblems = 1_000;

/**
 * Returns where the next page begins: with the last row of the page before it again, so that a shift of the listing is
 * noticed. Pages of one row would not advance. Numbered pages do not overlap, because each would be requested twice.
 *
 * @param end the position after the last row
 */
export function nextOffset(
  end: number,
  { length, isNumbered }: { length: number; isNumbered?: boolean | undefined },
): number {
  return length > 1 && !isNumbered ? end - 1 : end;
}

/**
 * Reads the listing once, from the first row to the last, or its first rows. It advances by the number of received
 * rows, which may be less than requested.
 *
 * @throws {ArticlesListingError} when the listing never ends
 */
export async function walk(
  requestPage: RequestPage,
  { pageSize, onRows, rows: limit = Number.POSITIVE_INFINITY }: WalkOptions,
): Promise<Walk> {
  /** Ids by position; an empty string for a row without a usable id. */
  const idAt: string[] = [];
  /** The position at which each id was first seen. */
  const seen = new Map<string, number>();
  const problems = new Map<number, Notice>();
  const repeated = new Set<string>();
  let hasMoved = false;
  let ignoresOffset = false;
  let isNumbered = false;
  let isFromCache = false;
  /** The highest number of articles that a page has announced. */
  let highestCount = 0;
  /** The number of rows of the largest page. */
  let pageLength = 0;
  /** The page that ends last. */
  let last: PageRead = { offset: 0, end: -1, hasNew: false };

  await read(0);
  await readToEnd();
  return judge();

  async function read(offset: number): Promise<PageRead> {
    const query = { offset, limit: Math.min(pageSize, limit - offset) };
    const { rows: received, count, more, age = 0, ...other } = await requestPage(query);
    const rows = received.slice(0, limit - offset);
    isFromCache ||= age > 0;
    isNumbered ||= other.isNumbered ?? false;
    const end = offset + rows.length;
    ignoresOffset = isFirstPage(rows, offset);
    const page = { offset, end, count, more, hasNew: false };
    if (ignoresOffset) return page;
    // The overlapping row is missing.
    if (rows.length === 0 && idAt[offset] !== undefined) hasMoved = true;
    // Articles were removed meanwhile. Some services count the rows of the page.
    if (count !== undefined && count !== rows.length && count < highestCount) hasMoved = true;
    highestCount = Math.max(highestCount, count ?? 0);
    const isNew = (row: Row, index: number): row is ListedArticle => noteRow(row, offset + index);
    const newRows = rows.filter(isNew);
    page.hasNew = newRows.length > 0;
    pageLength = Math.max(pageLength, rows.length);
    if (end > last.end) last = page;
    if (page.hasNew) onRows?.(newRows);
    return page;
  }

  /** Returns whether a page at another offset has the rows of the first page. */
  function isFirstPage(rows: readonly Row[], offset: number): boolean {
    if (offset === 0 || rows.length === 0) return false;
    // The overlapping row alone is what a correct service sends, also if the first article is listed again.
    if (rows.length === 1 && idAt[offset] === rowId(rows[0])) return false;
    return rows.every((row, index) => rowId(row) === idAt[index]);
  }

  /** Notes a row. Returns whether it is an article that this walk has not seen before. */
  function noteRow(row: Row, position: number): boolean {
    const id = rowId(row);
    idAt[position] ??= id;
    if (idAt[position] !== id) hasMoved = true;
    if ('problem' in row) {
      if (problems.size === maxProblems)
        throw listingError(`The listing has ${maxProblems} rows without a usable id.`);
      problems.set(position, row.problem);
      return false;
    }
    const earlier = seen.get(id);
    if (earlier === undefined && seen.size === maxArticles)
      throw listingError(`The listing has not ended after ${maxArticles} articles.`);
    if (earlier === undefined) seen.set(id, position);
    else if (earlier !== position) repeated.add(id);
    return earlier === undefined;
  }

  /** Reads on until the end is proven, or a page has no new rows. */
  async function readToEnd(): Promise<void> {
    while (!isEnd(last) && !ignoresOffset) {
      const { end } = last;
      let page = await read(nextOffset(end, { length: pageLength, isNumbered }));
      // The page may contain only the overlapping row. An empty one is read again if there should be more rows.
      if (!page.hasNew && !isEnd(page) && !ignoresOffset) page = await read(end);
      if (!page.hasNew) break;
    }
  }

  /** Returns whether no row follows a page. */
  function isEnd({ offset, end, count = 0, more }: PageRead): boolean {
    if (end >= limit) return true;
    if (more === true || end < count) return false;
    if (more === false || offset === end) return true;
    // A full page may be followed by others: `count` may be the number of its rows, or have an upper limit.
    return end === count && end - offset < pageLength;
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the conclusion of the proof, a line for each doubt
  function judge(): Walk {
    const { end, count, more } = last;
    const ids = [...seen.keys()];
    const total = Math.min(count ?? 0, limit);
    const lacksRows = ignoresOffset || end < total || (more === true && end < limit);
    const claim = ignoresOffset
      ? `responds with its first ${ids.length} articles to every \`offset\`, so it does not show whether it has more`
      : `says that it has ${count ?? 'more'} articles, but lists only ${ids.length}`;
    const isUnusable = lacksRows && (ignoresOffset || more !== false);
    let reason = lacksRows ? `the service ${claim}` : undefined;
    if (hasMoved) reason = 'its pages contradict each other';
    // If one article is listed twice, another article may be missing, in each walk.
    if (repeated.size > 0) reason = 'it contains an article more than once';
    const announced = total > ids.length ? total : undefined;
    const doubt = reason && { reason, announced, listed: ids.length, repeated: [...repeated] };
    return {
      ids,
      problems: [...problems.values()],
      doubt: doubt || undefined,
      failure: isUnusable
        ? listingError(`The service ${claim}.`, ignoresOffset ? offsetAdvice : pagingAdvice)
        : undefined,
      length: end,
      pageSize: end > pageLength ? pageLength : Math.min(pageSize, limit),
      count,
      isFromCache,
    };
  }
}

function rowId(row: Row | undefined): string {
  return row && 'id' in row ? row.id : '';
}

function listingError(message: string, advice = pagingAdvice): ArticlesListingError {
  const hint = `Nothing was changed. Try again later. If the failure persists, the service has to ${advice}. ${translateHint}`;
  return new ArticlesListingError('listing-unusable', message, { hint });
}
