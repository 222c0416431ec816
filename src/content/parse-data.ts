import type { LoaderContext } from 'astro/loaders';
import { describeType } from '../client/article.ts';
import { joinSome, linesOf, messageOf } from '../messages.ts';
import { dateOfSeconds } from '../report/fields.ts';
import { isSeconds } from '../shared/dates.ts';
import { isRecord } from '../shared/json-value.ts';

type Data = Record<string, unknown>;
type Parse = (data: Data) => ReturnType<LoaderContext['parseData']>;

/**
 * Parses the data of an entry with the schema of the collection. It lacks the fields of the service that are null, at any
 * depth. Those that the schema then refuses are null in a second try, so `.optional()`, `.nullable()` and `.nullish()`
 * accept them. Empty texts that the schema refuses are treated like null, and a cover that is null is then left out.
 *
 * @param extra the fields of the service
 */
export async function parseWithNulls(parse: Parse, data: Data, extra: Data): Promise<Data> {
  try {
    return await parse(data);
  } catch (error) {
    const refused = readIssues(error).map(({ path }) => path);
    const empty = refused.filter(
      (path) => valueAt(data, path) === (path === 'cover_image' ? null : ''),
    );
    const missing = refused.filter(
      (path) => valueAt(data, path) === undefined && isNone(valueAt(extra, path)),
    );
    if (empty.length + missing.length === 0) throw error;
    const changed = withAt(withAt(data, empty, undefined), missing, null);
    const parsed = await parseWithNulls(parse, changed, extra).catch(() => undefined);
    if (!parsed || missing.some((path) => isMadeOfNull(valueAt(parsed, path)))) throw error;
    // Astro would look for the file of a default in the folder of the entry.
    if (empty.includes('cover_image') && (parsed.cover_image ?? null) !== null) throw error;
    return parsed;
  }
}

function isNone(value: unknown): boolean {
  return value === null || value === '';
}

/** Returns data with null at some paths, or without these fields. */
function withAt(data: Data, paths: readonly string[], value: null | undefined): Data {
  const changed = structuredClone(data);
  for (const path of paths) {
    const names = path.split('.');
    const name = names.pop() ?? '';
    const parent = names.length > 0 ? valueAt(changed, names.join('.')) : changed;
    Reflect.set(Object(parent), name, value);
    if (value === undefined) Reflect.deleteProperty(Object(parent), name);
  }
  return changed;
}

/** Returns whether a value is one that `z.coerce` makes of null, and that means something else. */
function isMadeOfNull(value: unknown): boolean {
  return value === 0 || value === 'null' || (value instanceof Date && value.getTime() === 0);
}

/**
 * Returns the error of the schema in words that are the same for all articles, with the fields of the service.
 *
 * @param entry how Astro names the entry
 * @param data the values that the schema received
 * @param extra the fields of the service
 */
export function reasonOfSchema(error: unknown, entry: string, data: Data, extra: Data): string {
  const reasons = readIssues(error).map(({ path, text }) => {
    const value = [data, extra]
      .map((each) => valueAt(each, path))
      .find((each) => each !== undefined);
    return path ? `${path}: ${withAdvice(path, text, value)}` : text;
  });
  const names = Object.keys(extra).map((name) => `\`${name}\``);
  const sent = names.length > 0 ? joinSome(names, 12) : 'no further field';
  const reason = reasons.join('; ').replaceAll(entry, 'its').replace('.; ', '. ');
  return `${reason}; the service sends ${sent}`;
}

/**
 * Reads what a schema has refused out of the Markdown of Astro's message, which names the entry, and each field twice.
 * Nothing else has it: see `bench/upstream/schema-issues.ts`.
 *
 * @returns the text of each line, and the names that lead to the refused value, with full stops between them, or none
 */
function readIssues(error: unknown) {
  return linesOf(messageOf(error)).map((line) => {
    const [, path = '', text = line] = /^\*\*(.*?)\*\*: (?:\*\*\1\*\*: )?(.*)$/.exec(line) ?? [];
    return { path, text: text.replaceAll('**', '') };
  });
}

/** The fields of the service that are no fields of `data`, and what has them instead. */
const placesOfFields = new Map([
  ['id', 'entry.id'],
  ['content', 'entry.body'],
]);

/** Returns a reason with what to write in the schema, where one line fixes it. */
function withAdvice(field: string, reason: string, value: unknown): string {
  const place = placesOfFields.get(field);
  if (place) {
    return `\`data\` has no such field, because it is \`${place}\`: remove it from the schema`;
  }
  const expectsDate = reason.startsWith('Expected type `"date"`');
  // Astro names the type of what `z.coerce` makes of a missing value.
  const isCoerced = value === undefined && reason.startsWith('Expected type');
  if (isCoerced) return 'Required, but the field is missing';
  const text = withKind(reason, value);
  if (field === 'cover_image' && value === null) return `${text}: write \`image().nullable()\``;
  const isDate = typeof value === 'string' && !Number.isNaN(Date.parse(value));
  const code = isSeconds(value) ? dateOfSeconds : isDate && 'z.coerce.date()';
  return expectsDate && code ? `${text}: write \`${code}\`` : text;
}

/** Names the kind of value that the service sends: Astro's message says `object` for null and for an invalid date. */
function withKind(reason: string, value: unknown): string {
  const expected = reason.replace(/, received `"\w+"`$/, '');
  if (value === undefined || (expected === reason && !isNone(value))) return reason;
  return `${expected}, received ${value === '' ? 'an empty text' : describeType(value)}`;
}

function valueAt(data: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    const isInside = (isRecord(value) || Array.isArray(value)) && Object.hasOwn(value, name);
    return isInside ? Reflect.get(value, name) : undefined;
  }, data);
}
