import * as z from 'zod/mini';
import type { $ZodIssue, $ZodObject, $ZodType } from 'zod/v4/core';
import { ArticlesOptionsError, documentation } from '../errors.ts';
import { isRecord } from './json-value.ts';

/**
 * The schemas of options whose names, types and descriptions an interface has. Editors show no comment of a schema, because
 * the types that zod infers have none.
 */
export type FieldsOf<Options> = {
  [name in keyof Required<Options>]: $ZodType<unknown, Options[name]>;
};

/**
 * Checks options against their schema, and returns a copy with its defaults.
 *
 * @param where the function that received the options, for the message: `articles()`
 * @throws {ArticlesOptionsError} listing every option that is unknown or invalid
 */
export function checkOptions<S extends $ZodObject>(
  schema: S,
  options: unknown,
  where: string,
): z.output<S> {
  const parsed = z.safeParse(schema, options === undefined ? {} : options);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.flatMap(describeIssue);
  throw new ArticlesOptionsError(
    'invalid-options',
    `${where} received invalid options:\n${lines.map((line) => `  - ${line}`).join('\n')}`,
    { hint: `The pages in ${documentation}/reference list all options.` },
  );
}

/** Returns the schema of a whole number within a range, which includes both ends. */
export function wholeNumber({ min, max }: { min: number; max: number }) {
  const message = `expected a whole number from ${min} to ${max}`;
  return z.int(message).check(z.gte(min, message), z.lte(max, message));
}

const hourMs = 3_600_000;

/** Returns the schema of a time limit in milliseconds: a smaller number is usually meant in seconds. */
export function milliseconds({ min }: { min: number }) {
  const message = `expected milliseconds, from ${min} to ${hourMs} (30 seconds are 30_000)`;
  return z.int(message).check(z.gte(min, message), z.lte(hourMs, message));
}

/** Returns a schema that accepts any function, because parameters cannot be checked. */
export function callback<T>() {
  return z.custom<T>((value) => typeof value === 'function', 'expected a function');
}

function describeIssue(issue: $ZodIssue): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `Unknown option \`${[...issue.path, key].join('.')}\`.`);
  }
  const name = issue.path.length > 0 ? `\`${issue.path.join('.')}\`` : 'The options';
  // Without its value, which may be a secret in the wrong place.
  return [`${name}: ${issue.message}.`];
}

/** Merges two sets of options, groups included. Options that are undefined in `above` are ignored. */
export function merge<T extends object>(below: T, above: object): T {
  const layered = Object.entries(above).flatMap(([name, value]) => {
    const under: unknown = Reflect.get(below, name);
    if (value === undefined) return [];
    return [[name, isRecord(value) && isRecord(under) ? merge(under, value) : value]];
  });
  return { ...below, ...Object.fromEntries(layered) };
}
