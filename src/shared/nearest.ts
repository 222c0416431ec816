import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Finds a path in a folder, or in the nearest folder above that has it. */
export function nearest(folder: string, name: string): string | undefined {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? undefined : nearest(dirname(folder), name);
}
