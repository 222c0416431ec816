import {
  closeSync,
  createReadStream,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { ArticlesError } from '../errors.ts';
import { keyForms } from './key-forms.ts';

/** In characters. Shorter keys would cause false positives. */
const minKeyLength = 8;
const chunkSize = 2 ** 20;
/** The maximum number of decompressed bytes that are searched in a file. */
const maxUnpacked = 2 ** 28;
const maxListedFiles = 20;

/**
 * Searches the build output for API keys (contract, section 5, rule 4).
 *
 * @throws {ArticlesError} `key-in-output` listing the files, without the key
 */
export async function scanForKeys(
  folders: readonly string[],
  keys: Iterable<string>,
): Promise<void> {
  const searched = [...new Set(keys)].filter(({ length }) => length >= minKeyLength);
  if (searched.length === 0) return;
  const search = createSearch(searched);
  // Synchronous reads into one buffer are three times as fast as those of `node:fs/promises`.
  const buffer = Buffer.allocUnsafe(chunkSize + search.overlap);
  const leaks: string[] = [];
  for (const file of filesIn(folders)) {
    if (fileContains(file, search, buffer) || (await unpackedContains(file, search))) {
      leaks.push(file);
    }
  }
  if (leaks.length > 0) throw keyInOutput(leaks);
}

interface Search {
  /** Whether a chunk contains a key in any encoding. */
  matches(bytes: Buffer): boolean;
  /** The bytes of a chunk to search again with the next one, because a key may lie across both. */
  overlap: number;
}

function createSearch(keys: readonly string[]): Search {
  const groups = keys.flatMap((key) => {
    // Most encodings keep letters and digits, so one search excludes all of those.
    const [core = ''] = (key.match(/[a-z\d]+/gi) ?? []).toSorted((a, b) => b.length - a.length);
    const byCore = Map.groupBy(keyForms(key), (form) => (form.includes(core) ? core : ''));
    return [...byCore].map(([core, forms]) => ({ core, forms }));
  });
  const lengths = groups.flatMap(({ forms }) => forms.map(({ length }) => length));
  return {
    matches: (bytes) =>
      groups.some(
        ({ core, forms }) => bytes.includes(core) && forms.some((form) => bytes.includes(form)),
      ),
    overlap: Math.max(...lengths) - 1,
  };
}

function fileContains(path: string, { matches, overlap }: Search, buffer: Buffer): boolean {
  const file = openSync(path, 'r');
  try {
    let kept = 0;
    for (;;) {
      const size = readSync(file, buffer, kept, chunkSize, null);
      const end = kept + size;
      if (matches(buffer.subarray(0, end))) return true;
      if (size < chunkSize) return false;
      kept = overlap;
      buffer.copyWithin(0, end - kept, end);
    }
  } finally {
    closeSync(file);
  }
}

async function unpackedContains(path: string, { matches, overlap }: Search): Promise<boolean> {
  const isBrotli = path.endsWith('.br');
  if (!isBrotli && !path.endsWith('.gz')) return false;
  let found = false;
  let size = 0;
  const unpack = isBrotli ? createBrotliDecompress() : createGunzip();
  await pipeline(createReadStream(path), unpack, async (chunks: AsyncIterable<Buffer>) => {
    let tail = Buffer.alloc(0);
    for await (const chunk of chunks) {
      const bytes = Buffer.concat([tail, chunk]);
      size += chunk.length;
      found = matches(bytes);
      if (found || size > maxUnpacked) return;
      tail = bytes.subarray(-overlap);
    }
  }).catch(() => {
    // The file is not compressed, despite its name. Its bytes were already searched.
  });
  return found;
}

/** Lists the files below folders, each once. Follows symbolic links. */
function filesIn(folders: readonly string[]): Set<string> {
  const files = new Set<string>();
  const seen = new Set<string>();
  const enter = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) enter(path);
      else if (entry.isFile()) files.add(path);
      else if (entry.isSymbolicLink()) follow(path);
    }
  };
  const follow = (link: string) => {
    const stats = statSync(link, { throwIfNoEntry: false });
    if (!stats) return;
    const path = realpathSync(link);
    if (stats.isFile()) files.add(path);
    if (!stats.isDirectory() || seen.has(path)) return;
    seen.add(path);
    enter(path);
  };
  folders.forEach(follow);
  return files;
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
