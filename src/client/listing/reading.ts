import { createRedact } from '../../http/api-key.ts';
import { decodeListed, type Row } from '../article.ts';
import type { ArticlesClient, CallOptions } from '../client.ts';
import { requestAhead } from './ahead.ts';
import { maxProblems, type OnRows, type RequestPage, type Walk, walk } from './walk.ts';

/** The result of reading the listing, once or several times. If no two walks agree, it has the ids of all walks. */
export interface Reading extends Omit<Walk, 'failure' | 'isFromCache'> {
  /** Why an article that this reading lacks may still be listed; undefined when the reading is complete. */
  incomplete?: string | undefined;
}

export interface ReadingOptions {
  /** Articles requested per page. */
  pageSize: number;
  /** Is refused as an id. */
  apiKey: string;
  /** The number of rows to read, the first ones. @default all */
  newest?: number | undefined;
  /** The page size of an earlier reading. The pages of this one are cut at other rows. */
  earlierSize?: number | undefined;
  /** Called with the new rows of each page of each walk. */
  onRows?: OnRows | undefined;
  call: CallOptions;
}

const maxWalks = 3;

/**
 * Reads the listing of the service, or its newest rows, past caches.
 *
 * @throws {ArticlesRequestError | ArticlesListingError} when the service ignores `offset`, or announces more articles
 *   than it lists, without an end (`next: null`)
 */
export function readListing(
  client: Pick<ArticlesClient, 'listPage'>,
  { apiKey, newest, earlierSize, call, ...options }: ReadingOptions,
): Promise<Reading> {
  let lastSize = earlierSize;
  const key = { apiKey, redact: createRedact(apiKey) };
  const requestPage: RequestPage = async (query) => {
    const { rows, ...page } = await client.listPage(query, { ...call, fresh: true });
    const decoded: Row[] = [];
    let problems = 0;
    for (const [index, row] of rows.entries()) {
      const listed = decodeListed(row, query.offset + index + 1, key);
      decoded.push(listed);
      if ('problem' in listed) problems += 1;
      // A walk ends there.
      if (problems > maxProblems) break;
    }
    return { ...page, rows: decoded };
  };
  return readUntilReliable(async () => {
    // Another size moves the rows at which pages meet. Pages of one row would not overlap.
    const otherSize = lastSize && (lastSize > 2 ? Math.floor((lastSize * 2) / 3) : lastSize + 1);
    const pageSize = otherSize ?? options.pageSize;
    const walkOptions = { ...options, pageSize, rows: newest };
    const read = await walk(requestAhead(requestPage, walkOptions), walkOptions);
    lastSize = read.pageSize;
    return read;
  });
}

/**
 * Reads the listing until it is reliable: once if the walk has no doubt, otherwise until two walks in a row agree, three
 * times at most, to find what a single walk hides.
 *
 * @param walkOnce reads the listing. A repeated walk should cut the pages at other rows: a table without a stable order
 *   repeats and hides articles where pages meet
 * @throws {ArticlesListingError} when every walk failed
 */
export async function readUntilReliable(walkOnce: () => Promise<Walk>): Promise<Reading> {
  let last = await walkOnce();
  const walks = [last];
  let isSettled = !last.doubt;
  while (!isSettled && walks.length < maxWalks) {
    const previous = new Set(last.ids);
    last = await walkOnce();
    walks.push(last);
    isSettled = previous.size === last.ids.length && last.ids.every((id) => previous.has(id));
  }
  if (last.failure && walks.every(({ failure }) => failure)) throw last.failure;

  const { problems, length, pageSize, count } = last;
  const doubt = walks.every((walk) => walk.doubt) ? last.doubt : undefined;
  const all = walks.map(({ ids }) => ids).reduceRight((ids, earlier) => mergeOrders(ids, earlier));
  // Several walks together may list what each of them lacks.
  const isFound = doubt?.announced !== undefined && all.length >= doubt.announced;
  let incomplete = last.doubt?.reason;
  if (last.isFromCache) incomplete = 'it came from a cache';
  if (problems.length > 0) incomplete = `${problems.length} of its rows have no usable id`;
  if (!isSettled) incomplete = 'it kept changing while it was read';
  return {
    ids: isSettled && !doubt ? last.ids : all,
    problems,
    doubt: doubt && !isFound ? { ...doubt, listed: all.length } : undefined,
    incomplete,
    length,
    pageSize,
    count,
  };
}

/**
 * Returns the ids of all articles in one order: that of a listing, and each known article that the listing lacks at the
 * place that it had among its neighbours.
 *
 * @param known ids in the order of another listing
 */
export function mergeOrders(listed: readonly string[], known: readonly string[]): string[] {
  const isListed = new Set(listed);
  const first = known.find((id) => isListed.has(id));
  let neighbour: string | undefined;
  // Each group begins with the listed article that the others follow.
  const groups = Map.groupBy(known, (id) => {
    if (isListed.has(id)) neighbour = id;
    return neighbour;
  });
  const before = groups.get(undefined) ?? [];
  const inPlace = listed.flatMap((id) => [
    ...(id === first ? before : []),
    ...(groups.get(id) ?? [id]),
  ]);
  return first === undefined ? [...inPlace, ...before] : inPlace;
}
