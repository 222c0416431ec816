import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ArticlesMirrorError } from '../errors.ts';

const temporary = '.tmp';

/**
 * Writes a file so that it is there whole or not at all, whatever kills the process.
 *
 * @throws {ArticlesMirrorError} when it cannot be written; nothing is left behind then.
 */
export async function writeWhole(path: string, bytes: string | Uint8Array): Promise<void> {
  const aside = `${path}.${randomUUID()}${temporary}`;
  try {
    await writeFile(aside, bytes).catch(async (error) => {
      if (error.code !== 'ENOENT') throw error;
      await mkdir(dirname(path), { recursive: true });
      await writeFile(aside, bytes);
    });
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => undefined);
    throw unwritable(path, error);
  }
}

/** The names in a folder; none when it does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw unwritable(folder, error);
  });
}

/** Marks a file as used just now. */
export async function touch(path: string, date: number): Promise<void> {
  const time = new Date(date);
  await utimes(path, time, time).catch(() => undefined);
}

/**
 * Removes the files of a folder that are not to be kept and are older than `before`. A file that
 * cannot be removed costs room, nothing else.
 */
export async function sweep(
  folder: string,
  { keeps, before }: { keeps: (name: string) => boolean; before: number },
): Promise<void> {
  for (const name of await namesIn(folder).catch(() => [])) {
    if (keeps(name)) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found && found.mtimeMs < before) await rm(path, { force: true }).catch(() => undefined);
  }
}

function unwritable(path: string, error: unknown): ArticlesMirrorError {
  const code: unknown = error instanceof Error && Reflect.get(error, 'code');
  return new ArticlesMirrorError(
    'mirror-unwritable',
    `The mirror could not be written: ${path} (${String(code || error)}).`,
    {
      path,
      hint: 'Check that the folder may be written and the disk is not full. Nothing was changed.',
    },
  );
}
