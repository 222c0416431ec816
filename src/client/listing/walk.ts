import type { Row } from '../article.ts';
import type { ListingPage } from './page.ts';
import {
  countsItself,
  createPositions,
  type OnRows,
  type Walk,
  type WalkedPage,
} from './positions.ts';

/** Requests one page. It may have fewer rows than `limit`, since services limit it silently. */
export type RequestPage = (query: { offset: number; limit: number }) => Promise<ListingPage<Row>>;

export interface WalkOptions {
  /** The number of rows to request at a time. */
  pageSize: number;
  /** The number of requests at a time. */
  concurrency: number;
  onRows?: OnRows | undefined;
}

/** A page has hundreds of articles, so reading more of them at a time would only use memory. */
const maxPagesAtOnce = 4;

/**
 * Reads the listing once, from the first row to the last. It advances by the rows that arrive, and not
 * by the rows that it requests. Each page begins with the last row of the one before, so that a listing
 * that shifts between two pages is noticed.
 *
 * @throws {ArticlesListingError} when the listing never ends, or ids differ only in type
 */
export async function walk(requestPage: RequestPage, options: WalkOptions): Promise<Walk> {
  const { pageSize, concurrency } = options;
  const positions = createPositions(options.onRows);
  const first = await read(0, pageSize);
  const overlap = first.size > 1 ? 1 : 0;

  if (first.count !== undefined && first.size > 0) await readSideBySide(first.count);
  await readToEnd();
  return positions.finish();

  async function read(offset: number, limit: number): Promise<WalkedPage> {
    return positions.add(offset, await requestPage({ offset, limit }));
  }

  /** The first page says how many articles there are, so further pages need not wait for each other. */
  async function readSideBySide(count: number): Promise<void> {
    const offsets = offsetsUpTo(count);
    const readInTurn = async () => {
      // Leaving the loop ends the generator for all readers.
      for (const offset of offsets) {
        const isLast = offset + first.size >= count;
        const page = await read(offset, isLast ? pageSize : first.size);
        if (page.isFirstAgain) positions.doubt('ignored');
        if (page.fresh === 0) break;
      }
    };
    const readers = Math.min(concurrency, maxPagesAtOnce);
    await Promise.all(Array.from({ length: readers }, readInTurn));
  }

  function* offsetsUpTo(count: number): Generator<number> {
    const step = first.size - overlap;
    for (let offset = step; offset + overlap < count; offset += step) yield offset;
  }

  /** Reads from the first missing row on, until the end is proven or nothing new arrives. */
  async function readToEnd(): Promise<void> {
    for (;;) {
      const last = positions.lastPage() ?? first;
      const { end } = last;
      if (isEnd(last)) return;
      let page = await read(end - overlap, pageSize);
      const { isFirstAgain } = page;
      if (isFirstAgain && end === first.end && (await isWholeListing(page))) return;
      if (isFirstAgain) return positions.doubt('ignored');
      const saysMore = last.more === true || (last.count !== undefined && end < last.count);
      // An empty page may be a momentary failure, and a page may hold just the overlapping row.
      if (page.fresh === 0 && saysMore) page = await read(end, pageSize);
      if (page.fresh > 0) continue;
      if (last.more === true) positions.doubt('short');
      return;
    }
  }

  function isEnd(page: WalkedPage): boolean {
    const { end, size, count, more } = page;
    if (size === 0) return true;
    if (more === true) return false;
    if (count === undefined || countsItself(page)) return more === false;
    // A full page may be followed by others: `count` may be that of its own rows, or have an upper limit.
    return end >= count && (more === false || size < first.size);
  }

  /** Whether the service ignores `limit` and `offset`, and sends everything at once. */
  async function isWholeListing({ size, count, more }: WalkedPage): Promise<boolean> {
    if (more === true || (count !== undefined && count !== size)) return false;
    const smaller = await requestPage({ offset: 0, limit: Math.max(1, first.size - 1) });
    return smaller.rows.length >= first.size;
  }
}
