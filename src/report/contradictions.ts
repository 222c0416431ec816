import type { Notice } from '../errors.ts';
import type { ListedRow } from '../load/rows.ts';
import { joinSome, quote } from '../messages.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { isUnclearTime } from '../shared/dates.ts';
import { describeOrder, orderOf } from './order.ts';

type ListingOptions = Pick<ResolvedOptions, 'order' | 'newest' | 'rows'>;

const maxNames = 12;

/** Returns notices about options that the rows of the listing contradict; none without rows of a service. */
export function contradictionsOf(rows: readonly ListedRow[], options: ListingOptions): Notice[] {
  const texts = [orderContradiction(rows, options), changedByContradiction(rows, options)];
  return texts.flatMap((text) => (text ? { kind: 'other', ids: [], text } : []));
}

function orderContradiction(
  rows: readonly ListedRow[],
  { order, newest }: ListingOptions,
): string | undefined {
  const found = orderOf(rows);
  // Ids are too weak a sign for a notice in each load.
  if (!found?.isDated || found.order === order) return undefined;
  const remedy =
    newest === undefined
      ? `Set \`order: '${found.order}'\`.`
      : '`newest` needs the newest articles first: sort the listing with `query`.';
  return (
    `The listing is ${describeOrder(found)}, and \`order\` is '${order}', so the site shows its articles in the opposite ` +
    `order. ${remedy}`
  );
}

function changedByContradiction(
  rows: readonly ListedRow[],
  { rows: option }: ListingOptions,
): string | undefined {
  if (typeof option !== 'object') return undefined;
  const { changedBy } = option;
  const compared = rows.filter(({ record }) => record === undefined);
  const unclear = compared.filter(({ extra }) => isUnclearTime(extra[changedBy]));
  if (unclear.length > 0) {
    return (
      `The field ${quote(changedBy)} that \`rows.changedBy\` names may be a time that is not ISO 8601, so it proves nothing, ` +
      `and articles are requested in every load: ${joinSome(unclear.map(({ id }) => quote(id)))}. Send a time such as ` +
      '"2026-03-02T12:00:00Z", or translate the field in `fetch`.'
    );
  }
  if (compared.length === 0 || rows.some(({ extra }) => Object.hasOwn(extra, changedBy)))
    return undefined;
  return (
    `No row of the listing has the field ${quote(changedBy)} that \`rows.changedBy\` names, so each article is requested ` +
    `in every load. The rows have ${joinNames(rows)}.`
  );
}

function joinNames(rows: readonly ListedRow[]): string {
  const extra = new Set(rows.flatMap((row) => Object.keys(row.extra)));
  const title = rows.some((row) => row.title !== undefined) ? ['title'] : [];
  return joinSome(['id', ...title, ...[...extra].toSorted()].map(quote), maxNames);
}
