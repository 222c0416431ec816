import { type Article, hasContent, type ListedArticle } from '../client/article.ts';
import type { IndexedArticle } from '../mirror/formats.ts';
import { hash } from '../shared/hash.ts';
import { unsigned } from '../shared/image-url.ts';

// What a row of the listing says about an article, and what the index of the mirror has of both.

/** A row of the listing, without its content. */
export interface ListedRow extends Pick<ListedArticle, 'id' | 'extra' | 'title' | 'cover'> {
  /** The current version in the mirror, if the row proves which one that is. Otherwise, the article is fetched. */
  current?: IndexedArticle | undefined;
  /** The name of the record of the row's article. Absent when the row lacks a field, or differs between two walks. */
  record?: string | undefined;
  /** Whether the listing lacks the article. */
  isUnlisted?: true;
}

/** The row with which an article was fetched, as the index has it. */
type FetchedRow = NonNullable<IndexedArticle['row']>;

type ComparedRow = Pick<ListedArticle, 'extra' | 'title' | 'cover'>;

/**
 * Returns the index entry of an article whose text is in the mirror. It is not known yet whether the site shows it.
 *
 * @param version its record, the fields of its row, and what proves in later loads that it is unchanged
 */
export function indexArticle(
  article: Article,
  {
    record,
    ...proof
  }: Pick<IndexedArticle, 'record' | 'sourceHash' | 'rowIsWhole' | 'rowFields' | 'row'>,
): IndexedArticle {
  // In the order of the schema, so that an article that is read and written again has the same bytes.
  return {
    id: article.id,
    title: article.title,
    record,
    cover: article.cover_image,
    hasContent: hasContent(article),
    ...proof,
    givenSlug: typeof article.extra.slug === 'string' ? article.extra.slug : undefined,
    renderings: [],
  };
}

/**
 * Returns what the index has of the row with which an article is fetched; undefined when neither has the field of
 * `rows.changedBy`.
 *
 * @param article `extra`: its fields, with those that only the row has
 * @param fetchedAt the time of the response, in ms since 1970
 * @param former what the index had of the version before
 */
export function fetchedRow(
  { extra }: Pick<Article, 'extra'>,
  row: ComparedRow,
  {
    field,
    fetchedAt,
    former,
  }: { field: string; fetchedAt: number; former?: FetchedRow | undefined },
): FetchedRow | undefined {
  const changed = fieldText(extra, field);
  if (changed === undefined) return undefined;
  const seenAt = former?.changed === changed ? former.seenAt : fetchedAt;
  return { ...titleAndCover(row), fields: hashOfRow(row), changed, fetchedAt, seenAt };
}

/**
 * Returns whether a row proves that its article is unchanged: it has the value of `rows.changedBy`, and the title and the
 * cover of the row with which the article was fetched. Those of the article itself may differ in each row, such as a
 * thumbnail.
 */
export function isUnchanged(
  { row: former }: Pick<IndexedArticle, 'row'>,
  row: ComparedRow,
  field: string,
): boolean {
  if (!former || former.changed !== fieldText(row.extra, field)) return false;
  const { title, cover } = titleAndCover(row);
  return title === former.title && cover === former.cover && canProve(former);
}

function titleAndCover({ title, cover }: ComparedRow): Pick<FetchedRow, 'title' | 'cover'> {
  return { title, cover: typeof cover === 'string' ? unsigned(cover) : cover };
}

/**
 * Returns whether the value of `rows.changedBy` is another one after each further change. A time is not, while its unit
 * lasts: one in whole seconds, in the second in which the article was fetched.
 */
function canProve({ changed, fetchedAt, seenAt }: FetchedRow): boolean {
  const value: unknown = JSON.parse(changed);
  if (!canBeTime(value)) return true;
  const time = timeOf(value);
  // In another notation, it may be a date without a time, of the day on which a load first saw it.
  if (!time) return seenAt + longestDay <= fetchedAt;
  return Math.floor(time.date / second) * second + time.unit <= fetchedAt;
}

const months = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
const likeTime = new RegExp(
  String.raw`\d{8}|:|\d{1,4}[-./]\d{1,2}[-./]\d{1,4}|\b(?:${months})[a-z]*\b`,
  'i',
);

/** Returns whether a value may be a time in some notation, and not a number or name of a version. */
function canBeTime(value: unknown): boolean {
  return likeTime.test(String(value));
}

const second = 1_000;
const minute = 60 * second;
/** The days of a service may end twelve hours later than those of UTC. */
const longestDay = 36 * 60 * minute;
const isoTime =
  /^(?<day>\d{4}-\d\d-\d\d)(?:[T ](?<clock>\d\d:\d\d)(?<seconds>:\d\d(?:\.\d+)?)?(?<zone>Z|[+-]\d\d:?\d\d))?$/;

/**
 * Reads a time in ISO 8601, or in seconds or milliseconds since 1970: `date` in ms since 1970, and the `unit` in which it is
 * written, in ms. That is at least a second, the unit of the header `Date`. Undefined for any other notation.
 */
export function timeOf(value: unknown): { date: number; unit: number } | undefined {
  // Since 2001.
  const number = Number(value);
  if (number >= 1e9 && number < 5e9) return { date: number * second, unit: second };
  if (number >= 1e12 && number < 5e12) return { date: number, unit: second };
  return isoTimeOf(String(value));
}

function isoTimeOf(text: string): { date: number; unit: number } | undefined {
  const { day, clock, seconds = '', zone = '' } = isoTime.exec(text)?.groups ?? {};
  if (day === undefined) return undefined;
  const time = `T${clock}${seconds}${zone.replace(/(\d\d)(\d\d)$/, '$1:$2')}`;
  const date = Date.parse(clock === undefined ? day : day + time);
  if (Number.isNaN(date)) return undefined;
  if (clock === undefined) return { date, unit: longestDay };
  return { date, unit: seconds ? second : minute };
}

/** Returns a text of JSON that is equal for equal values, and for equal times in two notations; undefined for none. */
function fieldText(extra: Record<string, unknown>, field: string): string | undefined {
  const value = Object.hasOwn(extra, field) ? extra[field] : undefined;
  if (value === undefined || value === null || value === '') return undefined;
  const time = isoTimeOf(String(value));
  // Of a minute or a day, the text has to show the unit.
  const isExact = time?.unit === second;
  return JSON.stringify(isExact ? new Date(time.date).toISOString() : value);
}

/** Returns the hash of the fields of a row, which may have fields that its article lacks. */
export function hashOfRow({ extra }: Pick<ListedArticle, 'extra'>): string {
  return hash(JSON.stringify(extra));
}
