import { ArticlesInvalidError, articleNotice, type Notice } from '../errors.ts';
import { createRedact } from '../http/api-key.ts';
import { FailureError } from '../http/failure.ts';
import { joinSome, messageOf, quote } from '../messages.ts';
import type { SeenFinding } from '../shared/finding.ts';
import { isRecord, sortedObject, toJsonValue } from '../shared/json-value.ts';
import { idProblem } from './urls.ts';

/** An article as the service sends it (docs/reference/service.md), with checked types. */
export interface Article {
  id: string;
  /** Empty if the service sends no title: the article is then a draft. */
  title: string;
  /** Markdown. Empty if the service sends no content: the article is then a draft. */
  content: string;
  /** An absolute or relative URL, verbatim, or null for none. */
  cover_image: string | null;
  /** Fields that the contract does not name, as values of JSON with sorted keys. */
  extra: Record<string, unknown>;
  /** Fields that are ignored because of their type. The article is usable without them. */
  notes?: SeenFinding<'cover-unreadable'>[];
  /**
   * When the service made the response, in ms since 1970: its `Date`, or else the time of this machine, less its `Age`. Rows
   * have none.
   */
  respondedAt?: number;
}

/** A row of the listing. `article` is set only when the row has the fields of an article. */
export interface ListedArticle {
  id: string;
  /** Fields of the row that the contract does not name. */
  extra: Record<string, unknown>;
  /** The title of the row; undefined if it has none. */
  title?: string | undefined;
  /** The cover of the row; undefined if it has no such field, or one with a problem. */
  cover?: string | null | undefined;
  article?: Article;
}

/** How rows are decoded. */
export interface RowSettings {
  /** Refused as an id, and removed from problems. */
  apiKey: string;
  /** Whether a row is an article also if it lacks fields of it, but not all. @default false */
  isWhole?: boolean | undefined;
}

/** A row of the listing, or what prevents the use of a row without a usable id. */
export type Row = ListedArticle | { problem: Notice };

const maxShownFields = 12;
/** In characters. */
const maxShownLength = 200;
/** The reason to refuse an id or an article: the key may not be stored, shown or part of a message. */
export const keyInside = 'it contains the API key';

/**
 * Decodes the response of the single-article endpoint (docs/reference/service.md).
 *
 * @throws {FailureError} for a response that is not an article, or a different one
 * @throws {ArticlesInvalidError} when a field has a wrong type
 */
export function decodeArticle(response: unknown, requestedId: string): Article {
  const value = unwrapped(response, requestedId);
  if (!isRecord(value))
    throw unexpected(`responded with ${describeType(value)} instead of an article`);
  const { id } = decodeId(value.id);
  if (id === undefined)
    throw unexpected(`responded without a usable id (${describeFields(value)})`);
  if (id !== requestedId) {
    // Readers may request any id, and parsers of numbers also find the article 7 with "007" or "7abc".
    if (typeof value.id !== 'string' && !/^(?:0|-?[1-9]\d*)$/.test(requestedId)) {
      const reason = `has numbers as ids, and responded with the article ${id}`;
      throw new FailureError({ code: 'not-found', reason });
    }
    throw unexpected(`responded with another article: ${quote(id)}`);
  }
  const { article, problems } = decodeFields(value, id);
  if (problems.length > 0) throw new ArticlesInvalidError(problems);
  return article;
}

/**
 * Decodes a row of the listing (docs/reference/service.md), which has at least an id.
 *
 * @param position the position of the row in the listing, counted from 1
 */
export function decodeListed(
  value: unknown,
  position: number,
  { apiKey, isWhole }: RowSettings = { apiKey: '' },
): Row {
  const row = `(row ${position} of the listing)`;
  if (!isRecord(value)) {
    return { problem: articleNotice(row, `expected an object, got ${describeType(value)}`) };
  }
  const { id, reason = keyInside } = decodeId(value.id);
  if (id === undefined || id === apiKey) {
    return { problem: articleNotice(row, createRedact(apiKey)(reason), 'id') };
  }
  const present = ['title', 'content', 'cover_image'].filter((field) => field in value);
  const isComplete = present.length >= (isWhole ? 1 : 3);
  const { article, problems } = decodeFields(value, id);
  const title = typeof value.title === 'string' ? article.title : undefined;
  const cover = 'cover_image' in value && !article.notes ? article.cover_image : undefined;
  const listed = { id, extra: article.extra, title, cover } as const;
  // A row with a wrong field is not used as an article, so the article itself is fetched.
  return isComplete && problems.length === 0 ? { ...listed, article } : listed;
}

