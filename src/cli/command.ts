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
  /** Whether it takes an argument that is no option. */
  takesArgument?: boolean;
  /** @returns the exit code */
  run(given: Arguments, terminal: Terminal): Promise<number>;
}

export interface Arguments {
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  argument: string | undefined;
}

/** The command cannot go on: why, and what to do. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly hint: string;
  readonly exitCode: number = 1;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** The command was used wrongly. */
export class UsageError extends CommandError {
  override name = 'UsageError';
  override readonly exitCode = 2;
}

const keyHint =
  'A key on a command line is seen by other users and kept by the shell: put ARTICLES_API_KEY=… into ' +
  'the .env file of the site, or into the environment.';

/**
 * Reads what follows a command.
 *
 * @throws {UsageError} for what the command does not take. Values are not repeated: one may be a key.
 */
export function readArguments(command: Command, args: string[]): Arguments {
  const options = { ...command.options, help: { type: 'boolean', short: 'h' } as const };
  const listed = Object.keys(options).map((name) => `--${name}`);
  const hint = `Options are ${listed.join(', ')}; \`astro-articles ${command.name} --help\` explains them.`;
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [argument, ...more] = positionals;
    const most = command.takesArgument ? 1 : 0;
    if (positionals.length > most) {
      throw new UsageError(
        more.length > 0 && most > 0 ? 'One folder is enough.' : 'Only options are taken.',
        hint,
      );
    }
    return { values, argument };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const [message = ''] = String(error instanceof Error ? error.message : error).split(/\. |\n/);
    throw new UsageError(
      `${message.replace(/\.$/, '')}.`,
      /'--?(api-?)?key/i.test(message) ? keyHint : hint,
    );
  }
}

/** The text of an option, when it was given. */
export function text({ values }: Arguments, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** @throws {UsageError} when the option is no whole number within the range */
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
    `Leave it out for ${otherwise}.`,
  );
}

/** @throws {UsageError} when there is no such folder */
export function folder(path: string, name: string): string {
  const full = resolve(path);
  if (statSync(full, { throwIfNoEntry: false })?.isDirectory()) return full;
  throw new UsageError(`${name}: there is no folder ${full}.`, 'Name a folder that exists.');
}
