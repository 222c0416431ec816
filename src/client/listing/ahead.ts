import { sleep, systemClock } from '../../shared/clock.ts';
import { nextOffset, type RequestPage, type WalkOptions } from './walk.ts';

type Query = Parameters<RequestPage>[0];
type Page = Awaited<ReturnType<RequestPage>>;

/** The number of pages that are requested before they are read. */
const maxAhead = 2;

/**
 * Wraps a function that requests pages, so that a service that counts its articles prepares the next two while a page is
 * processed. If pages differ in length, those that were requested ahead are not read, and no others are requested ahead.
 */
export function requestAhead(requestPage: RequestPage, options: WalkOptions): RequestPage {
  /** By offset, on which the limit depends. */
  const ahead = new Map<number, Promise<Page>>();

  return async (query) => {
    // A page that has failed is requested again, because its failure may have passed.
    const early = await ahead.get(query.offset)?.catch(() => undefined);
    ahead.delete(query.offset);
    const page = early ?? (await requestPage(query));
    for (const next of queriesAfter(query, page, options)) {
      if (ahead.size === maxAhead || ahead.has(next.offset)) continue;
      const requested = requestPage(next);
      // It is awaited when it is read. Without a handler, a failure before that would end the process.
      requested.catch(() => undefined);
      ahead.set(next.offset, requested);
    }
    // Sends these requests first.
    if (ahead.size > 0) await sleep(systemClock, 0);
    return page;
  };
}

/** Returns the requests that will follow a page, as far as the service has counted its articles. */
function queriesAfter(
  { offset }: Query,
  { rows: { length }, count = 0, isNumbered }: Page,
  { pageSize, rows: end = Number.POSITIVE_INFINITY }: WalkOptions,
): Query[] {
  if (length < 2) return [];
  const next = nextOffset(offset + length, { length, isNumbered });
  // A page has a new row only if it reaches beyond the rows before it.
  const overlap = offset + length - next;
  return [next, nextOffset(next + length, { length, isNumbered })]
    .filter((each) => each + overlap < Math.min(count, end))
    .map((each) => ({ offset: each, limit: Math.min(pageSize, end - each) }));
}
