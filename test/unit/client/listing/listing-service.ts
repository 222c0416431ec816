import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'vitest';
import { decodeListed, type Row } from '../../../../src/client/article.ts';
import type { ListingPage } from '../../../../src/client/listing/page.ts';
import { readListing } from '../../../../src/client/listing/reading.ts';
import type { RequestPage, WalkOptions } from '../../../../src/client/listing/walk.ts';

export const everySign = ['both', 'count', 'next', 'nothing', 'own count'] as const;

export interface Listing {
  /** From the newest article to the oldest one. */
  ids: string[];
  /** The maximum number of rows on a page. */
  clamp?: number;
  /** What a page reports: `count` and `next`, one of them, none, or its own rows as `count`. */
  reports?: (typeof everySign)[number];
  ignores?: 'offset' | 'offset and limit';
  /** Changes the listing before a response. Requests count from 1. */
  before?: (ids: string[], request: number) => void;
  /** The turns after which the service reads its articles, for requests by turns. */
  delays?: readonly number[];
  /** Whether it fails each request that comes while it handles another one. */
  isBusy?: boolean;
}

export const pageOf = (
  ids: readonly (string | number)[],
  reports: object = {},
): ListingPage<Row> => ({
  rows: ids.map((id) => decodeListed({ id }, 1)),
  ...reports,
});

/** Creates a service that lists articles. */
export function serviceOf({ ids, clamp = 500, reports = 'both', ...listing }: Listing) {
  const { ignores, before, delays = [0], isBusy = false } = listing;
  let reads = 0;
  const queries: { offset: number; limit: number }[] = [];
  /** The number of requests without a response, and its maximum. */
  const open = { now: 0, most: 0 };
  const requestPage: RequestPage = async (query) => {
    if (isBusy && open.now > 0) throw new Error('It is busy.');
    queries.push(query);
    open.most = Math.max(open.most, ++open.now);
    expect(query.limit).toBeGreaterThan(0);
    const delay = delays[queries.length % delays.length] ?? 0;
    for (let turn = 0; turn < delay; turn++) await nextTurn();
    before?.(ids, ++reads);
    const offset = ignores ? 0 : query.offset;
    const limit = ignores === 'offset and limit' ? ids.length : Math.min(query.limit, clamp);
    const rows = ids.slice(offset, offset + limit);
    const next = { more: offset + rows.length < ids.length };
    const count = { count: ids.length };
    const own = { count: rows.length };
    const signs = { both: { ...count, ...next }, count, next, nothing: {}, 'own count': own };
    await nextTurn();
    open.now -= 1;
    return pageOf(rows, signs[reports]);
  };
  return { requestPage, queries, open };
}

const options = { pageSize: 500 };

export const idsUpTo = (count: number) =>
  Array.from({ length: count }, (_, index) => `id-${index}`);

/** Reads a listing, or its first rows, until it is reliable, and counts the walks. */
export async function read(
  requestPage: RequestPage,
  { rows: newest, ...walkOptions }: WalkOptions = options,
) {
  let walks = 0;
  const listPage = ({ offset = 0, limit = 0 } = {}) => {
    if (offset === 0) walks += 1;
    return requestPage({ offset, limit });
  };
  const reading = await readListing({ listPage }, { ...walkOptions, newest, apiKey: '', call: {} });
  return { ...reading, walks };
}

export const readService = (listing: Listing, changes: { pageSize?: number; rows?: number } = {}) =>
  read(serviceOf(listing).requestPage, { ...options, ...changes });

export const unusable = (message = '') =>
  expect.objectContaining({
    code: 'listing-unusable',
    message: expect.stringContaining(message),
  });

/** Returns undefined for a reading that fails because of the listing. */
export const ifListed = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error) => void expect(error.name).toBe('ArticlesListingError'));
