import {
  type ArticleProblem,
  ArticlesListingError,
  ArticlesRequestError,
  quote,
} from '../../errors.ts';
import type { ListedArticle, Row } from '../article.ts';
import type { ListingPage } from './page.ts';

/** Requests one page. It may have fewer rows than `limit`, because services may lower the limit. */
export type RequestPage = (query: { offset: number; limit: number }) => Promise<ListingPage<Row>>;

/**
 * Called with the new rows of each page as it arrives, in any order. A returned promise delays the next
 * page.
 */
export type OnRows = (rows: ListedArticle[]) => void | Promise<void>;

export interface WalkOptions {
  /** The number of rows to request at a time. */
  pageSize: number;
  /** The number of requests at a time. */
  concurrency: number;
  onRows?: OnRows | undefined;
}

/** The result of reading the listing once, page by page. */
export interface Walk {
  /** The ids in the order of the listing, each once. */
  ids: string[];
  /** Rows without a usable id. */
  problems: ArticleProblem[];
  /** Why an article that this walk lacks may still be listed. */
  doubt?: string | undefined;
  /** The error to report if every walk has one. A change of the listing may be the cause in a single walk. */
  failure?: ArticlesListingError | undefined;
  envelope: string;
}

/** A page that was read. Its rows are not kept, to save memory. */
interface WalkedPage extends Pick<ListingPage, 'count' | 'more'> {
  offset: number;
  /** The position after its last row. */
  end: number;
}

/** A page contains hundreds of articles, so more concurrent pages would only need more memory. */
const maxPagesAtOnce = 4;
const maxArticles = 1_000_000;

/**
 * Reads the listing once, from the first row to the last. It advances by the number of received rows, which may
 * be less than requested. Each page begins with the last row of the page before, so that a shift of the listing
 * between two pages is noticed.
 *
 * @throws {ArticlesListingError} when the listing never ends, or ids differ only in type
 */
