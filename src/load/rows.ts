import { type Article, hasContent, type ListedArticle } from '../client/article.ts';
import type { IndexedArticle } from '../mirror/formats.ts';
import { isUnclearTime, second, timeOf } from '../shared/dates.ts';
import { hash } from '../shared/hash.ts';
import { unsigned } from '../shared/image-url.ts';

// Decides by a row of the listing, and by the row and article that the index of the mirror has, whether an article is
// unchanged.

/** A row of the listing, without its content. */
export interface ListedRow extends Pick<ListedArticle, 'id' | 'extra' | 'title' | 'cover'> {
  /** The current version in the mirror, if the row proves that it is current. Otherwise, the article is fetched. */
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
 * @param article `extra`: its fields, with the fields that only the row has
 * @param fetchedAt the time of the response, in ms since 1970
 */
export function fetchedRow(
  { extra }: Pick<Article, 'extra'>,
  row: ComparedRow,
  { field, fetchedAt }: { field: string; fetchedAt: number },
): FetchedRow | undefined {
  const changed = fieldText(extra, field);
  if (changed === undefined) return undefined;
  return { ...titleAndCover(row), fields: hashOfRow(row), changed, fetchedAt };
}

/**
 * Returns whether a row proves that its article is unchanged: it has the value of `rows.changedBy`, and the title and the
 * cover of the row with which the article was fetched. Those of the article itself may always differ, such as from a
 * thumbnail in the row.
 */
export function provesUnchanged(
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
 * Returns whether each further change gives another value of `rows.changedBy`. A time proves nothing while a further
 * change could give the same, such as a time in seconds within the second of the fetch. The unit of an unclear time is
 * unknown.
 */
function canProve({ changed, fetchedAt }: FetchedRow): boolean {
  const value: unknown = JSON.parse(changed);
  const time = timeOf(value);
  if (!time) return !isUnclearTime(value);
  return Math.floor(time.date / second) * second + time.unit <= fetchedAt;
}

/** Returns a text of JSON that is equal for equal values, and for equal times in two notations; undefined for none. */
function fieldText(extra: Record<string, unknown>, field: string): string | undefined {
  const value = extra[field];
  if (value === undefined || value === null || value === '') return undefined;
  const time = timeOf(value);
  // The text of a time in minutes or days shows its unit.
  const isExact = time?.unit === second;
  return JSON.stringify(isExact ? new Date(time.date).toISOString() : value);
}

/** Returns the hash of the fields of a row, which may have fields that its article lacks. */
export function hashOfRow({ extra }: Pick<ListedArticle, 'extra'>): string {
  return hash(JSON.stringify(extra));
}
