import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

export interface Command {
  name: string;
  /** What `--help` prints. */
  help: string;
  /** For `parseArgs()`. */
  options: Readonly<Record<string, { type: 'string' }>>;
  /** The placeholder of its only argument that is not an option. */
  argument: string;
  /** @returns the exit code */
  run(options: OptionValues, argument?: string): Promise<number>;
}

/** By name, without `--`. */
export type OptionValues = Readonly<Record<string, string | undefined>>;

/** A command cannot run, for a reason that its user can fix. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** @throws {CommandError} when the path is not that of a folder */
export function folder(path: string): string {
  const full = resolve(path);
  const found = statSync(full, { throwIfNoEntry: false });
  // Vite names modules by their paths without links, and a linked site has its packages there.
  if (found?.isDirectory()) return realpathSync.native(full);
  const problem = found ? `${full} is not a folder.` : `The folder ${full} does not exist.`;
  throw new CommandError(problem, 'Check the path, or create the folder.');
}
