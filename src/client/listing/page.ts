import { FaultSignal } from '../http/failure.ts';

/** A page of the listing, whatever envelope it came in. */
export interface ListingPage<T = unknown> {
  rows: T[];
  /** The key of the rows, or how they were reached: `results`, `data.results`, `(array)`. */
  envelope: string;
  /** How many articles there are in all, as the service says. A hint: it may lie. */
  count?: number;
  /** Whether the service says that more follow; absent when it says nothing about it. */
  more?: boolean;
}

// Django REST framework's key first: the usual service of this shape.
const rowKeys = ['results', 'items', 'articles', 'data'];
const countKeys = ['count', 'total', 'total_count', 'totalCount'];

/**
 * Finds the rows in the answer of the listing. The contract (4.1, rule 3) leaves the envelope open.
 * `next` is only ever read as "there is more": it is built from the request's host and may point
 * anywhere.
 */
export function decodePage(value: unknown): ListingPage {
  if (Array.isArray(value)) return { rows: value, envelope: '(array)' };
  if (!isRecord(value)) {
    throw unexpected(
      `answered with ${value === null ? 'null' : `a ${typeof value}`} where a listing was asked for`,
    );
  }
  const direct = rowsIn(value);
  if (direct) return { ...direct, ...signs(value) };

  const nested = Object.entries(value).flatMap(([key, inner]) => {
    const found = isRecord(inner) ? rowsIn(inner) : undefined;
    return found && isRecord(inner) ? [{ key, inner, found }] : [];
  });
  const [only, another] = nested;
  if (!only || another)
    throw unexpected(`answered with no list that can be told apart (fields: ${shown(value)})`);
  const { key, inner, found } = only;
  return { ...found, envelope: `${key}.${found.envelope}`, ...signs(value), ...signs(inner) };
}

function rowsIn(
  record: Record<string, unknown>,
): { rows: unknown[]; envelope: string } | undefined {
  for (const key of rowKeys) {
    const rows = record[key];
    if (Array.isArray(rows)) return { rows, envelope: key };
  }
  return undefined;
}

function signs(record: Record<string, unknown>): { count?: number; more?: boolean } {
  const count = countKeys.map((key) => record[key]).find(isCount);
  const { next } = record;
  const more = next === null ? false : typeof next === 'string' && next !== '' ? true : undefined;
  return { ...(count === undefined ? {} : { count }), ...(more === undefined ? {} : { more }) };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(record: Record<string, unknown>): string {
  return Object.keys(record).slice(0, 12).join(', ') || 'none';
}

function unexpected(reason: string): FaultSignal {
  return new FaultSignal({
    code: 'unexpected-shape',
    reason,
    hint: 'Rows are looked for in a bare array, and in `results`, `items`, `articles` or `data`, also one level down.',
  });
}
