import type { ListedArticle, Row } from '../article.ts';
import type { ListingPage } from './page.ts';
import {
  createWalkRecord,
  type Ending,
  type NewPage,
  type NotedPage,
  type Walk,
} from './walk-record.ts';

/**
 * Requests one page. It may have fewer rows than `limit`, because services may lower the limit. Behind the end, it
 * is empty.
 */
export type RequestPage = (query: { offset: number; limit: number }) => Promise<ListingPage<Row>>;

/** Called with the new rows of each page as it arrives. A returned promise delays the next page. */
export type OnRows = (rows: ListedArticle[]) => void | Promise<void>;

export interface WalkOptions {
  pageSize: number;
  /** The number of rows to read. @default all */
  rows?: number | undefined;
  onRows?: OnRows | undefined;
}

/**
 * Reads the listing once, from the first row to the last, or its first rows. It advances by the number of received
 * rows, which may be less than requested. Each page begins with the last row of the page before, so that a shift of the
 * listing between two pages is noticed.
 */
export async function walk(requestPage: RequestPage, options: WalkOptions): Promise<Walk> {
  const { pageSize, onRows, rows: end = Number.POSITIVE_INFINITY } = options;
  const record = createWalkRecord(end);
  const { end: firstEnd } = await read(0);
  return record.judge(await readToEnd());

  async function read(offset: number): Promise<NewPage> {
    const limit = Math.min(pageSize, end - offset);
    const page = record.note(await requestPage({ offset, limit }), offset);
    await onRows?.(page.fresh);
    return page;
  }

  /** Reads on until the end is proven or a page has no new rows. */
  async function readToEnd(): Promise<Ending | undefined> {
    for (let last = record.lastPage(); !record.isEnd(last); last = record.lastPage()) {
      let page = await read(last.end - (record.pageLength() > 1 ? 1 : 0));
      if (page.isFirstAgain) {
        const isWhole = last.end === firstEnd && (await isWholeListing(page));
        return isWhole ? undefined : 'offset ignored';
      }
      // The page may contain only the overlapping row, and an empty one may be a temporary failure.
      if (page.fresh.length === 0 && !record.isEnd(page)) page = await read(last.end);
      if (page.fresh.length === 0) return last.more === true ? 'no rows' : undefined;
    }
    return undefined;
  }

  /** Whether the service ignores `limit` and `offset`, and sends the whole listing at once. */
  async function isWholeListing({ offset, end, count, more }: NotedPage): Promise<boolean> {
    const length = end - offset;
    if (more === true || (count !== undefined && count !== length)) return false;
    const smaller = await requestPage({ offset: 0, limit: Math.max(1, firstEnd - 1) });
    return smaller.rows.length >= firstEnd;
  }
}
