import { randomUUID } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ArticlesMirrorError } from '../errors.ts';

// In this folder, what reads throws `mirror-unreadable` if a file may be intact but could not be read, and what writes
// throws `mirror-unwritable`.
//
// The mirror uses synchronous calls: for files of this size they need a fifth (reading) to half (writing)
// of the CPU time of `fs/promises`, and no other operation of this process can run in between.

/** Matches the temporary files of `writeFile()`, which killed processes leave. */
const temporaryFile = /\.articles-[0-9a-f-]{36}\.tmp$/;
/** The maximum size of a text file. */
const maxFileBytes = 2 ** 28;
const renameDelays = [20, 100, 500];

type FileContent = string | Uint8Array;

/** Replaces a file: readers see the old content or the new one, even if the process is killed, or after a power cut. */
export function writeFile(path: string, content: FileContent): void {
  const temporary = `${path}.articles-${randomUUID()}.tmp`;
  const write = () => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, content, { flag: 'wx', flush: true });
  };
  try {
    write();
    for (const delay of renameDelays) {
      try {
        renameSync(temporary, path);
        return;
      } catch (error) {
        // A commit of another process has removed the temporary file.
        if (codeOf(error) === 'ENOENT') write();
        // On Windows a virus scanner or an indexer may have either file open.
        else if (!['EPERM', 'EBUSY', 'EACCES'].includes(codeOf(error))) throw error;
        else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delay);
      }
    }
    renameSync(temporary, path);
  } catch (error) {
    bestEffort(() => rmSync(temporary, { force: true }));
    throw unwritable(path, error);
  }
}

/** Reads a file; undefined when it does not exist, and an empty buffer when it is too large. */
export function readFile(path: string): Buffer | undefined {
  const stats = statIfExists(path);
  if (!stats) return undefined;
  if (!stats.isFile()) throw foreignFile(path);
  return stats.size > maxFileBytes ? Buffer.of() : unlessMissing(path, () => readFileSync(path));
}

/** Renames a file that cannot be read, so that it can be looked into. A former one is replaced. */
export function setAside(path: string): void {
  bestEffort(() => renameSync(path, path.replace(/\.(jsonl?)$/, '.broken.$1')));
}

/** Returns the stats of a path, without following links; undefined when it does not exist. */
export function statIfExists(path: string) {
  return unlessMissing(path, () => lstatSync(path));
}

/** Lists the names in a folder, in alphabetical order; none when it does not exist. */
export function namesIn(folder: string): string[] {
  return (unlessMissing(folder, () => readdirSync(folder)) ?? []).toSorted();
}

/** Removes files that are not used, and temporary ones, whose writers write them again. */
export function removeFiles(folder: string, isUnused: (name: string) => boolean): void {
  const names = namesIn(folder).filter((name) => temporaryFile.test(name) || isUnused(name));
  for (const name of names) bestEffort(() => rmSync(join(folder, name)));
}

/** Runs an action whose failure costs only time or space. */
export function bestEffort(action: () => void): void {
  try {
    action();
  } catch {
    // The next load tries again.
  }
}

/** Returns the result of reading a file; undefined when it does not exist. */
export function unlessMissing<T>(path: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (error instanceof ArticlesMirrorError) throw error;
    const message = `The mirror could not be read: ${path} (${codeOf(error)}).`;
    const hint = 'Check the permissions and the disk. Nothing was changed.';
    throw new ArticlesMirrorError('mirror-unreadable', message, { cause: error, hint });
  }
}

export function unwritable(path: string, cause: unknown): ArticlesMirrorError {
  const message = `The mirror could not be written: ${path} (${codeOf(cause)}).`;
  const hint = 'Check the permissions of the folder, and that the disk is not full.';
  return new ArticlesMirrorError('mirror-unwritable', message, { cause, hint });
}

/** Returns the error for a file of another program, where the mirror would write its own. */
export function foreignFile(path: string): ArticlesMirrorError {
  const message = `The mirror cannot be written, because ${path} is a file of another program.`;
  const hint = 'Move this file to another folder, or set `mirrorDir` to another folder.';
  return new ArticlesMirrorError('mirror-unwritable', message, { hint });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
