import { quote } from '../messages.ts';
import { isoTimeOf } from '../shared/dates.ts';

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
const flagValues = new Set<Scalar>([undefined, true, false, 0, 1]);
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
    const field = { name, values: countValues(values), total: articles.length };
    return leavesSomeOut(field) ? field : [];
  });
}

/** Returns whether a value may be the state of an article. A date is not. */
function isScalar(value: unknown): value is Scalar {
  if (typeof value === 'string')
    return value.length <= maxValueLength && isoTimeOf(value) === undefined;
  return ['undefined', 'number', 'boolean'].includes(typeof value);
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

/** Returns whether the option would keep some articles, and leave out some. */
function leavesSomeOut(field: StatusField): boolean {
  const values = field.values.map(({ value }) => (isFlag(field) ? Boolean(value) : value));
  return new Set(values).size > 1 && values.length <= maxValues;
}

/** Returns whether the field says yes or no. */
function isFlag({ values }: StatusField): boolean {
  return values.every(({ value }) => flagValues.has(value));
}

/** Returns the option that leaves out the articles that are likely to be drafts, as code. */
export function transformFor(field: StatusField): string {
  const { name } = field;
  if (isFlag(field)) {
    const result = name === 'draft' ? 'undefined : article' : 'article : undefined';
    return `transform: (article) => (article.${name} ? ${result})`;
  }
  const [{ value } = { value: undefined }] = field.values.toSorted(
    (a, b) => publishedRank(a) - publishedRank(b),
  );
  const code = value === undefined ? 'undefined' : labelOf({ value });
  return `transform: (article) => (article.${name} === ${code} ? article : undefined)`;
}

const likePublished = /^(?:publi|live$|active$|online$)/i;
const likeDraft =
  /draft|private|hidden|pending|review|archiv|trash|delete|schedul|unpubli|inactive/i;

/** Returns the place of a value: what looks published first, and what looks like a draft last. */
function publishedRank({ value }: CountedValue): number {
  const text = String(value);
  if (likePublished.test(text)) return 0;
  return likeDraft.test(text) ? 2 : 1;
}

/** Says which values a field has, in how many articles each. */
export function describeValues({ values, total }: StatusField): string {
  const parts = values.map((each) => `${labelOf(each)} in ${each.count}`);
  return `${parts.join(', ')} of ${total} articles`;
}