export async function walk(requestPage: RequestPage, options: WalkOptions): Promise<Walk> {
  const { pageSize, concurrency, onRows } = options;
  const pages: WalkedPage[] = [];
  /** By position. A row without a usable id has an empty one, and still counts for the positions. */
  const idAt: string[] = [];
  const seen = new Map<string, { position: number; idType: ListedArticle['idType'] }>();
  const problems = new Map<number, ArticleProblem>();
  let hasMoved = false;
  let hasRepeats = false;
  let ignoresOffset = false;
  let endsEarly = false;

  const { envelope, ...first } = await read(0);
  const size = first.end;
  const overlap = size > 1 ? 1 : 0;
  if (first.count !== undefined && size > 0) await readInParallel(first.count);
  await readToEnd();
  return judge();

  /** Reads a page, and notes its rows unless the service responds to another `offset` with the first page. */
  async function read(offset: number) {
    const { rows, ...page } = await requestPage({ offset, limit: pageSize });
    const isFirstAgain =
      offset > 0 && rows.length > 0 && rows.every((row, index) => idOf(row) === idAt[index]);
    const fresh = isFirstAgain
      ? []
      : rows.filter((row, index): row is ListedArticle => note(row, offset + index));
    const walked = { ...page, offset, end: offset + rows.length };
    if (!isFirstAgain) pages.push(walked);
    await onRows?.(fresh);
    return { ...walked, isFirstAgain, hasFresh: fresh.length > 0 };
  }

  /** Notes a row. Returns whether it is an article that this walk has not seen before. */
  function note(row: Row, position: number): boolean {
    const id = idOf(row);
    idAt[position] ??= id;
    if (idAt[position] !== id) hasMoved = true;
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
    if (earlier.idType !== row.idType) throw idClash(id);
    if (earlier.position !== position) hasRepeats = true;
    return false;
  }

  /** Reads the pages up to `count`, several at a time. */
  async function readInParallel(count: number): Promise<void> {
    const offsets = offsetsUpTo(count);
    const readNext = async () => {
      // Leaving the loop ends the generator for all readers.
      for (const offset of offsets) if (!(await read(offset)).hasFresh) break;
    };
    const readers = Math.min(concurrency, maxPagesAtOnce);
    await Promise.all(Array.from({ length: readers }, readNext));
  }

  function* offsetsUpTo(count: number): Generator<number> {
    const step = size - overlap;
    for (let offset = step; offset + overlap < count; offset += step) yield offset;
  }

  /** Reads from the first missing row on, until the end is proven or a page has no new rows. */
  async function readToEnd(): Promise<void> {
    for (let last = lastBeforeGap(); !isEnd(last); last = lastBeforeGap()) {
      let page = await read(last.end - overlap);
      if (page.isFirstAgain) {
        ignoresOffset = last.end !== size || !(await isWholeListing(page));
        return;
      }
      // The page may contain only the overlapping row, and an empty one may be a temporary failure.
      if (!page.hasFresh && !isEnd(page)) page = (await readBehind(last)) ?? page;
      if (!page.hasFresh) {
        endsEarly = last.more === true;
        return;
      }
    }
  }

  /** Returns the last page that can be reached from the first one without a gap. */
  function lastBeforeGap(): WalkedPage {
    return pages
      .toSorted((a, b) => a.offset - b.offset)
      .reduce((last, page) => (page.offset <= last.end && page.end > last.end ? page : last));
  }

  /** Reads the page after the last row; undefined when the service responds 404 because there is none. */
  async function readBehind({ end }: WalkedPage) {
    try {
      return await read(end);
    } catch (error) {
      if (error instanceof ArticlesRequestError && error.code === 'not-found') return undefined;
      throw error;
    }
  }

  function isEnd({ offset, end, count, more }: WalkedPage): boolean {
    if (more === true || end < (count ?? 0)) return false;
    if (more === false || offset === end) return true;
    // A full page may be followed by others: `count` may be the number of its rows, or have an upper limit.
    return end === count && end - offset < size;
  }

  /** Whether the service ignores `limit` and `offset`, and sends the whole listing at once. */
  async function isWholeListing({ offset, end, count, more }: WalkedPage): Promise<boolean> {
    const length = end - offset;
    if (more === true || (count !== undefined && count !== length)) return false;
    const smaller = await requestPage({ offset: 0, limit: Math.max(1, size - 1) });
    return smaller.rows.length >= size;
  }

  /** Whether `count` differs between pages, unless it is the number of rows of a page. */
  function hasChangingCount(): boolean {
    const isOfPage = ({ offset, end, count }: WalkedPage) => offset > 0 && count === end - offset;
    return !pages.some(isOfPage) && new Set(pages.flatMap(({ count }) => count ?? [])).size > 1;
  }

  function judge(): Walk {
    const { end, count, more } = lastBeforeGap();
    const hasGap = pages.some(({ offset }) => offset > end);
    const ids = [...new Set([...idAt.filter(Boolean), ...seen.keys()])];
    const lacksRows = endsEarly || hasGap || end < (count ?? 0);
    let failure: ArticlesListingError | undefined;
    if (ignoresOffset) failure = offsetIgnored(ids.length);
    else if (lacksRows && (hasGap || more !== false)) failure = incomplete(ids.length, count);
    // An empty page before the end: its rows have moved to other positions.
    hasMoved ||= pages.some((page) => page.offset === page.end && page.end < end);
    hasMoved ||= hasChangingCount();
    let doubt: string | undefined;
    // If one article is listed twice, another one may be missing, in each walk.
    if (hasRepeats) doubt = 'it contains an article more than once';
    else if (hasMoved) doubt = 'its pages contradict each other';
    else if (failure || lacksRows)
      doubt = `the service says that it has ${count ?? 'more'} articles, but lists ${ids.length}`;
    return { ids, problems: [...problems.values()], doubt, failure, envelope };
  }
}

function idOf(row: Row): string {
  return 'id' in row ? row.id : '';
}

function endless(): ArticlesListingError {
  const message = `The listing has not ended after ${maxArticles} articles.`;
  const hint = 'The service seems to report a next page without end. It has to be fixed.';
  return new ArticlesListingError('listing-endless', message, { hint });
}

function idClash(id: string): ArticlesListingError {
  const message = `The listing contains the id ${quote(id)} both as text and as a number.`;
  const hint = 'Both have the same URL, so one of the two articles could never be fetched.';
  return new ArticlesListingError('id-clash', message, { hint });
}

function offsetIgnored(length: number): ArticlesListingError {
  const hint = 'The service has to page through its articles by `limit` and `offset`.';
  const message = `The listing returns its first ${length} articles for every \`offset\`, so the others cannot be read.`;
  return new ArticlesListingError('offset-ignored', message, { hint });
}

function incomplete(length: number, count?: number): ArticlesListingError {
  const hint =
    'Nothing was changed. Try again later. If the failure persists, the listing has to be fixed.';
  const message = `The service says that it has ${count ?? 'more'} articles, but lists only ${length}.`;
  return new ArticlesListingError('listing-incomplete', message, { hint });
}
