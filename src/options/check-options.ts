import * as z from 'zod';
import { ArticlesOptionsError } from '../errors.ts';

/**
 * Checks options against their schema, and fills in its defaults.
 *
 * @param where the function that received the options, for the message: `articles()`
 * @throws {ArticlesOptionsError} listing every option that is unknown or invalid
 */
export function checkOptions<S extends z.ZodObject>(
  schema: S,
  given: unknown,
  where: string,
): z.output<S> {
  const parsed = schema.safeParse(given ?? {}, { reportInput: true });
  if (parsed.success) return parsed.data;
  const names = optionNames(schema);
  const lines = parsed.error.issues.flatMap((issue) => describeIssue(issue, { names, at: [] }));
  throw new ArticlesOptionsError(
    'invalid-options',
    `${where} received invalid options:\n${lines.map((line) => `  - ${line}`).join('\n')}`,
    { hint: 'The reference of options lists each with its range and default.' },
  );
}

/** Checks options against their schema, and leaves them unchanged. */
export function assertOptions<S extends z.ZodObject>(
  schema: S,
  given: unknown,
  where: string,
): asserts given is z.input<S> {
  checkOptions(schema, given, where);
}

/** @param context `at` is the path that the issue's own path starts from */
function describeIssue(
  issue: z.core.$ZodIssue,
  { names, at }: { names: readonly string[]; at: readonly PropertyKey[] },
): string[] {
  const path = [...at, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => describeUnknown([...path, key].join('.'), names));
  }
  if (issue.code === 'invalid_union') {
    // If the fields of an alternative are wrong, and not its type, it is the one that was meant.
    const meant = issue.errors.find((issues) => issues.every(({ path }) => path.length > 0));
    if (meant) return meant.flatMap((inner) => describeIssue(inner, { names, at: path }));
  }
  const name = path.length > 0 ? `\`${path.join('.')}\`` : 'The options';
  return [`${name}: expected ${expectedBy(issue)}${received(issue)}.`];
}

const typeNames: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a whole number',
  boolean: 'true or false',
  string: 'a string',
  array: 'a list',
};

function expectedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeNames[issue.expected] ?? 'an object';
    case 'invalid_value':
      return issue.values.map((value) => `'${String(value)}'`).join(' or ');
    case 'too_small':
      return issue.origin === 'string'
        ? `a string of length ${issue.minimum} or more`
        : `at least ${issue.minimum}`;
    case 'too_big':
      return `at most ${issue.maximum}`;
    case 'invalid_union':
      return issue.errors.flatMap(([first]) => (first ? expectedBy(first) : [])).join(' or ');
    default:
      return issue.code === 'custom' && typeof issue.params?.expected === 'string'
        ? issue.params.expected
        : 'a function';
  }
}

/** Describes a wrong value. Strings are left out, because one may be a secret in the wrong place. */
function received(issue: z.core.$ZodIssue): string {
  const { input } = issue;
  const isAnyText = 'origin' in issue && issue.origin === 'string';
  if (isAnyText || (issue.code === 'invalid_type' && issue.expected === 'string')) return '';
  if (Array.isArray(input)) return ', got a list';
  if (typeof input === 'function') return ', got a function';
  if (typeof input === 'object' && input !== null) return ', got an object';
  return `, got ${typeof input === 'string' ? JSON.stringify(input) : String(input)}`;
}

function describeUnknown(name: string, names: readonly string[]): string {
  const [closest] = names
    .map((option) => ({ option, distance: editDistance(option, name) }))
    .filter(({ option, distance }) => distance <= name.length / 3 || option.endsWith(`.${name}`))
    .sort((a, b) => a.distance - b.distance);
  const next = closest
    ? `Did you mean \`${closest.option}\`?`
    : `Known options: ${names.filter((option) => !option.includes('.')).join(', ')}.`;
  return `Unknown option \`${name}\`. ${next}`;
}

/** Returns the names of all options, those in groups as paths: `retry.limit`. */
function optionNames(schema: unknown): string[] {
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault) {
    return optionNames(schema.unwrap());
  }
  if (schema instanceof z.ZodOptional) return optionNames(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(optionNames);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, field]) => [
    name,
    ...optionNames(field).map((inner) => `${name}.${inner}`),
  ]);
}

/** Returns the Levenshtein distance of two names, ignoring case. */
function editDistance(a: string, b: string): number {
  const [from, to] = [a.toLowerCase(), b.toLowerCase()];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const [diagonal = 0, above = 0, left = 0] = [row[column], row[column + 1], next[column]];
      next.push(Math.min(diagonal + Number(letter !== other), above + 1, left + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
