import { quote } from '../messages.ts';
import { timeOf } from '../shared/dates.ts';
import type { Fields } from './facts.ts';

// A field that may mark drafts. Articles that are published by accident are the worst that a first load can do.

const statusNames = ['status', '_status', 'state', 'draft', 'published', 'visibility'];
/** A field with more values is not the state of an article. */
const maxValues = 8;

/**
 * Returns the fields by which only some articles may be drafts, and says of their values in how many articles each is. The most
 * frequent one is first.
 */
export function findStatusFields(articles: readonly Fields[]) {
  return statusNames.flatMap((name) => {
    const values = articles.map((article) => article[name]);
    // A flag may be missing where it is off.
    const states = new Set(values.map((value) => value || undefined));
    const isState = states.size > 1 && states.size <= maxValues && values.every(canBeState);
    return isState ? { name, values: describeValues(values) } : [];
  });
}

/** Returns whether a value may be the state of an article. A date is not. */
function canBeState(value: unknown): boolean {
  return (value === null || typeof value !== 'object') && timeOf(value) === undefined;
}

function describeValues(values: readonly unknown[]): string {
  const groups = [...Map.groupBy(values, labelOf)].toSorted(([, a], [, b]) => b.length - a.length);
  const parts = groups.map(([label, { length }]) => `${label} in ${length}`);
  return `${parts.join(', ')} of ${values.length} articles`;
}

/** Returns a value as code, because the text of an article is data; or `missing`. */
function labelOf(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  return String(value ?? 'missing');
}
