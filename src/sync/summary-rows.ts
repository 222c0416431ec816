import type { Article } from '../client/article.ts';
import type { Validators } from '../http/validators.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import { hash } from '../shared/hash.ts';
import type { ListedRow } from './list.ts';

// A service whose rows lack the text lists summaries. Such a row shows a change of its article only by a field, which
// the site names (`updatedField`). Otherwise, validators show it, with one conditional request for each article.

/** Returns what a later load compares with the row of an article that was fetched. */
export function summaryOf(
  { extra, validators }: Article,
  row: ListedRow,
  updatedField: string | undefined,
): IndexedArticle['summary'] {
  return {
    // Of the article itself: a replica that lags behind may respond with an older article than its row.
    ...(updatedField && { updated: fieldText(extra, updatedField) }),
    ...validators,
    row: hashOfRow(row),
  };
}

/** Whether a row has the same `updatedField` as the article in the mirror. */
export function isUpToDate(
  { summary }: IndexedArticle,
  extra: Record<string, unknown>,
  updatedField: string | undefined,
): boolean {
  if (!updatedField || !summary?.updated) return false;
  return fieldText(extra, updatedField) === summary.updated;
}

/** Returns the validators for a conditional request. A 304 response says nothing about the fields of the row. */
export function validatorsFor(
  { summary }: IndexedArticle,
  row: ListedRow,
  updatedField: string | undefined,
): Validators | undefined {
  if (!summary || summary.row !== hashOfRow(row)) return undefined;
  // The field has to be read once.
  if (updatedField && summary.updated === undefined) return undefined;
  const { etag, lastModified } = summary;
  return etag || lastModified ? { etag, lastModified } : undefined;
}

/** Returns the text of a field; an empty text for none. */
function fieldText(extra: Record<string, unknown>, field: string): string {
  const value = Object.hasOwn(extra, field) ? extra[field] : undefined;
  return value === undefined || value === null || value === '' ? '' : JSON.stringify(value);
}

function hashOfRow({ extra = {} }: ListedRow): string {
  return hash(JSON.stringify(extra));
}
