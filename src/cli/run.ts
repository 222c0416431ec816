import { ArticlesError, ArticlesOptionsError } from '../errors.ts';
import { version } from '../shared/version.ts';
import { checkCommand } from './check/check-command.ts';
import { CommandError, readArguments, usageError } from './command.ts';
import { purgeCommand } from './purge-command.ts';
import { serveCommand } from './serve-command.ts';
import { syncCommand } from './sync-command.ts';
import { err, out } from './terminal.ts';

const commands = [checkCommand, syncCommand, serveCommand, purgeCommand];

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
    out(text.trimEnd());
    return 0;
  };
  if (first === '--version' || first === '-v') return print(version);
  if (first === '--help' || first === '-h') return print(help);
  const command = commands.find(({ name }) => name === first);
  try {
    if (!command) {
      throw usageError(first ? 'Unknown command.' : 'A command is missing.', `\n${help}`);
    }
    const given = readArguments(command, rest);
    return given.values.help ? print(command.help) : await command.run(given);
  } catch (error) {
    const isCommandError = error instanceof CommandError;
    if (!isCommandError && !ArticlesError.is(error)) throw error;
    err(`astro-articles${command ? ` ${command.name}` : ''}: ${error.message}`);
    if (error.hint) err(error.hint);
    if (isCommandError) return error.exitCode;
    return error instanceof ArticlesOptionsError ? 2 : 1;
  }
}
