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
