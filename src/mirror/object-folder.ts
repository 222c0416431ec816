import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash } from '../shared/hash.ts';
import {
  hasErrorCode,
  namesIn,
  readIfExists,
  removeOlder,
  statIfExists,
  touch,
  unwritable,
} from './files.ts';

/**
 * A folder of files that never change, each with the hash of its bytes in its name. The name proves
 * the content, so a file that was cut short is found when it is read, and written again.
 */
export interface ObjectFolder {
  /** The names of the folder's own files. Other files are never read or removed. */
  readonly names: ReadonlySet<string>;
  /**
   * Reads a file; undefined when it is missing or corrupt.
   *
   * @throws {ArticlesMirrorError} `mirror-unreadable` when it may be intact, but could not be read
   */
  read(name: string): Buffer | undefined;
  /**
   * Writes a file, unless it is intact already.
   *
   * @throws {ArticlesMirrorError} `mirror-unwritable`
   */
  write(name: string, bytes: string | Uint8Array): void;
  /**
   * Removes files that are not in `used` and are older than `grace` ms. The age of those in `usedBefore`
   * begins now.
   */
  clean(files: { used: Set<string>; usedBefore?: Set<string>; grace: number }): void;
}

export interface ObjectFolderOptions {
  /** Matches the names of the folder's files. Its group `hash` is the hash of the bytes. */
  pattern: RegExp;
  date: () => number;
}

/** Opens a folder, which may not exist yet. */
export function openObjectFolder(
  folder: string,
  { pattern, date }: ObjectFolderOptions,
): ObjectFolder {
  const names = new Set(namesIn(folder).filter((name) => pattern.test(name)));
  /** Names whose bytes this process has verified or written. */
  const intact = new Set<string>();
  let hasFolder = false;

  return {
    names,

    read(name) {
      const expected = pattern.exec(name)?.groups?.hash;
      const bytes = expected ? readIfExists(join(folder, name)) : undefined;
      if (bytes && hash(bytes) === expected) {
        intact.add(name);
        return bytes;
      }
      intact.delete(name);
      names.delete(name);
      return undefined;
    },

    write(name, content) {
      if (intact.has(name)) return;
      const path = join(folder, name);
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      try {
        if (!hasFolder) mkdirSync(folder, { recursive: true });
        hasFolder = true;
        if (!create(path, bytes)) repair(path, { bytes, date: date() });
      } catch (error) {
        throw unwritable(path, error);
      }
      intact.add(name);
      names.add(name);
    },

    clean({ used, usedBefore, grace }) {
      const now = date();
      for (const name of names) {
        if (used.has(name)) continue;
        if (usedBefore?.has(name)) touch(join(folder, name), now);
        else removeOlder(join(folder, name), now - grace);
      }
    },
  };
}

/** Creates a file; false when it exists. */
function create(path: string, bytes: Uint8Array): boolean {
  try {
    writeFileSync(path, bytes, { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/**
 * Repairs an existing file if its bytes do not match its name. It is not truncated first, because another
 * process may have just written the same bytes, and be reading them.
 */
function repair(path: string, { bytes, date }: { bytes: Uint8Array; date: number }): void {
  // Behind a link is a file of others.
  if (!statIfExists(path)?.isFile()) throw new Error('it is not a plain file');
  if (!readFileSync(path).equals(bytes)) {
    writeFileSync(path, bytes, { flag: 'r+' });
    truncateSync(path, bytes.length);
  }
  // Otherwise another build could remove it, if it is old and in no index.
  touch(path, date);
}
