import * as z from 'zod/mini';
import type { $ZodIssue, $ZodObject, $ZodType } from 'zod/v4/core';
import { ArticlesOptionsError, documentation } from '../errors.ts';

/**
 * Checks options against their schema, and returns a copy with its defaults.
 *
 * @param where the function that received the options, for the message: `articles()`
 * @throws {ArticlesOptionsError} listing every option that is unknown or invalid
 */
export function checkOptions<S extends $ZodObject>(
  schema: S,
  given: unknown,
  where: string,
): z.output<S> {
  const parsed = z.safeParse(schema, given === undefined ? {} : given, { reportInput: true });
  if (parsed.success) return parsed.data;
  const names = namesIn(schema);
  const lines = parsed.error.issues.flatMap((issue) => describeIssue(issue, names));
  throw new ArticlesOptionsError(
    'invalid-options',
    `${where} received invalid options:\n${lines.map((line) => `  - ${line}`).join('\n')}`,
    { hint: `${documentation}/reference/${pages[where] ?? 'options'}.md lists all options.` },
  );
}

/** The page of the reference about the options of a function, if it is not that of `articles()`. */
const pages: Readonly<Record<string, string>> = {
  'createArticlesClient()': 'client',
  'listPage()': 'client',
  'liveArticlesLoader()': 'live',
  'getLiveEntry()': 'live',
  'getLiveCollection()': 'live',
};

/** Returns the schema of a whole number within a range, which includes both ends. */
export function wholeNumber({ min, max }: { min: number; max: number }) {
  const message = `expected a whole number from ${min} to ${max}`;
  return z.int(message).check(z.gte(min, message), z.lte(max, message));
}

/** Returns a schema that accepts any function, because parameters cannot be checked. */
export function callback<T>() {
  return z.custom<T>((value) => typeof value === 'function', 'expected a function');
}

function describeIssue(issue: $ZodIssue, names: readonly string[]): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => describeUnknown([...issue.path, key].join('.'), names));
  }
  const name = issue.path.length > 0 ? `\`${issue.path.join('.')}\`` : 'The options';
  return [`${name}: ${issue.message}${received(issue)}.`];
}

/** Shows a wrong number or choice. Any other text may be a secret in the wrong place. */
function received(issue: $ZodIssue): string {
  const { code, input } = issue;
  const isChoice = code === 'invalid_value' && typeof input === 'string';
  const isNumeric = /^too_/.test(code) || ('expected' in issue && issue.expected === 'int');
  return isChoice || (isNumeric && typeof input === 'number') ? `, got ${input}` : '';
}

/** The options that only `articles()` accepts. */
export const siteOptionNames = ['redirects', 'refresh'];

function describeUnknown(name: string, names: readonly string[]): string {
  const [first = ''] = name.split('.');
  if (siteOptionNames.includes(first) && !names.includes(first)) {
    return `\`${first}\` is an option of the whole site. Pass it to articles() in astro.config.`;
  }
  const similar = findSimilar(name, names);
  const next = similar
    ? `Did you mean \`${similar}\`?`
    : `Known options: ${names.filter((option) => !option.includes('.')).join(', ')}.`;
  return `Unknown option \`${name}\`. ${next}`;
}

/** Finds the most similar name: in the same group, or else in all groups. */
export function findSimilar(name: string, names: readonly string[]): string | undefined {
  const group = name.slice(0, name.lastIndexOf('.') + 1);
  const rated = names.map((option) => ({
    option,
    similarity: similarityOf(name, option),
    group: Number(option.startsWith(group)),
  }));
  return rated
    .filter(({ similarity }) => similarity >= minSimilarity)
    .toSorted((a, b) => b.group - a.group || b.similarity - a.similarity)[0]?.option;
}

const minSimilarity = 0.33;

/** Compares the last parts of two names: the share of pairs of letters that both have (Dice); 1 for exchanged letters. */
function similarityOf(...paths: [string, string]): number {
  const [a = '', b = ''] = paths.map((path) => path.split('.').at(-1)?.toLowerCase());
  const sorted = (word: string) => [...word].sort().join('');
  if (sorted(a) === sorted(b)) return 1;
  const pairsOf = (word: string) => Array.from(word.slice(1), (letter, at) => word[at] + letter);
  const shared = pairsOf(a).filter((pair) => pairsOf(b).includes(pair));
  return (2 * shared.length) / (pairsOf(a).length + pairsOf(b).length);
}

/** What a schema consists of: an object, a union or a wrapper such as a default. Classes of zod would enlarge bundles. */
interface SchemaParts {
  shape?: Readonly<Record<string, $ZodType>>;
  options?: readonly $ZodType[];
  innerType?: $ZodType;
}

/** Returns the names of the options of a schema, those in groups as paths: `images.covers`. */
function namesIn(schema: $ZodType, group = ''): string[] {
  const { shape = {}, options = [], innerType } = schema._zod.def as SchemaParts;
  const own = Object.entries(shape).flatMap(([key, field]) => [
    group + key,
    ...namesIn(field, `${group}${key}.`),
  ]);
  const inner = [...options, ...(innerType ? [innerType] : [])];
  return [...own, ...inner.flatMap((part) => namesIn(part, group))];
}

/** Merges two sets of options, groups included. Options that are undefined in `above` are ignored. */
export function merge<T extends object>(below: T, above: object): T {
  const layered = Object.entries(above).flatMap(([name, value]) => {
    const under: unknown = Reflect.get(below, name);
    if (value === undefined) return [];
    return [[name, isGroup(value) && isGroup(under) ? merge(under, value) : value]];
  });
  return { ...below, ...Object.fromEntries(layered) };
}

function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
