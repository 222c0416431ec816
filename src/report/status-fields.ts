import { quote } from '../messages.ts';
import { timeOfDate } from './field-schema.ts';

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
  /** The value as code, because the text of an article is data; or `missing`. All dates are one value. */
  label: string;
  value: Scalar;
  count: number;
}

/** Undefined where the field is missing. */
type Scalar = string | number | boolean | undefined;
type Article = Readonly<Record<string, unknown>>;

const names = ['status', '_status', 'state', 'draft', 'published', 'visibility'];
const anyDate = 'a date';
const flags = new Set<Scalar>([undefined, true, false, 0, 1]);
/** A field with more values, or longer ones, is not the state of an article. */
const maxValues = 8;
const maxLength = 40;

/** Returns the fields by which some articles may be drafts and others not. */
export function findStatusFields(articles: readonly Article[]): StatusField[] {
  return names.flatMap((name) => {
    const field = { name, values: countValues(articles, name), total: articles.length };
    return leavesSomeOut(field) ? field : [];
  });
}

/** Returns the values of a field with their numbers; none if it is not the state of an article. */
function countValues(articles: readonly Article[], name: string): CountedValue[] {
  const counts = new Map<string, CountedValue>();
  for (const article of articles) {
    const value = (Object.hasOwn(article, name) ? article[name] : undefined) ?? undefined;
    if (!isScalar(value)) return [];
    const label = labelOf(value);
    const { count } = counts.get(label) ?? { count: 0 };
    counts.set(label, { label, value, count: count + 1 });
    if (counts.size > maxValues) return [];
  }
  const values = [...counts.values()];
  const isText = values.some(({ label, value }) => typeof value === 'string' && label !== anyDate);
  if (isText && counts.has(anyDate)) return [];
  return values.toSorted((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1));
}

function isScalar(value: unknown): value is Scalar {
  if (typeof value === 'string') return value.length <= maxLength;
  return ['undefined', 'number', 'boolean'].includes(typeof value);
}

function labelOf(value: Scalar): string {
  if (value === undefined) return 'missing';
  if (timeOfDate(value) !== undefined) return anyDate;
  return typeof value === 'string' ? quote(value) : String(value);
}

/** Returns whether the option would keep some articles, and leave out others. */
function leavesSomeOut(field: StatusField): boolean {
  if (!isFlag(field)) return field.values.length > 1;
  return new Set(field.values.map(({ value }) => Boolean(value))).size > 1;
}

/** Returns whether the field says yes or no, or since when. */
function isFlag({ values }: StatusField): boolean {
  return values.every(({ label, value }) => label === anyDate || flags.has(value));
}

/** Returns the option that leaves out the articles that are likely to be drafts, as code. */
export function transformFor(field: StatusField): string {
  const { name } = field;
  if (!isFlag(field)) {
    const { value, label } = likelyPublished(field);
    const shown = value === undefined ? 'undefined' : label;
    return `transform: (article) => (article.${name} === ${shown} ? article : undefined)`;
  }
  const [ifTrue, ifFalse] = name === 'draft' ? ['undefined', 'article'] : ['article', 'undefined'];
  return `transform: (article) => (article.${name} ? ${ifTrue} : ${ifFalse})`;
}

const published = /^(?:publi|live$|active$|online$)/i;
const draft = /draft|private|hidden|pending|review|archiv|trash|delete|schedul|unpubli|inactive/i;

/** Returns the value that looks published, else the most frequent one that does not look like a draft. */
function likelyPublished({ values }: StatusField): CountedValue {
  const [first] = values.toSorted((a, b) => rankOf(a) - rankOf(b));
  return first ?? { label: 'missing', value: undefined, count: 0 };
}

function rankOf({ value }: CountedValue): number {
  if (value === undefined) return 2;
  if (typeof value !== 'string') return 1;
  if (published.test(value)) return 0;
  return draft.test(value) ? 3 : 1;
}

/** Says which values a field has, in how many articles each. */
export function describeValues({ values, total }: StatusField): string {
  const parts = values.map(({ label, count }) => `${label} in ${count}`);
  return `${parts.join(', ')} of ${total} articles`;
}
