import { withZone } from './dates.ts';

/** The most levels that objects and lists may be nested. */
export const maxDepth = 64;
/** The most values that a value may contain. A few references to references may be more than memory has. */
const maxValues = 1_000_000;

const unsafeKeys = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Returns a value as a file of JSON has it: a first build, whose values come from a program, and later builds, whose
 * values come from a file, see the same. Keys are sorted, so equal values have equal texts. Bigints become texts; halves
 * of surrogate pairs become U+FFFD; keys that could change a prototype are removed. A date and time without a zone is in
 * UTC, and gets a `Z`.
 *
 * @throws {TypeError} for a value that refers to itself, or exceeds a limit
 */
export function toJsonValue(root: unknown): unknown {
  let values = 0;
  const replacer = (_: string, value: unknown) => {
    values += 1;
    if (values > maxValues) throw new RangeError('too many values');
    return typeof value === 'bigint' ? value.toString() : value;
  };
  try {
    return sortedValue(JSON.parse(JSON.stringify(root, replacer)), 0);
  } catch (cause) {
    const reason = `expected JSON with at most ${maxDepth} levels and ${maxValues} values`;
    throw new TypeError(reason, { cause });
  }
}

function sortedValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return withZone(value).toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth) throw new RangeError('too many levels');
  if (Array.isArray(value)) return value.map((item) => sortedValue(item, depth + 1));
  const fields = Object.entries(value).filter(([key]) => !unsafeKeys.has(key));
  return sortedObject(
    fields.map(([key, inner]) => [key.toWellFormed(), sortedValue(inner, depth + 1)]),
  );
}

/** Creates an object whose keys are sorted. */
export function sortedObject<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns a value whose objects lack the fields that are null. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(fields.map(([name, inner]) => [name, withoutNulls(inner)]));
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
