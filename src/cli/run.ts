import { ArticlesError, ArticlesOptionsError } from '../errors.ts';
import { version } from '../shared/version.ts';
import { checkCommand } from './check/check-command.ts';
import { type Command, CommandError, readArguments } from './command.ts';
import { serveCommand } from './serve-command.ts';
import { syncCommand } from './sync-command.ts';
import { createTerminal, type Terminal } from './terminal.ts';

const commands = [checkCommand, syncCommand, serveCommand];

const help = `Usage: astro-articles <command> [options]

Commands:
${commands.map(({ name, summary }) => `  ${name.padEnd(7)} ${summary}`).join('\n')}

Options:
  --help     Shows this text, or that of a command
  --version  Shows the version

Exit codes: 0 success, 1 something failed or is wrong, 2 wrong usage.
`;

/** Runs a command line, and returns its exit code. */
export async function run(args: string[]): Promise<number> {
  const terminal = createTerminal();
  const [first = '', ...rest] = args;
  if (first === '--version' || first === '-v') return print(terminal, version);
  if (first === '--help' || first === '-h') return print(terminal, help);
  const command = commands.find(({ name }) => name === first);
  if (!command) {
    const message = first ? 'Unknown command.' : 'A command is missing.';
    printError(terminal, 'astro-articles', { message, hint: `\n${help.trimEnd()}` });
    return 2;
  }
  return runCommand(command, rest, terminal);
}

async function runCommand(command: Command, args: string[], terminal: Terminal): Promise<number> {
  const name = `astro-articles ${command.name}`;
  try {
    const given = readArguments(command, args);
    if (given.values.help) return print(terminal, command.help);
    return await command.run(given, terminal);
  } catch (error) {
    const isCommandError = error instanceof CommandError;
    if (!isCommandError && !ArticlesError.is(error)) throw error;
    printError(terminal, name, error);
    if (isCommandError) return error.exitCode;
    return error instanceof ArticlesOptionsError ? 2 : 1;
  }
}

function print(terminal: Terminal, text: string): number {
  terminal.out(text.trimEnd());
  return 0;
}

function printError(
  terminal: Terminal,
  name: string,
  { message, hint }: { message: string; hint?: string | undefined },
): void {
  terminal.err(`${terminal.errStyle('red', name)}: ${message}`);
  if (hint) terminal.err(hint);
}
