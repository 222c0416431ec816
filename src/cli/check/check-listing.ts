import { asJson } from '../../client/http/json.ts';
import { decodePage, type ListingPage } from '../../client/listing/page.ts';
import type { Exchange, Reply, Requests } from './check-requests.ts';
import { readRows } from './check-rows.ts';
import type { Facts, Failure } from './facts.ts';

const largestPage = 500;
const smallerPage = 100;

export type ListingFacts = NonNullable<Facts['listing']>;

export type FirstPage = { exchanges: Exchange[] } & (
  | { page: ListingPage; askedFor: number }
  | { failure: Failure }
);

/** The largest page; a smaller one, when the service refuses to give so much at once. */
export async function askFirstPage(requests: Requests): Promise<FirstPage> {
  const largest = await askForPage(requests, { limit: largestPage, offset: 0 });
  if ('value' in largest) return { ...largest, page: largest.value, askedFor: largestPage };
  const { error } = largest;
  if (['refused', 'server-error', 'timeout', 'body-too-large'].includes(error.code)) {
    const smaller = await askForPage(requests, { limit: smallerPage, offset: 0 });
    if ('value' in smaller) return { ...smaller, page: smaller.value, askedFor: smallerPage };
  }
  const { code, message, hint = null } = error;
  return { failure: { code, message, hint }, exchanges: largest.exchanges };
}

function askForPage(
  requests: Requests,
  query: { limit: number; offset: number },
): Promise<Reply<ListingPage>> {
  const { addresses, ask, maxBytes } = requests;
  return ask({ url: addresses.list(query), maxBytes: maxBytes.page, read: asJson(decodePage) });
}

/** What the first page tells by itself. */
export function factsOf({ page, askedFor }: { page: ListingPage; askedFor: number }): ListingFacts {
  return {
    envelope: page.envelope,
    count: page.count ?? null,
    next: page.more ?? null,
    askedFor,
    came: page.rows.length,
    pageLimit: pageLimit(page, askedFor),
    honoursLimit: page.rows.length > askedFor ? false : null,
    honoursOffset: null,
  };
}

/** How many rows a page may have at most, as far as the first one tells. */
function pageLimit(page: ListingPage, askedFor: number): 'exact' | 'at-least' | null {
  const came = page.rows.length;
  if (came >= askedFor) return 'at-least';
  if (page.more === true || (page.count !== undefined && page.count > came)) return 'exact';
  return page.more === false || page.count !== undefined ? 'at-least' : null;
}

/** Whether `limit` and `offset` do what they say; and whether rows follow, when nothing says so. */
export async function askForParts(
  requests: Requests,
  page: ListingPage,
  known: ListingFacts,
): Promise<Partial<ListingFacts>> {
  const came = page.rows.length;
  if (came === 0) return {};
  const ids = (rows: readonly unknown[]) => readRows(rows).listed.map(({ id }) => id);
  const all = ids(page.rows);
  const found: Partial<ListingFacts> = {};
  if (came > 2) {
    const part = await askForPage(requests, { limit: 2, offset: 1 });
    if ('value' in part) {
      const [second] = ids(part.value.rows);
      found.honoursLimit = part.value.rows.length === 2;
      found.honoursOffset = second === undefined ? null : second === all[1];
    }
  }
  if (known.pageLimit !== null) return found;
  const next = await askForPage(requests, { limit: known.askedFor, offset: came });
  if (!('value' in next)) return found;
  const fresh = ids(next.value.rows).some((id) => !all.includes(id));
  return { ...found, pageLimit: fresh ? 'exact' : 'at-least' };
}
