import { decodeListed, type Row, type RowSettings } from '../article.ts';
import type { ArticlesClient, CallOptions } from '../client.ts';
import { requestAhead } from './ahead.ts';
import { maxProblems, type RequestPage, type Walk, type WalkOptions, walk } from './walk.ts';

/** The result of reading the listing, once or several times. If no two walks agree, it has the ids of all walks. */
export interface Reading extends Omit<Walk, 'failure' | 'isFromCache'> {
  /** Why an article that this reading lacks may still be listed; undefined when the reading is complete. */
  incomplete?: string | undefined;
}

export interface ReadingOptions extends RowSettings, Omit<WalkOptions, 'rows'> {
  /** The number of rows to read, from the first row on. @default all */
  newest?: number | undefined;
  /** The page size of an earlier reading. The pages of this reading are cut at other rows. */
  earlierSize?: number | undefined;
  call: CallOptions;
}

const maxWalks = 3;

/**
 * Reads the listing of the service, or its newest rows, past caches. Repeats this until the listing is reliable, three
 * times at most, to find what a single walk hides.
 *
 * @throws {ArticlesRequestError}
 * @throws {ArticlesListingError} when the service ignores `offset`, or announces more articles than it lists, without an end
 *   (`next: null`)
 */
export async function readListing(
  client: Pick<ArticlesClient, 'listPage'>,
  { apiKey, isWhole, newest, earlierSize, call, ...options }: ReadingOptions,
): Promise<Reading> {
  const settings = { apiKey, isWhole };
  const requestPage: RequestPage = async (query) => {
    const page = await client.listPage(query, { ...call, fresh: true });
    return { ...page, rows: decodeRows(page.rows, query.offset, settings) };
  };
  const walks: Walk[] = [];
  let pageSize = earlierSize === undefined ? options.pageSize : otherPageSize(earlierSize);
  while (true) {
    const walkOptions = { ...options, pageSize, rows: newest };
    const last = await walk(requestAhead(requestPage, walkOptions), walkOptions);
    walks.push(last);
    if (doWalksAgree(walks) || walks.length === maxWalks) return concludeReading(walks, last);
    pageSize = otherPageSize(last.pageSize);
  }
}

/** Decodes the rows of a page. If more of them have a problem than a walk accepts, it leaves out the rest. */
function decodeRows(rows: readonly unknown[], offset: number, settings: RowSettings): Row[] {
  const decoded: Row[] = [];
  let problems = 0;
  for (const [index, row] of rows.entries()) {
    const listed = decodeListed(row, offset + index + 1, settings);
    decoded.push(listed);
    if ('problem' in listed) problems += 1;
    if (problems > maxProblems) break;
  }
  return decoded;
}

/**
 * Returns another page size, so that pages meet at other rows: a table without a stable order repeats and hides articles
 * there. Pages of one row would not overlap.
 */
function otherPageSize(size: number): number {
  return size > 2 ? Math.floor((size * 2) / 3) : size + 1;
}

/** Returns whether the only walk has no doubt, or the last two walks agree. */
function doWalksAgree(walks: readonly Walk[]): boolean {
  const [first, second] = walks.slice(-2);
  if (!second) return !first?.doubt;
  const ids = new Set(first?.ids);
  return ids.size === second.ids.length && second.ids.every((id) => ids.has(id));
}

/**
 * Returns what one or several walks say together.
 *
 * @throws {ArticlesListingError} when every walk failed
 */
export function concludeReading(walks: readonly Walk[], last: Walk): Reading {
  if (last.failure && walks.every(({ failure }) => failure)) throw last.failure;

  const { problems, length, pageSize, count } = last;
  const isReliable = doWalksAgree(walks);
  const doubt = walks.every((walk) => walk.doubt) ? last.doubt : undefined;
  const all = walks.map(({ ids }) => ids).reduceRight((ids, earlier) => mergeOrders(ids, earlier));
  // Several walks together may list what each of them lacks.
  const isFound = doubt?.announced !== undefined && all.length >= doubt.announced;
  let incomplete = last.doubt?.reason;
  if (last.isFromCache) incomplete = 'it came from a cache';
  if (problems.length > 0) incomplete = `${problems.length} of its rows have no usable id`;
  if (!isReliable) incomplete = 'it kept changing while it was read';
  return {
    ids: isReliable && !doubt ? last.ids : all,
    problems,
    doubt: doubt && !isFound ? { ...doubt, listed: all.length } : undefined,
    incomplete,
    length,
    pageSize,
    count,
  };
}

/**
 * Returns the ids of all articles in the order of a listing. A known article that the listing lacks stays before the
 * article after it.
 *
 * @param known ids in the order of another listing
 */
export function mergeOrders(listed: readonly string[], known: readonly string[]): string[] {
  const isListed = new Set(listed);
  let neighbour: string | undefined;
  // Each group begins with the listed article that the others precede. The last articles have none.
  const groups = Map.groupBy(known.toReversed(), (id) => {
    if (isListed.has(id)) neighbour = id;
    return neighbour;
  });
  return [...listed, undefined].flatMap((id) => groups.get(id)?.toReversed() ?? id ?? []);
}
