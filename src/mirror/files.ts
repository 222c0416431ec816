import { randomUUID } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ArticlesMirrorError } from '../errors.ts';

// The mirror uses synchronous calls: for files of this size they need a fifth (reading) to half (writing)
// of the CPU time of `fs/promises`, and no other operation of this process can run in between.

/** Matches the temporary files that `writeAtomically` leaves when the process is killed. */
const temporaryFile = /^(?:index\.json|[0-9a-f]{32}\.\w{3,4})\.[0-9a-f-]{36}\.tmp$/;

/**
 * Replaces a file: readers see the old content or the new one, even if the process is killed.
 *
 * @param flush whether this holds for a power cut, too, which takes some milliseconds
 * @throws {ArticlesMirrorError} `mirror-unwritable`; the old file is unchanged
 */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  { flush = false } = {},
): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, content, { flag: 'wx', flush });
    await renameWithRetries(temporary, path);
  } catch (error) {
    bestEffort(() => rmSync(temporary, { force: true }));
    throw unwritable(path, error);
  }
}

const renameDelays = [20, 100, 500];

/** On Windows a rename fails while a virus scanner or an indexer has either file open. */
async function renameWithRetries(from: string, to: string): Promise<void> {
  for (const delay of renameDelays) {
    try {
      return renameSync(from, to);
    } catch (error) {
      if (!hasErrorCode(error, 'EPERM', 'EBUSY', 'EACCES')) throw error;
    }
    await wait(delay);
  }
  renameSync(from, to);
}

/** Reads a file; undefined when it does not exist. */
export function readIfExists(path: string): Buffer | undefined {
  return unlessMissing(path, () => readFileSync(path));
}

/** Returns the stats of a path, without following links; undefined when it does not exist. */
export function statIfExists(path: string): Stats | undefined {
  return unlessMissing(path, () => lstatSync(path));
}

/** Lists the names in a folder, in alphabetical order; none when it does not exist. */
export function namesIn(folder: string): string[] {
  return (unlessMissing(folder, () => readdirSync(folder)) ?? []).toSorted();
}

/** Sets the modification time of a file, if it is older than `before`. */
export function touch(path: string, date: number, before = date): void {
  bestEffort(() => {
    const found = lstatSync(path);
    if (found.isFile() && found.mtimeMs < before) {
      utimesSync(path, new Date(date), new Date(date));
    }
  });
}

/** Removes a file that is older than a date, if `mayRemove` agrees. A failure is ignored: it only costs space. */
export function removeOlder(path: string, date: number, mayRemove = () => true): void {
  bestEffort(() => {
    const found = lstatSync(path);
    if (found.isFile() && found.mtimeMs < date && mayRemove()) unlinkSync(path);
  });
}

/** Removes temporary files older than `before` that killed processes have left. */
export function removeTemporaryFiles(folder: string, before: number): void {
  bestEffort(() => {
    const found = namesIn(folder).filter((name) => temporaryFile.test(name));
    for (const name of found) removeOlder(join(folder, name), before);
  });
}

/** Runs an action whose failure costs only time or space. */
export function bestEffort(action: () => void): void {
  try {
    action();
  } catch {
    // The next load tries again.
  }
}

export function hasErrorCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => error.code === code);
}

/**
 * Returns the result of reading a file; undefined when it does not exist.
 *
 * @throws {ArticlesMirrorError} `mirror-unreadable` for any other failure
 */
export function unlessMissing<T>(path: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw new ArticlesMirrorError(
      'mirror-unreadable',
      `The mirror could not be read: ${path} (${reasonOf(error)}).`,
      { path, cause: error, hint: 'Check the permissions and the disk. Nothing was changed.' },
    );
  }
}

export function unwritable(path: string, cause: unknown): ArticlesMirrorError {
  return new ArticlesMirrorError(
    'mirror-unwritable',
    `The mirror could not be written: ${path} (${reasonOf(cause)}).`,
    {
      path,
      cause,
      hint: 'Check the permissions of the folder, and that the disk is not full. Nothing was changed.',
    },
  );
}

/** Returns the error for a file of another program, where the mirror would write its own. */
export function foreignFile(path: string): ArticlesMirrorError {
  return new ArticlesMirrorError(
    'mirror-unwritable',
    `The mirror cannot be written, because ${path} is a file of another program.`,
    {
      path,
      hint: 'Move this file to another folder, or set `mirrorDir` to another one. Nothing was changed.',
    },
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
