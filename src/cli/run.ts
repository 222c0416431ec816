import { ArticlesError, ArticlesOptionsError, printable } from '../errors.ts';
import { findSimilar } from '../shared/check-options.ts';
import { version } from '../shared/version.ts';
import { checkCommand } from './check/check-command.ts';
import { CommandError, helpOf, readArguments, usageError } from './command.ts';
import { serveCommand } from './serve-command.ts';
import { err, out } from './terminal.ts';

const commands = [checkCommand, serveCommand];

const help = `Usage: astro-articles <command> [options]

Commands:
${commands.map(({ name, summary }) => `  ${name.padEnd(7)} ${summary}`).join('\n')}

Options:
  --help     Shows this text, or that of a command
  --version  Shows the version

Exit codes: 0 success, 1 something failed or is wrong, 2 wrong usage.`;

/** Runs a command line, and returns its exit code. */
export async function run([first = '', ...rest]: string[]): Promise<number> {
  const print = (text: string) => {
    out(text);
    return 0;
  };
  if (first === '--version' || first === '-v') return print(version);
  if (first === '--help' || first === '-h') return print(help);
  const command = commands.find(({ name }) => name === first);
  try {
    if (!command) throw unknownCommand(first);
    const given = readArguments(command, rest);
    return given.values.help ? print(helpOf(command)) : await command.run(given);
  } catch (error) {
    const isCommandError = error instanceof CommandError;
    if (!isCommandError && !ArticlesError.is(error)) throw error;
    err(`astro-articles${command ? ` ${command.name}` : ''}: ${error.message}`);
    if (error.hint) err(error.hint);
    if (isCommandError) return error.exitCode;
    return error instanceof ArticlesOptionsError ? 2 : 1;
  }
}

function unknownCommand(name: string): CommandError {
  if (!name) return usageError('A command is missing.', `\n${help}`);
  const message = `Unknown command \`${printable(name)}\`.`;
  const similar = findSimilar(
    name,
    commands.map((command) => command.name),
  );
  return similar
    ? usageError(`${message} Did you mean \`${similar}\`?`, '')
    : usageError(message, `\n${help}`);
}
