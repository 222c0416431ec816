import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ArticlesError } from '../errors.ts';

/** A shorter text stands in many files without being anybody's key. */
const shortestKey = 8;

/**
 * Ends a build that would publish an API key: contract, section 5, rule 4.
 *
 * @throws {ArticlesError} naming the files; the key is not repeated
 */
export async function checkForKeys(
  folders: readonly string[],
  keys: Iterable<string>,
): Promise<void> {
  const forms = [...keys].filter(({ length }) => length >= shortestKey).flatMap(formsOf);
  if (forms.length === 0) return;
  const leaks: string[] = [];
  for (const file of await filesIn(folders)) {
    const bytes = await readFile(file);
    if (forms.some((form) => bytes.includes(form))) leaks.push(file);
  }
  if (leaks.length > 0) throw keyInOutput(leaks);
}

/** As it is, as a URL holds it, and as JSON and JavaScript write it. */
function formsOf(key: string): string[] {
  return [...new Set([key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)])];
}

async function filesIn(folders: readonly string[]): Promise<string[]> {
  const files = new Set<string>();
  for (const folder of folders) {
    const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of found) if (entry.isFile()) files.add(join(entry.parentPath, entry.name));
  }
  return [...files].sort();
}

function keyInOutput(files: readonly string[]): ArticlesError {
  return new ArticlesError(
    'key-in-output',
    `The API key stands in what was built: ${files.join(', ')}.`,
    {
      hint:
        'Do not publish this build. Find where a page or a script uses the key (a PUBLIC_ variable, ' +
        'import.meta.env in client code), and make a new key if an earlier build was published.',
    },
  );
}
