import type { Notice } from '../errors.ts';
import type { ListedRow } from '../load/rows.ts';
import { joinSome, quote } from '../messages.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { describeOrder, orderOf } from './order.ts';

const maxNames = 12;

/** Returns what the options say of the listing and its rows contradict. Without rows of a service, nothing. */
export function contradictionsOf(rows: readonly ListedRow[], options: ResolvedOptions): Notice[] {
  const texts = [orderText(rows, options), rowsText(rows, options)];
  return texts.flatMap((text) => (text ? { kind: 'other' as const, ids: [], text } : []));
}

function orderText(
  rows: readonly ListedRow[],
  { order, newest }: ResolvedOptions,
): string | undefined {
  const found = orderOf(rows);
  // Ids are too weak a sign for a notice in each load.
  if (!found?.isDated || found.order === order) return undefined;
  const remedy =
    newest === undefined
      ? `Set \`order: '${found.order}'\`.`
      : '`newest` needs the newest articles first: sort the listing with `query`.';
  return (
    `The listing is ${describeOrder(found)}, and \`order\` is '${order}', so the site shows its articles in the ` +
    `opposite order. ${remedy}`
  );
}

function rowsText(rows: readonly ListedRow[], options: ResolvedOptions): string | undefined {
  const isSummary = rows.some(({ record }) => record === undefined);
  if (!isSummary || typeof options.rows !== 'object') return undefined;
  const { changedBy } = options.rows;
  if (rows.some(({ extra }) => Object.hasOwn(extra, changedBy))) return undefined;
  return (
    `No row of the listing has the field ${quote(changedBy)} that \`rows.changedBy\` names, so each article is ` +
    `requested in every load. The rows have ${namesIn(rows)}.`
  );
}

function namesIn(rows: readonly ListedRow[]): string {
  const extra = new Set(rows.flatMap((row) => Object.keys(row.extra)));
  const title = rows.some((row) => row.title !== undefined) ? ['title'] : [];
  return joinSome(['id', ...title, ...[...extra].toSorted()].map(quote), maxNames);
}
