import type { LoaderContext } from 'astro/loaders';
import { describeType } from '../client/article.ts';
import { joinSome, linesOf, messageOf } from '../messages.ts';
import { dateOfSeconds } from '../report/fields.ts';
import { isSeconds } from '../shared/dates.ts';
import { isRecord, withoutNulls } from '../shared/json-value.ts';

type Data = Record<string, unknown>;
type Parse = (data: Data) => ReturnType<LoaderContext['parseData']>;

/**
 * Parses the data of an entry with the schema of the collection. Fields that are null, at any depth, are left out, except
 * the cover. What the schema then refuses is null in a second try, and a cover that is null is left out. So `.optional()`,
 * `.nullable()` and `.nullish()` accept what is null. Empty texts that the schema refuses are then treated like null.
 */
export async function parseWithNulls(parse: Parse, data: Data): Promise<Data> {
  const cover = 'cover_image' in data ? { cover_image: data.cover_image } : {};
  const given = { ...Object(withoutNulls(data)), ...cover };
  try {
    return await parse(given);
  } catch (error) {
    const refused = readIssues(error).map(({ path }) => path);
    const empty = refused.filter((path) => valueAt(data, path) === '');
    const again =
      empty.length > 0
        ? parseWithNulls(parse, withNullAt(data, empty))
        : parseAgain(
            parse,
            given,
            refused.filter((path) => valueAt(data, path) === null),
          );
    const parsed = await again.catch(() => undefined);
    if (!parsed) throw error;
    return parsed;
  }
}

/** Parses data with null at some paths; undefined when the schema makes something else of it. */
async function parseAgain(
  parse: Parse,
  given: Data,
  paths: readonly string[],
): Promise<Data | undefined> {
  if (paths.length === 0) return undefined;
  const again = withNullAt(given, paths);
  const isCoverRefused = paths.includes('cover_image');
  if (isCoverRefused) delete again.cover_image;
  const parsed = await parse(again);
  if (paths.some((path) => isMadeOfNull(valueAt(parsed, path)))) return undefined;
  // Astro would look for the file of a default in the folder of the entry.
  return isCoverRefused && (parsed.cover_image ?? null) !== null ? undefined : parsed;
}

function withNullAt(data: Data, paths: readonly string[]): Data {
  const changed = structuredClone(data);
  for (const path of paths) {
    const names = path.split('.');
    const parent = valueAt(changed, names.slice(0, -1).join('.')) ?? changed;
    Reflect.set(Object(parent), names.at(-1) ?? '', null);
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
 * @param given the values that the schema received
 * @param extra the fields of the service
 */
export function reasonOfSchema(error: unknown, entry: string, given: Data, extra: Data): string {
  const reasons = readIssues(error).map(({ path, text }) =>
    path ? `${path}: ${withAdvice(path, text, valueAt(given, path))}` : text,
  );
  const names = Object.keys(extra).map((name) => `\`${name}\``);
  const sent = names.length > 0 ? joinSome(names, 12) : 'no further field';
  const reason = reasons.join('; ').replaceAll(entry, 'its').replace('.; ', '. ');
  return `${reason}; the service sends ${sent}`;
}

/** A line of the error of a schema. */
interface Issue {
  /** The names that lead to the value that is refused, with full stops between them. Empty in other lines. */
  path: string;
  text: string;
}

/**
 * Reads what a schema has refused out of the Markdown of Astro's message, which names the entry, and each field twice.
 * Nothing else has it: see `bench/upstream/schema-issues.ts`.
 */
function readIssues(error: unknown): Issue[] {
  return linesOf(messageOf(error)).map((line) => {
    const [, path = '', text = line] = /^\*\*(.*?)\*\*: (?:\*\*\1\*\*: )?(.*)$/.exec(line) ?? [];
    return { path, text: text.replaceAll('**', '') };
  });
}

/** The fields of the service that are no fields of `data`, and what has them instead. */
const ofEntry = new Map([
  ['id', 'entry.id'],
  ['content', 'entry.body'],
]);

/** Returns a reason with what to write in the schema, where one line fixes it. */
function withAdvice(field: string, reason: string, value: unknown): string {
  const place = ofEntry.get(field);
  if (place) {
    return `\`data\` has no such field, because it is \`${place}\`: remove it from the schema`;
  }
  const expectsDate = reason.startsWith('Expected type `"date"`');
  // The value that `z.coerce` makes of a missing one.
  const isCoerced = /`"date"`, received `"object"`$|`"number"`, received `"number"`$/.test(reason);
  if (value === undefined && isCoerced) return 'Required, but the field is missing';
  const text = withKind(reason, value);
  if (field === 'cover_image' && value === null) return `${text}: write \`image().nullable()\``;
  const isDate = typeof value === 'string' && !Number.isNaN(Date.parse(value));
  const code = isSeconds(value) ? dateOfSeconds : isDate && 'z.coerce.date()';
  return expectsDate && code ? `${text}: write \`${code}\`` : text;
}

/** Names the kind of value that the service sends: Astro's message says `object` for null and for an invalid date. */
function withKind(reason: string, value: unknown): string {
  const expected = reason.replace(/, received `"\w+"`$/, '');
  const isNone = value === null || value === '';
  if (value === undefined || (expected === reason && !isNone)) return reason;
  return `${expected}, received ${value === '' ? 'an empty text' : describeType(value)}`;
}

function valueAt(data: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    const isInside = (isRecord(value) || Array.isArray(value)) && Object.hasOwn(value, name);
    return isInside ? Reflect.get(value, name) : undefined;
  }, data);
}
