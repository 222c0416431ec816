import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../errors.ts';

export interface Command {
  name: string;
  /** One line, for the list of commands. */
  summary: string;
  /** The placeholder of its only argument that is not an option, for the help. */
  argument?: string;
  /** What the command does, for the help. */
  description: string;
  /** By name, without `--`. */
  options: Readonly<Record<string, Option>>;
  /** @returns the exit code */
  run(given: Arguments): Promise<number>;
}

interface Option {
  /** The placeholder of the value, for the help. An option without one takes no value. */
  value?: string;
  description: string;
}

export interface Arguments {
  values: Readonly<Record<string, string | boolean | undefined>>;
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

const helpOption: Option = { description: 'Shows this text' };

export function helpOf({ name, argument, description, options }: Command): string {
  const lines = Object.entries({ ...options, help: helpOption }).map(
    ([option, { value, description }]) => [`--${option}${value ? ` ${value}` : ''}`, description],
  );
  const width = Math.max(...lines.map(([usage = '']) => usage.length));
  return `Usage: astro-articles ${name}${argument ? ` ${argument}` : ''} [options]

${description}

Options:
${lines.map(([usage = '', text]) => `  ${usage.padEnd(width)}  ${text}`).join('\n')}

Exit codes: 0 success, 1 something failed or is wrong, 2 wrong usage.`;
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
export function readArguments({ name, argument, options }: Command, args: string[]): Arguments {
  const names = [...Object.keys(options), 'help'].map((option) => `--${option}`).join(', ');
  const hint = `Options: ${names}. \`astro-articles ${name} --help\` explains them.`;
  const given = parse();
  if (given.positionals.length <= (argument ? 1 : 0)) return given;
  throw usageError(`\`${name}\` takes ${argument ? `one ${argument}` : 'options only'}.`, hint);

  function parse() {
    const defined = Object.entries(options).map(
      ([option, { value }]) => [option, { type: value ? 'string' : 'boolean' }] as const,
    );
    const all = { ...Object.fromEntries(defined), help: { type: 'boolean', short: 'h' } } as const;
    try {
      return parseArgs({ args, options: all, allowPositionals: true });
    } catch (error) {
      // With `allowPositionals`, these messages contain names of options, but no values.
      const [message = ''] = messageOf(error).split(/\.? To |\.?\n/);
      throw usageError(`${message}.`, /key/i.test(message) ? keyHint : hint);
    }
  }
}

/** Returns the value of an option that takes text. */
export function text({ values }: Arguments, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
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
