import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../errors.ts';

export interface Command {
  name: string;
  /** One line, for the list of commands. */
  summary: string;
  /** Describes the command, and defines its options: `--name <value>` takes a text, and `--name` takes none. */
  help: string;
  /** The largest number of arguments that are not options. */
  takes: number;
  /** @returns the exit code */
  run(given: Arguments): Promise<number>;
}

export interface Arguments {
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  /** The arguments that are not options. */
  positionals: readonly string[];
}

/** A failure of a command that its user can fix. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly hint: string;
  readonly exitCode: number;

  constructor(message: string, hint: string, exitCode = 1) {
    super(message);
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

export function usageError(message: string, hint: string): CommandError {
  return new CommandError(message, hint, 2);
}

const keyHint =
  'Other users can see a key on a command line, and the shell stores it. Put ARTICLES_API_KEY=… into the ' +
  '.env file of the site, or into the environment.';

/**
 * Parses the arguments of a command.
 *
 * @throws {CommandError} for arguments that the command does not take. Values are not repeated, because
 *   one may be a key.
 */
export function readArguments({ name, help, takes }: Command, args: string[]): Arguments {
  const defined = [...help.matchAll(/^ {2}--([a-z][a-z-]*)( <)?/gm)];
  const hint = `Options: ${defined.map(([, option]) => `--${option}`).join(', ')}. \`astro-articles ${name} --help\` explains them.`;
  const { values, positionals } = parse();
  if (positionals.length <= takes) return { values, positionals };
  throw usageError(`\`${name}\` takes ${takes === 0 ? 'options only' : 'one folder'}.`, hint);

  function parse() {
    // Each may be repeated.
    const options = defined.map(([, option = '', value]) => {
      const short = option === 'help' && { short: 'h' };
      return [option, { type: value ? 'string' : 'boolean', multiple: true, ...short }];
    });
    try {
      return parseArgs({ args, options: Object.fromEntries(options), allowPositionals: true });
    } catch (error) {
      // With `allowPositionals`, these messages contain names of options, but no values.
      const [message = ''] = messageOf(error).split(/\.? To |\.?\n/);
      throw usageError(`${message}.`, /key/i.test(message) ? keyHint : hint);
    }
  }
}

/** Returns the value of an option that takes text: the last one, if it is repeated. */
export function text({ values }: Arguments, name: string): string | undefined {
  const value = [values[name]].flat().at(-1);
  return typeof value === 'string' ? value : undefined;
}

/**
 * Parses the URL of a page. The text is not repeated: it may be the secret, or contain a password.
 *
 * @throws {CommandError} when it cannot be requested
 */
export function pageUrl(given: string, name: string, hint: string): URL {
  const url = URL.parse(given);
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  const problem = 'is not a URL with http or https, or contains a user name or password';
  throw usageError(`${name} ${problem}.`, hint);
}

/** @throws {CommandError} when the option is not a whole number within the range */
export function wholeNumber(
  given: Arguments,
  name: string,
  { range: [min, max], otherwise }: { range: readonly [number, number]; otherwise: number },
): number {
  const value = text(given, name) ?? String(otherwise);
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw usageError(
    `--${name} takes a whole number from ${min} to ${max}, not ${JSON.stringify(value)}.`,
    `The default is ${otherwise}.`,
  );
}

/** @throws {CommandError} when the path is not that of a folder */
export function folder(path: string): string {
  const full = resolve(path);
  const found = statSync(full, { throwIfNoEntry: false });
  if (found?.isDirectory()) return full;
  const problem = found ? `${full} is not a folder.` : `The folder ${full} does not exist.`;
  throw usageError(problem, 'Check the path, or create the folder.');
}
