import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const lockNames = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb'];

/** Reads the nearest lock files, searching upwards from a folder. */
export async function readLockFiles(folder: string): Promise<string[]> {
  const paths = lockNames.map((name) => join(folder, name)).filter((path) => existsSync(path));
  const parent = dirname(folder);
  if (paths.length === 0 && parent !== folder) return readLockFiles(parent);
  return Promise.all(paths.map((path) => readFile(path, 'latin1')));
}
