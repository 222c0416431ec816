import { ArticlesListingError, ArticlesRequestError, quote } from '../../errors.ts';
import type { ListedArticle, Row } from '../article.ts';
import {
  assess,
  countsItself,
  type Doubt,
  lastBeforeGap,
  type Walk,
  type WalkedPage,
} from './assess.ts';
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
  const idTypes = new Map<string, ListedArticle['idType']>();
  const doubts = new Set<Doubt>();
  const pages: WalkedPage[] = [];
  const first = await read(0, pageSize);
  const size = first.rows.length;
  const overlap = size > 1 ? 1 : 0;

  if (first.count !== undefined && size > 0) await readInParallel(first.count);
  await readToEnd();
  return assess(first, pages, doubts);

  /** Reads a page and keeps it, unless the service responds to another `offset` with the first page. */
  async function read(offset: number, limit: number) {
    const { rows: received, ...page } = await requestPage({ offset, limit });
    const fresh = received.filter(isFresh);
    const rows = received.map((row) => ('id' in row ? { id: row.id } : { id: '', ...row }));
    const firstRows = pages[0]?.rows ?? [];
    const isFirstAgain =
      offset > 0 && rows.length > 0 && rows.every(({ id }, index) => id === firstRows[index]?.id);
    const walked: WalkedPage = { ...page, offset, end: offset + rows.length, rows };
    if (!isFirstAgain) pages.push(walked);
    await onRows?.(fresh);
    return { ...walked, isFirstAgain, hasFresh: fresh.length > 0 };
  }

  /** Whether this walk has not seen the row's id before. */
  function isFresh(row: Row): row is ListedArticle {
    if ('problem' in row) return false;
    const { id, idType } = row;
    const earlier = idTypes.get(id);
    if (earlier && earlier !== idType) throw idClash(id);
    if (!earlier && idTypes.size === maxArticles) throw endless();
    idTypes.set(id, idType);
    return !earlier;
  }

  /** Reads the pages up to `count`, several at a time. */
  async function readInParallel(count: number): Promise<void> {
    const offsets = offsetsUpTo(count);
    const readNext = async () => {
      // Leaving the loop ends the generator for all readers.
      for (const offset of offsets) {
        const page = await read(offset, offset + size >= count ? pageSize : size);
        if (page.isFirstAgain) doubts.add('ignored');
        if (!page.hasFresh) break;
      }
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
    for (;;) {
      const last = lastBeforeGap(first, pages);
      const { end, count = 0, more } = last;
      if (isEnd(last)) return;
      let page = await read(end - overlap, pageSize);
      if (page.isFirstAgain) {
        if (end !== size || !(await isWholeListing(page))) doubts.add('ignored');
        return;
      }
      // An empty page may be a temporary failure, and a page may contain only the overlapping row.
      const expectsMore = more === true || end < count;
      if (!page.hasFresh && expectsMore) page = await read(end, pageSize);
      else if (!page.hasFresh && !isEnd(page)) page = (await readBehind(end)) ?? page;
      if (page.hasFresh) continue;
      if (more === true) doubts.add('short');
      return;
    }
  }

  /** Reads the page after the last row; undefined when the service responds 404 because there is none. */
  async function readBehind(end: number) {
    try {
      return await read(end, pageSize);
    } catch (error) {
      if (error instanceof ArticlesRequestError && error.code === 'not-found') return undefined;
      throw error;
    }
  }

  function isEnd(page: WalkedPage): boolean {
    const { end, rows, count, more } = page;
    if (rows.length === 0) return true;
    if (more === true) return false;
    // A `count` that is too low, or that counts the rows of the page, does not show the end.
    if (count === undefined || end > count || countsItself(page)) return more === false;
    // A full page may be followed by others: `count` may be the number of its rows, or have an upper limit.
    return end === count && (more === false || rows.length < size);
  }

  /** Whether the service ignores `limit` and `offset`, and sends the whole listing at once. */
  async function isWholeListing({ rows, count, more }: WalkedPage): Promise<boolean> {
    if (more === true || (count !== undefined && count !== rows.length)) return false;
    const smaller = await requestPage({ offset: 0, limit: Math.max(1, size - 1) });
    return smaller.rows.length >= size;
  }
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
