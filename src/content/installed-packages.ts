import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroConfig } from 'astro';
import { compareVersions } from '../images/safe-kinds.ts';

/** The packages of a site, as far as renderings and images depend on them. */
export interface InstalledPackages {
  /** The files that change with each package. */
  lockFiles: readonly string[];
  /** The package.json of Astro, and of what Astro renders Markdown with. */
  renderers: readonly string[];
  /** The oldest version of sharp that Astro may load; undefined if it finds none. */
  oldestSharp: string | undefined;
}

const lockNames =
  'npm-shrinkwrap.json package-lock.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb'.split(' ');
const rendererNames = ['astro', '@astrojs/markdown-satteri', '@astrojs/markdown-remark', 'shiki'];

/** Finds the packages of a site, also in the folders above it. */
export function findPackages({
  root,
  outDir,
}: Pick<AstroConfig, 'root' | 'outDir'>): InstalledPackages {
  const folder = fileURLToPath(root);
  const astro = realpathSync(nearest(folder, 'node_modules/astro') ?? folder);
  const findAll = (names: readonly string[], from: string) =>
    names.flatMap((name) => nearest(from, name) ?? []);
  return {
    lockFiles: findAll(lockNames, folder),
    renderers: findAll(
      rendererNames.map((name) => `node_modules/${name}/package.json`),
      astro,
    ),
    // `astro dev` imports it from Astro's folder, and a build from the output.
    oldestSharp: oldestSharp([fileURLToPath(outDir), astro]),
  };
}

/** Finds a path in a folder, or in the nearest folder above that has it. */
export function nearest(folder: string, name: string): string | undefined {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? undefined : nearest(dirname(folder), name);
}

/** Returns the oldest version of sharp that a module in one of these folders may import. */
function oldestSharp(importers: readonly string[]): string | undefined {
  const versions = importers.flatMap((folder) => {
    const path = nearest(folder, 'node_modules/sharp/package.json');
    return path ? [String(JSON.parse(readFileSync(path, 'utf8')).version)] : [];
  });
  return versions.sort(compareVersions)[0];
}
