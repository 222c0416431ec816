import { decodeText } from '../http/body.ts';
import { isFault } from '../http/failure.ts';
import { asJson, parseJson } from '../http/json.ts';
import { decodePage, type ListingPage } from './page.ts';
import { type CutList, type CutMark, cutLists } from './split-json.ts';

/** A row of a page, before it is read; it is there for as long as the page's bytes. */
export interface RawRow {
  /** Its bytes, where they can be told from the rest. */
  json?: Uint8Array;
  /** Reads them. Whoever knows the row by its bytes need not. */
  value(): unknown;
}

/** Makes of a row what is kept of it. It may be called more than once for a row. */
export type ReadRow<T> = (row: RawRow, index: number) => T;

/**
 * Reads an answer of the listing row by row, so that not all of its text is held at once: a page may
 * be megabytes.
 */
export function readPage<T>(body: Uint8Array, readRow: ReadRow<T>): ListingPage<T> {
  try {
    return readByRow(body, readRow);
  } catch (error) {
    if (!isFault(error)) throw error;
    // Only as a whole can it say where the fault is; and its shape counts once all of it is JSON.
    return withRows(asJson(decodePage)(body), readRow);
  }
}

function readByRow<T>(body: Uint8Array, readRow: ReadRow<T>): ListingPage<T> {
  const { rest, lists } = cutLists(body);
  const page = decodePage(parseJson(decodeText(rest)));
  const mark = markIn(page.rows);
  const list = mark && lists[mark.list];
  // What is in other lists has to be JSON, too.
  for (const other of lists) {
    if (other !== list) for (const { value } of objectsOf(other, body)) value();
  }
  return list
    ? { ...page, rows: Array.from(objectsOf(list, body), readRow) }
    : withRows(page, readRow);
}

function withRows<T>(page: ListingPage, readRow: ReadRow<T>): ListingPage<T> {
  return { ...page, rows: page.rows.map((value, index) => readRow({ value: () => value }, index)) };
}

function* objectsOf({ bounds, depth }: CutList, body: Uint8Array): Generator<RawRow> {
  for (let at = 0; at < bounds.length; at += 2) {
    const json = body.subarray(bounds[at], bounds[at + 1]);
    yield { json, value: () => parseJson(decodeText(json), depth) };
  }
}

/** The mark, where the rows were taken out. */
function markIn(rows: unknown[]): CutMark | undefined {
  const [row] = rows;
  const isMark = rows.length === 1 && typeof row === 'object' && row && !Array.isArray(row);
  return isMark ? (row as CutMark) : undefined;
}
