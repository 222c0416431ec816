import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroConfig } from 'astro';
import { compareVersions } from '../images/safe-kinds.ts';

/** Finds a path in a folder, or in the nearest folder above that has it. */
export function nearest(folder: string, name: string): string | undefined {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? undefined : nearest(dirname(folder), name);
}

/** Returns the folder of a site's Astro; undefined when it is not found. */
export function astroFolder(root: string): string | undefined {
  const path = nearest(root, 'node_modules/astro');
  return path && realpathSync(path);
}

/**
 * Returns the oldest version of sharp that Astro may load: `astro dev` imports it from Astro's folder, and a build from
 * the output.
 */
export function oldestSharp({ root, outDir }: Pick<AstroConfig, 'root' | 'outDir'>) {
  const importers = [fileURLToPath(outDir), astroFolder(fileURLToPath(root))];
  const versions = importers.flatMap((folder) => {
    const path = folder && nearest(folder, 'node_modules/sharp/package.json');
    return path ? [String(JSON.parse(readFileSync(path, 'utf8')).version)] : [];
  });
  return versions.sort(compareVersions)[0];
}
