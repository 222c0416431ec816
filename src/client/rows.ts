import { decodeText } from './body.ts';
import { type CutList, cutLists, type Piece } from './cut.ts';
import { asJson, parseJson } from './json.ts';
import { decodePage, type ListingPage } from './page.ts';

/** A row of a page, before it is read. */
export interface RawRow {
  /** Its bytes, where they could be told from the rest. */
  json?: Uint8Array;
  /** Reads them. */
  value(): unknown;
}

/** Makes of a row what is kept of it. It may be called more than once for a row. */
export type ReadRow<Row> = (row: RawRow, index: number) => Row;

/**
 * Reads an answer of the listing row by row: a page may hold megabytes of text, and most of it is
 * not read at all when a row is known by its bytes.
 */
export function readPage<Row>(body: Uint8Array, readRow: ReadRow<Row>): ListingPage<Row> {
  try {
    return readByRow(body, readRow);
  } catch {
    // Only as a whole can it say where the fault is.
    const page = asJson(decodePage)(body);
    return { ...page, rows: readValues(page.rows, readRow) };
  }
}

function readByRow<Row>(body: Uint8Array, readRow: ReadRow<Row>): ListingPage<Row> {
  const { rest, pieces } = cutLists(body);
  const page = decodePage(parseJson(rest));
  const list = cutListIn(page.rows);
  // What is in other lists has to be JSON, too.
  for (const [index, piece] of pieces.entries()) {
    if (!(list && index >= list.from && index < list.to)) parsePiece(piece);
  }
  if (!list) return { ...page, rows: readValues(page.rows, readRow) };
  const rows = pieces
    .slice(list.from, list.to)
    .map((piece, index) => readRow({ json: piece.json, value: () => parsePiece(piece) }, index));
  return { ...page, rows };
}

function readValues<Row>(values: unknown[], readRow: ReadRow<Row>): Row[] {
  return values.map((value, index) => readRow({ value: () => value }, index));
}

function parsePiece({ json, depth }: Piece): unknown {
  return parseJson(decodeText(json), depth);
}

function cutListIn(rows: unknown[]): CutList | undefined {
  const [row] = rows;
  const isCut = rows.length === 1 && typeof row === 'object' && row && !Array.isArray(row);
  return isCut ? (row as CutList) : undefined;
}
