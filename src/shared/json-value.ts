import { withZone } from './dates.ts';

/** The most levels that objects and lists may be nested. */
export const maxDepth = 64;
/** The most characters that the JSON of a value may have. */
export const maxCharacters = 16 * 2 ** 20;

const unsafeKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** A value that cannot be stored as JSON. */
export class JsonValueError extends TypeError {
  override name = 'JsonValueError';
  /** The keys that lead to the value, joined by dots. */
  readonly path: string;

  constructor(path: string, reason: string) {
    super(reason);
    this.path = path;
  }
}

/**
 * Returns a value as a file of JSON has it: a first build, whose values come from a program, and later builds, whose
 * values come from a file, see the same. Keys are sorted, so equal values have equal texts. `toJSON()` is called as in
 * `JSON.stringify()`, so dates become ISO texts, and bigints texts; halves of surrogate pairs become U+FFFD; undefined
 * fields and keys that could change a prototype are removed. A date and time without a zone is in UTC, and gets a `Z`.
 *
 * The characters of its JSON are counted while it is read, so that a few references to references end early.
 *
 * @throws {JsonValueError} for a function, a symbol, an instance of a class without `toJSON()`, a number that is
 *   not finite, an invalid date, and a value that exceeds a limit
 */
export function toJsonValue(root: unknown): unknown {
  return createConverter().convert(root, []);
}

/**
 * Returns the fields of an object as {@link toJsonValue} does, without some. Rows with many fields are copied once only.
 *
 * @throws {JsonValueError} as above
 */
export function toJsonFields(
  object: object,
  omitted: ReadonlySet<string>,
): Record<string, unknown> {
  const fields = Object.entries(object).filter(([name]) => !omitted.has(name));
  return createConverter().convertFields(fields, []);
}

function createConverter() {
  let characters = 0;

  /** Counts characters of JSON: a text with its quotes, the brackets of a list or object, and a comma for each value. */
  function count(length: number, path: readonly string[]): void {
    characters += length + 3;
    if (characters > maxCharacters)
      fail(path.slice(0, 1), `expected at most ${maxCharacters} characters of JSON`);
  }

  function convertText(text: string, path: readonly string[]): string {
    count(text.length, path);
    return text.toWellFormed();
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one case for each type of a value
  function convert(original: unknown, path: readonly string[]): unknown {
    if (path.length > maxDepth)
      fail(path.slice(0, 1), `expected at most ${maxDepth} levels of objects and lists`);
    count(0, path);
    const value = hasToJson(original) ? original.toJSON(path.at(-1) ?? '') : original;
    switch (typeof value) {
      case 'string':
        return convertText(withZone(value), path);
      case 'number':
        if (!Number.isFinite(value)) fail(path, `expected a number of JSON, got ${value}`);
        // `-0` is written as 0.
        return value + 0;
      case 'bigint':
        return convertText(value.toString(), path);
      case 'boolean':
        return value;
      case 'function':
      case 'symbol':
        return fail(path, `expected a value of JSON, got a ${typeof value}`);
    }
    if (value === null && original instanceof Date) fail(path, 'expected a valid date');
    if (value === undefined || value === null) return null;
    if (Array.isArray(value)) {
      return Array.from(value, (item, index) => convert(item, [...path, String(index)]));
    }
    if (!isPlainObject(value)) {
      const { name } = value.constructor;
      fail(path, `expected an object, a list or text, got an instance of ${name || 'a class'}`);
    }
    return convertFields(Object.entries(value), path);
  }

  function convertFields(
    fields: readonly [string, unknown][],
    path: readonly string[],
  ): Record<string, unknown> {
    const kept = fields.filter(([key, inner]) => inner !== undefined && !unsafeKeys.has(key));
    return sortedObject(
      kept.map(([key, inner]) => [convertText(key, path), convert(inner, [...path, key])]),
    );
  }

  return { convert, convertFields };
}

/** Creates an object whose keys are sorted. */
export function sortedObject<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function fail(path: readonly string[], reason: string): never {
  throw new JsonValueError(path.join('.'), reason);
}

function hasToJson(value: unknown): value is { toJSON(key: string): unknown } {
  return typeof value === 'object' && typeof Reflect.get(value ?? {}, 'toJSON') === 'function';
}

/** Returns whether a value is an object, and not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns whether a value is an object without a class. Objects of other realms have another `Object.prototype`. */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Parses JSON; undefined for a text that is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
