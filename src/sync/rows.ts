import { type Article, isDraft, type ListedArticle } from '../client/article.ts';
import type { IndexedArticle } from '../mirror/formats.ts';
import { ownSlug } from '../render/slug.ts';
import { hash } from '../shared/hash.ts';
import { unsigned } from '../shared/image-url.ts';

// What a row of the listing says about an article, and what the index of the mirror has of both.

/** A row of the listing, without its content. */
export interface ListedRow extends Pick<ListedArticle, 'id' | 'extra' | 'title'> {
  /** The current version in the mirror, if the row proves which one that is. Otherwise, the article is fetched. */
  current?: IndexedArticle | undefined;
  /** The name of the record of the row's article. Absent when the row lacks a field, or differs between two walks. */
  record?: string | undefined;
}

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
  }: Pick<IndexedArticle, 'record' | 'shape' | 'rowIsWhole' | 'rowFields' | 'changed' | 'row'>,
): IndexedArticle {
  // In the order of the schema, so that an article that is read and written again has the same bytes.
  return {
    id: article.id,
    title: article.title,
    record,
    cover: article.cover_image,
    draft: isDraft(article),
    ...proof,
    ownSlug: ownSlug(article.extra),
    renderings: [],
  };
}

/** Returns whether a row has the value of `rows.changedBy` in the mirror, and its title and cover, if the row has these. */
export function isUnchanged(
  { changed, title, cover }: Pick<IndexedArticle, 'changed' | 'title' | 'cover'>,
  row: Pick<ListedArticle, 'extra' | 'title' | 'cover'>,
  field: string,
): boolean {
  if (changed === undefined || changed !== fieldText(row.extra, field)) return false;
  if (row.title !== undefined && row.title !== title) return false;
  return row.cover === undefined || unsigned(row.cover ?? '') === unsigned(cover ?? '');
}

/**
 * Returns the value of `rows.changedBy` that proves that an article is unchanged while its row has it; undefined when none
 * does. A time proves nothing if the article may change again within its unit: one in whole seconds, in the second in
 * which it was fetched.
 */
export function provingValue(
  extra: Record<string, unknown>,
  field: string,
  respondedAt: number,
): string | undefined {
  const time = timeOf(extra[field]);
  return time && time.end > respondedAt ? undefined : fieldText(extra, field);
}

/** Returns a text that is equal for equal values, and for equal times in two notations; undefined for none. */
function fieldText(extra: Record<string, unknown>, field: string): string | undefined {
  const value = Object.hasOwn(extra, field) ? extra[field] : undefined;
  if (value === undefined || value === null || value === '') return undefined;
  const time = isoTime.test(String(value)) ? timeOf(value) : undefined;
  return time ? new Date(time.date).toISOString() : JSON.stringify(value);
}

const second = 1_000;
/** The days of a service may end twelve hours later than those of UTC. */
const longestDay = 36 * 3_600 * second;
const isoTime =
  /^\d{4}-\d\d-\d\d(?<clock>[T ]\d\d:\d\d(?<seconds>:\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d(?::?\d\d)?))?)?$/;

/** Reads a time, in ms since 1970. `end`: that of the unit in which it is written, at least a second, the unit of `Date`. */
export function timeOf(value: unknown): { date: number; end: number } | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  // Seconds or milliseconds since 1970, from 2001 on.
  const number = Number(value);
  const isNumber = (number >= 1e9 && number < 5e9) || (number >= 1e12 && number < 5e12);
  const text = String(value);
  const match = isoTime.exec(text);
  const { clock, seconds } = match?.groups ?? {};
  // With a blank, V8 also reads the zone `+02`.
  const iso = match && text.replace(/T(?=\d)/, ' ').replace(',', '.');
  // Other notations, such as that of HTTP, may lack seconds. Go writes the zone twice.
  const written = Date.parse(iso ?? (text.includes(':') ? text.replace(/ UTC$/, '') : ''));
  const date = isNumber ? number * (number < 1e11 ? second : 1) : written;
  if (Number.isNaN(date)) return undefined;
  const unit = isNumber || seconds ? second : clock || !match ? 60 * second : longestDay;
  return { date, end: Math.floor(date / second) * second + unit };
}

/** Returns the hash of the fields of a row, which may have fields that its article lacks. */
export function hashOfRow({ extra }: Pick<ListedArticle, 'extra'>): string {
  return hash(JSON.stringify(extra));
}