/** Returns the only object with the requested id, or else with any id, in an object without one; or the value itself. */
function unwrapped(value: unknown, requestedId: string): unknown {
  if (!isRecord(value) || 'id' in value) return value;
  const parts = Object.values(value)
    .filter(isRecord)
    .filter((part) => 'id' in part);
  const requested = parts.filter(({ id }) => String(id) === requestedId);
  const [only, another] = requested.length > 0 ? requested : parts;
  return only && !another ? only : value;
}

/**
 * Adds the fields that only the row of an article has. If both have a field, the article's value is used.
 *
 * @returns the article, and the names of the fields of the row
 */
export function withRowFields<A extends Pick<Article, 'extra'>>(
  article: A,
  row: Pick<ListedArticle, 'extra'>,
): A & { rowFields: string[] } {
  const rowFields = Object.keys(row.extra).filter((name) => !Object.hasOwn(article.extra, name));
  const extra = sortedObject(Object.entries({ ...row.extra, ...article.extra }));
  return { ...article, extra, rowFields };
}

/** Returns whether an article has content: a fact, from which `isDraft()` decides. */
export function hasContent({ content }: Pick<Article, 'content'>): boolean {
  return content.trim() !== '';
}

/** Returns whether an article is a draft: one without a title or content. */
export function isDraft({ title, hasContent }: { title: string; hasContent: boolean }): boolean {
  return title.trim() === '' || !hasContent;
}

function decodeId(value: unknown): { id?: string; reason?: string } {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return { id: String(value) };
  if (typeof value !== 'string') {
    return { reason: `expected text or a whole number, got ${describeType(value)}` };
  }
  const problem = idProblem(value);
  // A text that is cut off could end with a part of the key, which would not be recognised.
  const shown = value.length > maxShownLength ? 'a long text' : quote(value);
  return problem ? { reason: `${shown}: ${problem}` } : { id: value };
}

/**
 * Decodes the fields of an article that the service, or the site's `transform`, returned.
 *
 * @returns the article, whose fields with a problem are empty
 */
export function decodeFields(value: Record<string, unknown>, id: string) {
  const { id: _, title, content, cover_image: cover, ...further } = value;
  const problems: Notice[] = [];
  const text = (field: string, part: unknown): string => {
    // A file cannot have halves of surrogate pairs, so a later build would see another text.
    if (typeof part === 'string') return part.toWellFormed();
    if (!isNone(part))
      problems.push(articleNotice(id, `expected text, got ${describeType(part)}`, field));
    return '';
  };
  const { url, got } = decodeCover(cover);
  const article: Article = {
    id,
    title: text('title', title),
    content: text('content', content),
    cover_image: url,
    extra: {},
    ...(got ? { notes: [{ code: 'cover-unreadable', ids: [id], data: { got } }] } : {}),
  };
  try {
    article.extra = Object(toJsonValue(further));
  } catch (error) {
    problems.push(articleNotice(id, messageOf(error)));
  }
  return { article, problems };
}

/** The contract leaves the format of `cover_image` open: a URL, or an object with one. */
function decodeCover(value: unknown): { url: string | null; got?: string } {
  const isObject = isRecord(value) && ('url' in value || 'src' in value);
  const url = isObject ? value.url || value.src : value;
  if (typeof url === 'string' || isNone(url)) return { url: url?.trim() || null };
  const fields = isRecord(value) ? ` (${describeFields(value)})` : '';
  return { url: null, got: describeType(value) + fields };
}

function isNone(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** Describes the type of a JSON value, for messages. */
export function describeType(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Lists the fields of an object, for messages. */
export function describeFields(value: object): string {
  const names = Object.keys(value).map(shortName);
  return names.length === 0 ? 'without fields' : `fields: ${joinSome(names, maxShownFields)}`;
}

/** Shows a name in a message. A long name that is cut off could end with a part of the key, which would not be recognised. */
function shortName(name: string): string {
  return name.length > maxShownLength ? '(a long name)' : quote(name).slice(1, -1);
}

/** The way out for a service that cannot be fixed. */
export const translateHint =
  'Fix the service, or translate its API with a `fetch()` of your own: see node_modules/astro-articles/docs/start/translate.md.';

const articleShape =
  'The response has to be the article whose id is in the path, or an object with it in a field.';

/** Creates the failure for a response that is not what the service has to send. */
export function unexpected(reason: string, shape = articleShape): FailureError {
  return new FailureError({ code: 'unexpected-shape', reason, hint: `${shape} ${translateHint}` });
}
