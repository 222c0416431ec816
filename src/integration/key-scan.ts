import {
  closeSync,
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

/** In characters. Shorter keys would cause false positives. */
const minKeyLength = 8;
/** In bytes. */
const chunkSize = 2 ** 20;
/** A compressed file with more decompressed bytes is searched only as it is. */
const maxUnpacked = 2 ** 28;
const maxListedFiles = 20;
/** The length in bytes of the longest escape sequence that `characterPattern()` matches. */
const maxEscape = 8;

/**
 * Searches the build output for API keys (contract, section 5, rule 4).
 *
 * @throws {ArticlesError} `key-in-output` listing the files, without the key
 */
export function scanForKeys(folders: readonly string[], keys: Iterable<string>): void {
  const searched = [...new Set(keys)].filter(({ length }) => length >= minKeyLength);
  if (searched.length === 0) return;
  const finders = searched.map(createFinder);
  const isIn = (bytes: Buffer) => finders.some((find) => find(bytes));
  // A key may lie across two chunks.
  const overlap = Math.max(...searched.map(({ length }) => length)) * maxEscape;
  const buffer = Buffer.allocUnsafe(chunkSize + overlap);
  const seen = new Set<string>();
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

/** Creates a function that finds a key that is unchanged, escaped, URL-encoded or in base64. */
function createFinder(key: string): (bytes: Buffer) => boolean {
  const pattern = new RegExp([...key].map(characterPattern).join(''), 'i');
  // Escape sequences usually keep letters and digits, so most chunks need no regular expression.
  const [core = ''] = (key.match(/[a-z\d]+/gi) ?? []).toSorted((a, b) => b.length - a.length);
  const others = [
    // Some tools write every character of a text as an HTML entity.
    key.replace(/./g, (character) => `&#${character.charCodeAt(0)};`),
    key.replace(/./g, (character) => `&#x${hex(character)};`),
    ...[0, 1, 2].flatMap((offset) => base64Forms(key, offset)),
  ];
  return (bytes) =>
    (bytes.includes(core) && pattern.test(bytes.toString('latin1'))) ||
    others.some((form) => bytes.includes(form));
}

const entities: Record<string, string[]> = {
  '&': ['amp'],
  '<': ['lt'],
  '>': ['gt'],
  '"': ['quot'],
  "'": ['apos'],
};

/** Matches a character as it is, or escaped for JSON, JavaScript, a URL or HTML. */
function characterPattern(character: string): string {
  const code = hex(character);
  const names = [`#${character.charCodeAt(0)}`, `#x${code}`, ...(entities[character] ?? [])];
  return `(?:\\\\{0,3}(?:\\x${code}|u00${code}|x${code})|%${code}|&(?:${names.join('|')});)`;
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, '0');
}

/**
 * Returns the base64 characters that depend on the key alone, when it starts `offset` bytes into a group of
 * three.
 */
function base64Forms(key: string, offset: number): string[] {
  const text = Buffer.from('\0'.repeat(offset) + key).toString('base64');
  const bits = (bytes: number) => (bytes * 8) / 6;
  const form = text.slice(Math.ceil(bits(offset)), Math.floor(bits(offset + key.length)));
  return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
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
