import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroConfig } from 'astro';
import { compareVersions } from '../images/safe-kinds.ts';

/** The packages of a site, as far as renderings and images depend on them. */
export interface InstalledPackages {
  /** The files that change with each package: the lock files, or else the lists of what is installed. */
  lockFiles: readonly string[];
  /** The package.json of Astro, and of what Astro renders Markdown with. */
  renderers: readonly string[];
  /** The oldest version of sharp that Astro may load; undefined if it finds none. */
  oldestSharp: string | undefined;
}

const lockNames =
  'npm-shrinkwrap.json package-lock.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb'.split(' ');
/** The lists of npm, pnpm and Yarn of what is installed. They differ between systems. */
const installedNames = [
  ...['node_modules/.package-lock.json', 'node_modules/.pnpm/lock.yaml'],
  ...['node_modules/.yarn-state.yml', 'node_modules/.yarn-integrity'],
];
const rendererNames = ['astro', '@astrojs/markdown-satteri', '@astrojs/markdown-remark', 'shiki'];

/** Finds the packages of a site, also in the folders above it. */
export function findPackages({
  root,
  outDir,
}: Pick<AstroConfig, 'root' | 'outDir'>): InstalledPackages {
  const folder = fileURLToPath(root);
  const astro = astroFolder(folder);
  const findAll = (names: readonly string[], from: string) =>
    names.flatMap((name) => nearest(from, name) ?? []);
  const locks = findAll(lockNames, folder);
  const packages = rendererNames.map((name) => `node_modules/${name}/package.json`);
  return {
    lockFiles: locks.length > 0 ? locks : findAll(installedNames, folder),
    renderers: findAll(packages, astro ?? folder),
    // `astro dev` imports it from Astro's folder, and a build from the output.
    oldestSharp: oldestSharp([fileURLToPath(outDir), ...(astro ? [astro] : [])]),
  };
}

/** Finds a path in a folder, or in the nearest folder above that has it. */
export function nearest(folder: string, name: string): string | undefined {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? undefined : nearest(dirname(folder), name);
}

/** Returns the folder of a site's Astro; undefined when it is not found. */
function astroFolder(folder: string): string | undefined {
  const path = nearest(folder, 'node_modules/astro');
  return path && realpathSync(path);
}

/** Returns the oldest version of sharp that a module in one of these folders may import. */
function oldestSharp(importers: readonly string[]): string | undefined {
  const versions = importers.flatMap((folder) => {
    const path = nearest(folder, 'node_modules/sharp/package.json');
    return path ? [String(JSON.parse(readFileSync(path, 'utf8')).version)] : [];
  });
  return versions.sort(compareVersions)[0];
}
