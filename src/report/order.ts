import type { ListedRow } from '../load/rows.ts';
import { timeOf } from '../shared/dates.ts';

/** The order that rows of a listing show. */
export interface FoundOrder {
  order: 'newest-first' | 'oldest-first';
  /** What shows it, in words. */
  by: string;
  /** Whether it is a date. Higher ids are only likely to be newer. */
  isDated: boolean;
}

/** The number of neighbours in a row that have to differ: fewer show no order. */
const minSteps = 2;

/** Returns the order of rows by a date of theirs, or else by ids that are numbers; undefined if they show none. */
export function orderOf(rows: readonly Pick<ListedRow, 'id' | 'extra'>[]): FoundOrder | undefined {
  for (const name of publicationFields(rows[0]?.extra ?? {})) {
    const order = orderOfValues(rows.map(({ extra }) => timeOf(extra[name])?.date));
    if (order) return { order, by: `\`${name}\``, isDated: true };
  }
  const ids = rows.map(({ id }) => (/^\d{1,15}$/.test(id) ? Number(id) : undefined));
  const order = orderOfValues(ids);
  return order && { order, by: 'ids, if higher ones are newer', isDated: false };
}

/** Returns the names of fields that may be the date of publication, the most likely ones first. */
function publicationFields(extra: Readonly<Record<string, unknown>>): string[] {
  const names = Object.keys(extra).filter(
    (name) => /^\w+$/.test(name) && !/updat|modif|chang/i.test(name),
  );
  return [/publ/i, /creat/i, /date/i].flatMap((part) => names.filter((name) => part.test(name)));
}

function orderOfValues(values: readonly (number | undefined)[]): FoundOrder['order'] | undefined {
  if (values.includes(undefined)) return undefined;
  const steps = values.slice(1).map((value = 0, index) => value - (values[index] ?? 0));
  const rises = steps.filter((step) => step > 0).length;
  const falls = steps.filter((step) => step < 0).length;
  if (rises + falls < minSteps) return undefined;
  // A few articles may be pinned.
  if (falls > 9 * rises) return 'newest-first';
  if (rises > 9 * falls) return 'oldest-first';
  return undefined;
}
