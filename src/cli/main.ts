#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { ArticlesError } from '../errors.ts';
import { messageOf, printable } from '../messages.ts';
import { version } from '../shared/version.ts';
import { type Command, CommandError } from './command.ts';
import { serveCommand } from './serve-command.ts';

const commands = [serveCommand];

const help = `Usage: astro-articles <command> [options]

Commands:
  serve   Serves a folder of Markdown files as the service does, without network

Options:
  --help     Shows this text, or that of a command
  --version  Shows the version

Exit codes: 0 success, 2 the command cannot run.`;

/** Runs a command line, and returns its exit code. */
async function run([first = '', ...rest]: string[]): Promise<number> {
  const print = (text: string) => {
    console.log(text);
    return 0;
  };
  if (first === '--version' || first === '-v') return print(version);
  if (first === '--help' || first === '-h') return print(help);
  const command = commands.find(({ name }) => name === first);
  try {
    if (!command) {
      const problem = first ? `Unknown command \`${printable(first)}\`.` : 'A command is missing.';
      throw new CommandError(problem, `\n${help}`);
    }
    const { values, positionals } = readArguments(command, rest);
    const { help: isHelp, ...options } = values;
    return isHelp ? print(command.help) : await command.run(options, positionals[0]);
  } catch (error) {
    if (!(error instanceof CommandError) && !ArticlesError.is(error)) throw error;
    const name = command ? ` ${command.name}` : '';
    console.error(`astro-articles${name}: ${error.message}\n${error.hint}`);
    return 2;
  }
}

/**
 * Parses the arguments of a command.
 *
 * @throws {CommandError} for arguments that the command does not take. Values are not repeated, because one may be a
 *   key.
 */
function readArguments({ options, argument, help }: Command, args: string[]) {
  let problem = `It takes one ${argument}.`;
  try {
    const all = { ...options, help: { type: 'boolean', short: 'h' } } as const;
    const given = parseArgs({ args, options: all, allowPositionals: true });
    if (given.positionals.length <= 1) return given;
  } catch (error) {
    // With `allowPositionals`, these messages contain names of options, but no values.
    const [message] = messageOf(error).split(/\.? To |\.?\n/);
    problem = `${message}.`;
  }
  throw new CommandError(problem, `\n${help}`);
}

// A reader such as `head` closes the pipe when it has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
process.exitCode = await run(process.argv.slice(2));
