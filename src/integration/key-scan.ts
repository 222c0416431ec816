import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ArticlesError } from '../errors.ts';
import { isSendable } from '../http/api-key.ts';
import { encodedForms, keyPattern, minKeyLength } from '../http/key-forms.ts';

/** In characters. Shorter keys that consist of words, such as `development`, would cause false positives. */
const minWordsLength = 20;
/** In bytes. */
const chunkSize = 2 ** 20;
/** A compressed file with more decompressed bytes is searched only as it is. */
const maxUnpacked = 2 ** 28;
const maxListedFiles = 20;
/** The length in bytes of the longest escape sequence that `keyPattern()` matches. */
const maxEscape = 8;

/**
 * Searches the build output for API keys (docs/reference/service.md).
 *
 * @param except files that no host publishes
 * @throws {ArticlesError} `key-in-output` listing the files, without the key
 */
export function scanForKeys(
  folders: readonly string[],
  keys: Iterable<string>,
  except: readonly string[] = [],
): void {
  const searched = [...new Set(keys)].filter((key) => isSendable(key) && !isOrdinaryText(key));
  if (searched.length === 0) return;
  const finders = searched.map(createFinder);
  const isIn = (bytes: Buffer) => finders.some((find) => find(bytes));
  // A key may lie across two chunks.
  const overlap = Math.max(...searched.map(({ length }) => length)) * maxEscape;
  const buffer = Buffer.allocUnsafe(chunkSize + overlap);
  const seen = new Set(except.filter(existsSync).map((path) => realpathSync(path)));
  const leaks: string[] = [];
  for (const file of folders.flatMap((folder) => [...filesAt(folder, seen)])) {
    const unpacked = unpack(file);
    if ((unpacked && isIn(unpacked)) || fileContains(file)) leaks.push(file);
  }
  if (leaks.length > 0) throw keyInOutput(leaks);

  /** Reads synchronously into one buffer, which is three times as fast as `node:fs/promises`. */
  function fileContains(path: string): boolean {
    const file = openSync(path, 'r');
    try {
      let kept = 0;
      for (;;) {
        const size = readSync(file, buffer, kept, chunkSize, null);
        const end = kept + size;
        if (isIn(buffer.subarray(0, end))) return true;
        if (size < chunkSize) return false;
        kept = overlap;
        buffer.copyWithin(0, end - kept, end);
      }
    } finally {
      closeSync(file);
    }
  }
}

/** Whether other texts of a site may contain the same characters: a short key, or one of a few words. */
function isOrdinaryText(key: string): boolean {
  const isWords = /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_](?:[A-Z]?[a-z]+|[A-Z]+))*$/.test(key);
  return key.length < (isWords ? minWordsLength : minKeyLength);
}

/** Creates a function that finds a key that is unchanged, escaped or encoded. */
function createFinder(key: string): (bytes: Buffer) => boolean {
  const pattern = new RegExp(keyPattern(key));
  // Escape sequences usually keep letters and digits, so most chunks need no regular expression.
  const [core = ''] = (key.match(/[a-z\d]+/gi) ?? []).toSorted((a, b) => b.length - a.length);
  // UTF-16 of both byte orders.
  const wide = Buffer.from(key, 'utf16le').subarray(0, -1);
  const others = [wide, ...encodedForms(key)];
  return (bytes) =>
    (bytes.includes(core) && pattern.test(bytes.toString('latin1'))) ||
    others.some((form) => bytes.includes(form));
}

/** Decompresses a `.gz` or `.br` file; undefined for other files, and those that are not compressed. */
function unpack(path: string): Buffer | undefined {
  const isBrotli = path.endsWith('.br');
  if (!isBrotli && !path.endsWith('.gz')) return undefined;
  const unpackSync = isBrotli ? brotliDecompressSync : gunzipSync;
  try {
    return unpackSync(readFileSync(path), { maxOutputLength: maxUnpacked });
  } catch {
    return undefined;
  }
}

/** Lists the files at and below a path, each once. Follows symbolic links. */
function* filesAt(path: string, seen: Set<string>): Generator<string> {
  const stats = statSync(path, { throwIfNoEntry: false });
  const real = stats && realpathSync(path);
  if (!real || seen.has(real)) return;
  seen.add(real);
  if (stats.isFile()) yield real;
  if (stats.isDirectory()) yield* filesIn(real, seen);
}

/** Lists the files in a folder whose path contains no link, which saves a call for each file. */
function* filesIn(folder: string, seen: Set<string>): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) yield* filesAt(path, seen);
    else if (!seen.has(path)) {
      seen.add(path);
      if (entry.isFile()) yield path;
      if (entry.isDirectory()) yield* filesIn(path, seen);
    }
  }
}

function keyInOutput(files: readonly string[]): ArticlesError {
  const shown = files.slice(0, maxListedFiles).map((file) => relative('', file));
  const more = files.length > maxListedFiles ? ` and ${files.length - maxListedFiles} more` : '';
  return new ArticlesError(
    'key-in-output',
    `The API key was found in the build output: ${shown.join(', ')}${more}.`,
    {
      hint:
        'Do not publish this build. Find where a page or a script uses the key (a PUBLIC_ variable, ' +
        'import.meta.env in client code), and create a new key if an earlier build was published.',
    },
  );
}
