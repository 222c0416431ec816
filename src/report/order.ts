import { timeOf } from '../shared/dates.ts';
import type { Fields } from './facts.ts';

/** The order that a listing shows. */
interface FoundOrder {
  order: 'newest-first' | 'oldest-first';
  /** What shows it, in words. */
  by: string;
}

/** The number of neighbours in a row that have to differ: fewer show no order. */
const minSteps = 2;

/** Returns the order of articles by a date of theirs; undefined if none shows an order. */
export function orderByDates(articles: readonly Fields[]): FoundOrder | undefined {
  for (const name of publicationFields(articles[0] ?? {})) {
    const order = orderOfValues(articles.map((fields) => timeOf(fields[name])?.date));
    if (order) return { order, by: `\`${name}\`` };
  }
  return undefined;
}

/** Returns the order of ids that are numbers; undefined if they show none. Higher ids are only likely to be newer. */
export function orderByIds(ids: readonly string[]): FoundOrder | undefined {
  const order = orderOfValues(ids.map((id) => (/^\d{1,15}$/.test(id) ? Number(id) : undefined)));
  return order && { order, by: 'ids, if higher ones are newer' };
}

/** Returns the names of fields that may be the date of publication, the most likely ones first. */
function publicationFields(fields: Fields): string[] {
  const names = Object.keys(fields).filter(
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
