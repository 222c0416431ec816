import { ArticlesListingError } from '../../errors.ts';
import type { ListedArticle, Row } from '../article.ts';
import type { ListingPage } from './page.ts';
import {
  createWalkRecord,
  type NewPage,
  type NotedPage,
  offsetIgnored,
  type Part,
  type Walk,
} from './walk-record.ts';

/**
 * Requests one page. It may have fewer rows than `limit`, because services may lower the limit. Behind the end, it
 * is empty.
 */
export type RequestPage = (query: { offset: number; limit: number }) => Promise<ListingPage<Row>>;

/**
 * Called with the new rows of each page as it arrives, in any order. A returned promise delays the next
 * page.
 */
export type OnRows = (rows: ListedArticle[]) => void | Promise<void>;

export interface WalkOptions {
  pageSize: number;
  concurrency: number;
  onRows?: OnRows | undefined;
}

/** The newest rows of a listing. */
export interface NewestRows {
  /** The number of rows. */
  newest: number;
  order: 'newest-first' | 'oldest-first';
}

/** A page contains hundreds of articles, so more concurrent pages would only need more memory. */
const maxPagesAtOnce = 4;

/**
 * Reads the newest rows of the listing once, and no others.
 *
 * @returns the walk, and the number of older rows; 0 if it is unknown, without a `count`
 * @throws {ArticlesListingError} when the oldest rows come first and the listing has no `count`; as `walk()`
 */
export async function walkNewest(
  requestPage: RequestPage,
  { newest, order }: NewestRows,
  options: WalkOptions,
): Promise<Walk & { older: number }> {
  if (order === 'newest-first') {
    const found = await walk(requestPage, options, { end: newest });
    return { ...found, older: Math.max(0, (found.count ?? 0) - found.length) };
  }
  const { rows, count } = await requestPage({ offset: 0, limit: 1 });
  if (count === undefined) throw withoutCount(newest);
  // A service that ignores `limit` may ignore `offset`, too, so the rows are counted from the first one.
  const start = rows.length > 1 ? 0 : Math.max(0, count - newest);
  const found = await walk(requestPage, options, { start });
  // The listing may have grown since it was counted.
  const surplus = Math.max(0, found.length - newest);
  const [first] = rows;
  const isFirst = start > 0 && first && 'id' in first && first.id === found.ids[0];
  const failure = isFirst ? offsetIgnored(found.length) : found.failure;
  const ids = found.ids.slice(surplus);
  // Older articles were removed after the listing was counted, so its end has moved.
  const hasMoved = found.count !== undefined && found.count < count;
  const doubt = hasMoved
    ? { reason: 'it became shorter while it was read', listed: ids.length, repeated: [] }
    : undefined;
  return { ...found, doubt: found.doubt ?? doubt, failure, ids, older: start + surplus };
}

function withoutCount(newest: number): ArticlesListingError {
  const message = `The listing has no \`count\`, so its newest ${newest} articles cannot be found at its end.`;
  const hint =
    'With `order: "oldest-first"`, the option `newest` needs the number of all articles in the listing: as `count`, ' +
    '`total`, `total_count` or `totalCount`. Leave out `newest`, or let the service list the newest first.';
  return new ArticlesListingError('listing-unusable', message, { hint });
}

/**
 * Reads the listing once, from the first row to the last, or a part of it. It advances by the number of received rows, which may
 * be less than requested. Each page begins with the last row of the page before, so that a shift of the listing
 * between two pages is noticed.
 *
 * @throws {ArticlesListingError} when the listing never ends, or ids differ only in type
 */
export async function walk(
  requestPage: RequestPage,
  options: WalkOptions,
  part: Part = {},
): Promise<Walk> {
  const { pageSize, concurrency, onRows } = options;
  const { start = 0, end = Number.POSITIVE_INFINITY } = part;
  const record = createWalkRecord(part);
  const overlap = () => (record.pageLength() > 1 ? 1 : 0);

  const { end: firstEnd, count: firstCount } = await read(start);
  const firstLength = record.pageLength();
  if (firstCount !== undefined && firstLength > 0) {
    const count = Math.min(firstCount, end);
    // If the service lowered the limit, or one row filled the page, the next page shows how long pages are.
    if (firstLength < Math.min(pageSize, count - start)) await read(firstEnd - overlap());
    await readInParallel(count);
  }
  await readToEnd();
  return record.judge();

  async function read(offset: number): Promise<NewPage> {
    const limit = Math.min(pageSize, end - offset);
    const page = record.note(await requestPage({ offset, limit }), offset);
    await onRows?.(page.fresh);
    return page;
  }

  /** Reads the pages up to `count`, several at a time. */
  async function readInParallel(count: number): Promise<void> {
    const offsets = offsetsUpTo(count);
    const readNext = async () => {
      // Leaving the loop ends the generator for all readers.
      for (const offset of offsets) if ((await read(offset)).fresh.length === 0) break;
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, maxPagesAtOnce) }, readNext));
  }

  function* offsetsUpTo(count: number): Generator<number> {
    const step = record.pageLength() - overlap();
    const { end } = record.lastBeforeGap();
    for (let offset = end - overlap(); offset + overlap() < count; offset += step) yield offset;
  }

  /** Reads from the first missing row on, until the end is proven or a page has no new rows. */
  async function readToEnd(): Promise<void> {
    for (let last = record.lastBeforeGap(); !record.isEnd(last); last = record.lastBeforeGap()) {
      let page = await read(last.end - overlap());
      if (page.isFirstAgain) {
        if (last.end !== firstEnd || !(await isWholeListing(page))) record.noteIgnoredOffset();
        return;
      }
      // The page may contain only the overlapping row, and an empty one may be a temporary failure.
      if (page.fresh.length === 0 && !record.isEnd(page)) page = await read(last.end);
      if (page.fresh.length === 0) {
        if (last.more === true) record.noteEarlyEnd();
        return;
      }
    }
  }

  /** Whether the service ignores `limit` and `offset`, and sends the whole listing at once. */
  async function isWholeListing({ offset, end, count, more }: NotedPage): Promise<boolean> {
    const length = end - offset;
    if (more === true || (count !== undefined && count !== length)) return false;
    const smaller = await requestPage({ offset: 0, limit: Math.max(1, firstLength - 1) });
    return smaller.rows.length >= firstLength;
  }
}
