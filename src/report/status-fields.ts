import { quote } from '../messages.ts';
import { timeOf } from '../shared/dates.ts';

// A field that may mark drafts. Articles that are published by accident are the worst that a first load can do.

/** A field whose values differ between articles. */
export interface StatusField {
  name: string;
  /** The most frequent one first. */
  values: readonly CountedValue[];
  /** The number of articles. */
  total: number;
}

interface CountedValue {
  value: Scalar;
  count: number;
}

/** Undefined where the field is missing. */
type Scalar = string | number | boolean | undefined;
type ArticleFields = Readonly<Record<string, unknown>>;

const statusNames = ['status', '_status', 'state', 'draft', 'published', 'visibility'];
/** A field with more values, or longer ones, is not the state of an article. */
const maxValues = 8;
const maxValueLength = 40;

/** Returns the fields by which only some articles may be drafts. */
export function findStatusFields(articles: readonly ArticleFields[]): StatusField[] {
  return statusNames.flatMap((name) => {
    const values = articles.map((article) =>
      Object.hasOwn(article, name) ? (article[name] ?? undefined) : undefined,
    );
    if (!values.every(isScalar)) return [];
    // A flag may be missing where it is off.
    const states = new Set(values.map((value) => value || undefined));
    const isState = states.size > 1 && states.size <= maxValues;
    return isState ? { name, values: countValues(values), total: articles.length } : [];
  });
}

/** Returns whether a value may be the state of an article. A date is not. */
function isScalar(value: unknown): value is Scalar {
  const isOfKind = ['undefined', 'string', 'number', 'boolean'].includes(typeof value);
  return isOfKind && timeOf(value) === undefined && String(value).length <= maxValueLength;
}

function countValues(values: readonly Scalar[]): CountedValue[] {
  const counts = [...Map.groupBy(values, (value) => value)];
  return counts
    .map(([value, { length }]) => ({ value, count: length }))
    .toSorted((a, b) => b.count - a.count || (labelOf(a) < labelOf(b) ? -1 : 1));
}

/** Returns a value as code, because the text of an article is data; or `missing`. */
function labelOf({ value }: Pick<CountedValue, 'value'>): string {
  if (value === undefined) return 'missing';
  return typeof value === 'string' ? quote(value) : String(value);
}

/** Says which values a field has, in how many articles each. */
export function describeValues({ values, total }: StatusField): string {
  const parts = values.map((each) => `${labelOf(each)} in ${each.count}`);
  return `${parts.join(', ')} of ${total} articles`;
}
