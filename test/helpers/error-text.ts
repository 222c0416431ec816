import { ArticlesError } from '../../src/errors.ts';

/** The message and the hint of an error, without the path of the documentation. */
export function textOf(run: () => unknown, subject = String(run)): string {
  try {
    run();
  } catch (error) {
    if (ArticlesError.is(error)) {
      const hint = error.hint.replace(/\nSee node_modules.*$/, '');
      return `[${error.code}] ${error.message}\nHint: ${hint}`;
    }
    throw error;
  }
  throw new Error(`No error was thrown by ${subject}`);
}
