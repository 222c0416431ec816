import * as z from 'zod';
import { ArticlesOptionsError } from '../errors.ts';

/**
 * Checks options against their schema.
 *
 * @param where what the options were given to, for the message: `articles()`, `articlesLoader()`
 * @throws {ArticlesOptionsError} naming each option that is unknown or out of range
 */
export function checkOptions<S extends z.ZodObject>(
  schema: S,
  given: unknown,
  where: string,
): z.output<S> {
  const parsed = schema.safeParse(given ?? {}, { reportInput: true });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const lines = issues
    .flatMap((issue) => describeIssue(issue, schema))
    .map((line) => `  - ${line}`);
  throw new ArticlesOptionsError(
    'invalid-options',
    `${where} was given options that it cannot use:\n${lines.join('\n')}`,
    { hint: 'The README says what each option may be.' },
  );
}

function describeIssue(issue: z.core.$ZodIssue, schema: z.ZodObject): string[] {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = namesIn(issue.path, schema);
    return issue.keys.map((key) => {
      const like = known.find((name) => isAlike(name, key));
      const next = like ? `did you mean \`${like}\`?` : `there are ${known.join(', ')}`;
      return `\`${path ? `${path}.` : ''}${key}\` is no option: ${next}`;
    });
  }
  const names = namesIn(issue.path, schema);
  const shape =
    issue.code === 'invalid_type' && names.length > 0 ? ` with ${names.join(', ')}` : '';
  const isLeftOut = issue.message.includes('got ') || issue.path[0] === 'apiKey';
  const given = isLeftOut ? '' : `, got ${JSON.stringify(issue.input)}`;
  const message = issue.message.replace(/^Invalid (input|option): |, received .*$/g, '');
  return [`${path ? `\`${path}\`` : 'options'}: ${message}${shape}${given}`];
}

/** The options that there are at a place: at the top, or in a group such as `images`. */
function namesIn(path: readonly PropertyKey[], schema: z.ZodObject): string[] {
  const group: unknown = path[0] === undefined ? schema : Reflect.get(schema.shape, path[0]);
  const inner = group instanceof z.ZodOptional ? group.unwrap() : group;
  return path.length < 2 && inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

/** Whether two names differ only in case, or in an ending. */
function isAlike(name: string, given: string): boolean {
  const [a, b] = [name.toLowerCase(), given.toLowerCase()];
  return a.startsWith(b) || b.startsWith(a);
}
