import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Terminal } from './terminal.ts';

export interface Command {
  name: string;
  /** One line, for the list of commands. */
  summary: string;
  help: string;
  options: NonNullable<ParseArgsConfig['options']>;
  /** Whether it takes an argument besides its options. */
  takesArgument?: boolean;
  /** @returns the exit code */
  run(given: Arguments, terminal: Terminal): Promise<number>;
}

export interface Arguments {
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  argument: string | undefined;
}

/** A failure of a command that its user can fix. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly hint: string;
  readonly exitCode: number = 1;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** The command was called incorrectly. */
export class UsageError extends CommandError {
  override name = 'UsageError';
  override readonly exitCode = 2;
}

const keyHint =
  'Other users can see a key on a command line, and the shell stores it. Put ARTICLES_API_KEY=… into the ' +
  '.env file of the site, or into the environment.';

/**
 * Parses the arguments of a command.
 *
 * @throws {UsageError} for arguments that the command does not take. Values are not repeated, because one
 *   may be a key.
 */
export function readArguments(command: Command, args: string[]): Arguments {
  const options: Command['options'] = {
    ...command.options,
    help: { type: 'boolean', short: 'h' },
  };
  const names = Object.keys(options).map((name) => `--${name}`);
  const hint = `Options: ${names.join(', ')}. \`astro-articles ${command.name} --help\` explains them.`;
  // Not strict, because the errors of parseArgs() contain what was given.
  const { values, positionals, tokens } = parseArgs({
    args,
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) throw unknownOption(name, rawName, hint);
    const isMissing = value === undefined || (!inlineValue && value.startsWith('-'));
    if (option.type === 'string' && isMissing)
      throw new UsageError(`${rawName} needs a value.`, hint);
    if (option.type === 'boolean' && inlineValue) {
      throw new UsageError(`${rawName} takes no value.`, hint);
    }
  }
  const [argument, ...more] = positionals;
  if (argument !== undefined && !command.takesArgument) {
    throw new UsageError(`\`${command.name}\` takes options only.`, hint);
  }
  if (more.length > 0) throw new UsageError(`\`${command.name}\` takes one folder.`, hint);
  return { values, argument };
}

function unknownOption(name: string, rawName: string, hint: string): UsageError {
  return new UsageError(`Unknown option ${rawName}.`, /key/i.test(name) ? keyHint : hint);
}

/** Returns the value of an option that takes text. */
export function text({ values }: Arguments, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** @throws {UsageError} when the option is not a whole number within the range */
export function wholeNumber(
  given: Arguments,
  name: string,
  { range: [min, max], otherwise }: { range: readonly [number, number]; otherwise: number },
): number {
  const value = text(given, name);
  if (value === undefined) return otherwise;
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(
    `--${name} takes a whole number from ${min} to ${max}, not ${JSON.stringify(value)}.`,
    `The default is ${otherwise}.`,
  );
}

/** @throws {UsageError} when the folder does not exist */
export function folder(path: string, name: string): string {
  const full = resolve(path);
  if (statSync(full, { throwIfNoEntry: false })?.isDirectory()) return full;
  throw new UsageError(`${name}: the folder ${full} does not exist.`, 'Name a folder that exists.');
}
