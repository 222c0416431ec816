import * as z from 'zod';
import { ArticlesOptionsError } from '../errors.ts';

/**
 * Checks options against their schema, and returns a copy with its defaults.
 *
 * @param where the function that received the options, for the message: `articles()`
 * @throws {ArticlesOptionsError} listing every option that is unknown or invalid
 */
export function checkOptions<S extends z.ZodObject>(
  schema: S,
  given: unknown,
  where: string,
): z.output<S> {
  const parsed = schema.safeParse(given === undefined ? {} : given, { reportInput: true });
  if (parsed.success) return parsed.data;
  const names = optionNames(schema);
  const lines = parsed.error.issues.flatMap((issue) => describeIssue(issue, names));
  throw new ArticlesOptionsError(
    'invalid-options',
    `${where} received invalid options:\n${lines.map((line) => `  - ${line}`).join('\n')}`,
    { hint: 'The reference of options lists the range and default of each.' },
  );
}

function describeIssue(issue: z.core.$ZodIssue, names: readonly string[]): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => describeUnknown([...issue.path, key].join('.'), names));
  }
  const name = issue.path.length > 0 ? `\`${issue.path.join('.')}\`` : 'The options';
  return [`${name}: ${issue.message}${received(issue)}.`];
}

/** Shows a wrong number or choice. Any other text may be a secret in the wrong place. */
function received(issue: z.core.$ZodIssue): string {
  const { code, input } = issue;
  const isChoice = code === 'invalid_value' && typeof input === 'string';
  const isNumeric = /^too_/.test(code) || ('expected' in issue && issue.expected === 'int');
  return isChoice || (isNumeric && typeof input === 'number') ? `, got ${input}` : '';
}

function describeUnknown(name: string, names: readonly string[]): string {
  const last = (option: string) => option.split('.').at(-1)?.toLowerCase() ?? '';
  const isSimilar = (option: string) =>
    last(option).startsWith(last(name)) || last(name).startsWith(last(option));
  const similar = names.find((option) => last(option) === last(name)) ?? names.find(isSimilar);
  const next = similar
    ? `Did you mean \`${similar}\`?`
    : `Known options: ${names.filter((option) => !option.includes('.')).join(', ')}.`;
  return `Unknown option \`${name}\`. ${next}`;
}

/** Returns the names of all options, those in groups as paths: `retry.limit`. */
function optionNames(schema: unknown): string[] {
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault) {
    return optionNames(schema.unwrap());
  }
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(optionNames);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, field]) => [
    name,
    ...optionNames(field).map((inner) => `${name}.${inner}`),
  ]);
}
