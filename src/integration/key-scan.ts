import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { ArticlesError } from '../errors.ts';
import { createKeyFinder } from '../http/api-key.ts';
import { joinSome } from '../messages.ts';

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
  const finders = [...new Set(keys)].map(createKeyFinder);
  if (finders.length === 0) return;
  // Reads synchronously, which is three times as fast as `node:fs/promises`.
  const fileContains = (path: string) => {
    if (statSync(path).size > maxFileSize) return false;
    const text = readFileSync(path, 'latin1');
    return finders.some((isIn) => isIn(text));
  };
  // A folder may contain another folder.
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

/** Lists the files below a folder. Adapters link only to files that are in the output, too. */
function filesBelow(folder: string): string[] {
  const entries = readdirSync(resolve(folder), { recursive: true, withFileTypes: true });
  return entries.flatMap((each) => (each.isFile() ? join(each.parentPath, each.name) : []));
}
