import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { ArticlesError, joinSome } from '../errors.ts';
import { base64Forms, isSendable, keyPattern, minKeyLength } from '../http/api-key.ts';

/** In characters. Shorter keys that consist of words, such as `development`, would cause false positives. */
const minWordsLength = 20;
/** In bytes. Larger files are films and archives: V8 has no strings of this length. */
const maxFileSize = 2 ** 29 - 25;
const maxListedFiles = 20;

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
  // Reads synchronously, which is three times as fast as `node:fs/promises`.
  const fileContains = (path: string) => {
    if (statSync(path).size > maxFileSize) return false;
    const bytes = readFileSync(path);
    return finders.some((find) => find(bytes));
  };
  // One of the folders may contain another one.
  const files = new Set(folders.filter(existsSync).flatMap(filesBelow));
  for (const path of except) files.delete(resolve(path));
  const leaks = [...files].filter(fileContains);
  if (leaks.length === 0) return;
  const paths = leaks.map((file) => relative('', file));
  const message = `The API key was found in the build output: ${joinSome(paths, maxListedFiles)}.`;
  throw new ArticlesError('key-in-output', message, {
    hint:
      'Do not publish this build. Find where a page or a script uses the key (a PUBLIC_ variable, ' +
      'import.meta.env in client code), and create a new key if an earlier build was published.',
  });
}

/** Returns whether other texts of a site may contain the same characters: a short key, or one of a few words. */
function isOrdinaryText(key: string): boolean {
  const isWords = /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_](?:[A-Z]?[a-z]+|[A-Z]+))*$/.test(key);
  return key.length < (isWords ? minWordsLength : minKeyLength);
}

/** Creates a function that finds a key that is unchanged, escaped or in base64. */
function createFinder(key: string): (bytes: Buffer) => boolean {
  const pattern = new RegExp(keyPattern(key));
  // Escape sequences usually keep letters and digits, so most files need no regular expression.
  const [core = ''] = (key.match(/[a-z\d]+/gi) ?? []).toSorted((a, b) => b.length - a.length);
  const forms = base64Forms(key);
  return (bytes) =>
    (bytes.includes(core) && pattern.test(bytes.toString('latin1'))) ||
    forms.some((form) => bytes.includes(form));
}

/** Lists the files below a folder. Adapters link only to files that are in the output, too. */
function filesBelow(folder: string): string[] {
  const entries = readdirSync(resolve(folder), { recursive: true, withFileTypes: true });
  return entries.flatMap((each) => (each.isFile() ? join(each.parentPath, each.name) : []));
}
