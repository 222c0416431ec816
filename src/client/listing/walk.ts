import type { Article, Row } from '../article.ts';
import type { ListingPage } from './page.ts';
import { createTaken, type OnRows, type TakenPage, type Walk } from './walk-state.ts';

/** Asks for one page. It may hold fewer rows than `limit`: servers clamp silently. */
export type AskPage<Kept = Article> = (query: {
  offset: number;
  limit: number;
}) => Promise<ListingPage<Row<Kept>>>;

export interface WalkOptions<Kept = Article> {
  /** Rows to ask for at once. */
  pageSize: number;
  /** Pages asked for side by side, once the service has said how many articles there are. */
  concurrency: number;
  /** Pages may arrive in any order. */
  onRows?: OnRows<Kept> | undefined;
}

/** A page holds hundreds of articles: more of them at once would only take memory. */
const pagesAtOnce = 4;

/**
 * Walks the listing once, from the first row to the last. It advances by what came, never by what
 * was asked for.
 *
 * @throws {ArticlesListingError} when the listing never ends, or ids differ only in type
 */
export async function walk<Kept>(
  askPage: AskPage<Kept>,
  options: WalkOptions<Kept>,
): Promise<Walk> {
  const { pageSize, concurrency } = options;
  const taken = createTaken(options.onRows);
  const first = await take(0, pageSize);
  const step = first.end;

  if (first.count !== undefined && !isEnd(first)) await takeSideBySide(first.count);
  await takeOneByOne();
  return taken.finish();

  async function take(offset: number, limit: number, expected?: string): Promise<TakenPage> {
    return taken.add(offset, await askPage({ offset, limit }), expected);
  }

  /** The first page tells the size of all, so that the others need not wait for one another. */
  async function takeSideBySide(count: number): Promise<void> {
    let next = step;
    let ended = false;
    const worker = async () => {
      while (!ended && next < count) {
        const from = next;
        next = Math.min(from + step, count);
        const whole = await fill(from, next, next === count ? pageSize : step).catch((error) => {
          ended = true;
          throw error;
        });
        ended ||= !whole;
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, pagesAtOnce) }, worker));
  }

  /** Takes one planned page, in several pieces if it comes short; false when rows ran out. */
  async function fill(from: number, to: number, size: number): Promise<boolean> {
    for (let offset = from; offset < to; ) {
      const limit = offset === from ? size : to - offset;
      let page = await take(offset, limit);
      // An empty page before the end may be a fault of the moment.
      if (page.end === offset) page = await take(offset, limit);
      if (isFirstAgain(page)) taken.doubt('ignored');
      if (page.fresh === 0) return false;
      offset = page.end;
    }
    return true;
  }

  async function takeOneByOne(): Promise<void> {
    for (let last = taken.last(); last && !isEnd(last); ) {
      const page = await takeAfter(last);
      if (isFirstAgain(page)) {
        return (await isAllInOne(page)) ? taken.trustFirst() : taken.doubt('ignored');
      }
      if (page.fresh === 0) {
        // The service said that more follows, and then gave nothing.
        if (last.more === true) taken.doubt('short');
        return;
      }
      last = page;
    }
  }

  /** The page that follows another one; asked for twice if it brings nothing new. */
  async function takeAfter(last: TakenPage): Promise<TakenPage> {
    // Without a count, nothing but an overlap shows that the listing shifted between two pages.
    const overlap = last.count === undefined && last.ids.length > 1 ? 1 : 0;
    const expected = overlap === 1 ? last.ids.at(-1) : undefined;
    const page = await take(last.end - overlap, pageSize, expected);
    if (page.fresh > 0 || isFirstAgain(page) || last.more !== true) return page;
    return take(last.end, pageSize);
  }

  function isFirstAgain(page: TakenPage): boolean {
    const alike = page.ids.every((id, index) => id === first.ids[index]);
    return page.offset > 0 && page.ids.length > 0 && page.fresh === 0 && alike;
  }

  /** A service that ignores `limit` as well as `offset` has given everything in one piece. */
  async function isAllInOne(page: TakenPage): Promise<boolean> {
    if (page.more !== undefined || page.count !== undefined) return false;
    const probe = await askPage({ offset: 0, limit: Math.max(1, step - 1) });
    return probe.rows.length >= step;
  }
}

function isEnd({ offset, end, count, more }: TakenPage): boolean {
  if (end === offset) return true;
  if (more === true) return false;
  return count === undefined ? more === false : end >= count;
}
