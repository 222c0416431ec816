import { decodeText, parseBody, replacementCharacter } from '../../http/body.ts';
import { ageOf } from '../../http/response-times.ts';
import { isRecord, toJsonValue } from '../../shared/json-value.ts';
import { describeFields, describeType, unexpected } from '../article.ts';

/** A page of the listing, independent of its envelope. */
export interface ListingPage<T = unknown> {
  rows: T[];
  /** The number of all articles according to the service, which may be wrong. */
  count?: number | undefined;
  /** Whether more rows follow, according to the service. Absent when the response does not contain `next`. */
  more?: boolean | undefined;
  /** How long a cache has had the response, in seconds (RFC 9111, 5.1). Absent when it is the service's own. */
  age?: number | undefined;
  /** Whether `translateApi()` has made the page from numbered pages. */
  isNumbered?: boolean;
}

// Django REST framework uses the first key.
const rowKeys = ['results', 'items', 'articles', 'data'];
const listingShape =
  'The rows have to be a bare array, be under `results`, `items`, `articles` or `data`, or be the only list of objects with an `id`. They may be one level down.';
const countKeys = ['count', 'total', 'total_count', 'totalCount'];

/**
 * Reads a page of the listing. A row with bytes that are not valid UTF-8 is reduced to its id. The other rows stay
 * usable, and the article of this row is fetched on its own.
 */
export function readPage(body: Uint8Array, { headers }: { headers: Headers }): ListingPage {
  const decoded = decodeText(body);
  const page = { ...decodePage(parseBody(decoded, headers)), age: ageOf(headers) || undefined };
  if (decoded.isUtf8) return page;
  const readRow = (row: unknown) =>
    hasReplacement(row) ? { id: isRecord(row) ? row.id : undefined } : row;
  return { ...page, rows: page.rows.map(readRow) };
}

/**
 * Finds the rows in a response of the listing. The contract leaves the envelope open (docs/reference/service.md): the
 * rows are under a known key, or in the only list of objects, in the response itself or one level down.
 * `next` is never requested, because it may be a URL of another host. It only shows that more rows follow.
 */
export function decodePage(value: unknown): ListingPage {
  if (Array.isArray(value)) return { rows: value };
  if (!isRecord(value)) {
    throw unexpected(`responded with ${describeType(value)} instead of a listing`, listingShape);
  }
  for (const find of [rowsUnderKnownKey, onlyListOfObjects]) {
    for (const level of [[value], Object.values(value).filter(isRecord)]) {
      const [only, another] = level.filter(find);
      const rows = only && find(only);
      if (rows && !another) return { rows, ...factsOfPage({ ...value, ...only }) };
    }
  }
  const reason = `responded without a recognisable list of articles (${describeFields(value)})`;
  throw unexpected(reason, listingShape);
}

function rowsUnderKnownKey(record: Record<string, unknown>): unknown[] | undefined {
  return rowKeys.map((key) => record[key]).find(Array.isArray);
}

/** Finds the only list whose objects have ids, or the only empty list. */
function onlyListOfObjects(record: Record<string, unknown>): unknown[] | undefined {
  const lists = Object.values(record)
    .filter(Array.isArray)
    .filter((rows) => rows.every(isRecord));
  const withIds = lists.filter((rows) => rows.some((row) => 'id' in row));
  const empty = lists.filter(({ length }) => length === 0);
  const [only, another] = withIds.length > 0 ? withIds : empty;
  return another ? undefined : only;
}

/** Returns what the envelope of a page says. */
function factsOfPage(record: Record<string, unknown>): Omit<ListingPage, 'rows'> {
  const { next, isNumbered } = record;
  const more = typeof next === 'string' && next !== '';
  return {
    count: countKeys.map((key) => record[key]).find(isCount),
    ...((more || next === null) && { more }),
    ...(isNumbered === true && { isNumbered }),
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Returns whether a value has a character that was not valid, or is too large to be searched. */
function hasReplacement(value: unknown): boolean {
  try {
    return JSON.stringify(toJsonValue(value)).includes(replacementCharacter);
  } catch {
    return true;
  }
}
