import { join, resolve } from 'node:path';

/** Where the mirror of a collection is: in a folder of the project, or else in Astro's cache. */
export function mirrorFolder(
  { root, cacheDir }: { root: string; cacheDir: string },
  { mirrorDir, collection }: { mirrorDir?: string | undefined; collection: string },
): string {
  const parent = mirrorDir ? resolve(root, mirrorDir) : join(cacheDir, 'astro-articles');
  return join(parent, collection);
}
