import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { AstroConfig } from 'astro';
import { nearest } from './installed-packages.ts';

const maxFiles = 20_000;
// `name-<12 hexadecimal digits>/` is the folder of a mirror.
const uncountedName =
  /^(node_modules|\..*|.*-[0-9a-f]{12})\/$|^\.env|\.(astro|mdx?|mdoc|markdown|css|s[ac]ss|less|styl|a?png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|mov|webm|og[gv]|wav|flac|woff2?|[ot]tf|pdf|log)$/i;

/** Finds the files of code and data in a site's folder, and in linked packages, which no lock file covers. */
export function findFiles(root: string, config: AstroConfig, ignored: readonly string[]): string[] {
  const { publicDir, outDir, cacheDir } = config;
  const output = [publicDir, outDir, cacheDir].map((url) => fileURLToPath(url));
  const visited = new Set([...output, ...ignored].map((path) => resolve(root, path)));
  const folders = withLinkedPackages(root);
  const files: string[] = [];
  for (const folder of folders) {
    visited.add(realpathSync(folder));
    for (const { path, real, kind } of countedIn(folder)) {
      if (visited.has(path) || visited.has(real)) continue;
      visited.add(real);
      if (kind === 'folder') folders.add(path);
      else files.push(path);
      if (files.length > maxFiles) throw new Error(`there are more than ${maxFiles}`);
    }
  }
  return files.sort();
}

/** Returns the files and folders in a folder that count by their names. */
function countedIn(folder: string) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) {
      const real = realpathSync(path);
      return uncountedName.test(`${name}/`) ? [] : { path, real, kind: 'folder' as const };
    }
    const isCounted = stats?.isFile() && !uncountedName.test(name);
    return isCounted ? { path, real: path, kind: 'file' as const } : [];
  });
}

/** Returns a folder, and the packages that it depends on, also through one another, and that are not in node_modules. */
function withLinkedPackages(root: string): Set<string> {
  const folders = new Set([root]);
  for (const folder of folders) {
    const file = nearest(folder, 'package.json');
    const own = JSON.parse(file ? readFileSync(file, 'utf8') : '{}');
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
    for (const name of kinds.flatMap((kind) => Object.keys(own[kind] ?? {}))) {
      const path = nearest(folder, `node_modules/${name}`);
      const home = path && realpathSync(path);
      if (home && !home.includes('node_modules') && name !== 'astro-articles') folders.add(home);
    }
  }
  return folders;
}

/** Lists what Git ignores in a folder: nothing if Git is missing, or does not know the folder. */
export async function listIgnored(root: URL): Promise<string[]> {
  const cwd = fileURLToPath(root);
  // Outside of a repository, to start Git would only take time.
  if (!nearest(cwd, '.git')) return [];
  const args = ['ls-files', '-oiz', '--exclude-standard', '--directory'];
  // What finds Git and its settings. Any other variable may contain an API key.
  const { PATH, HOME, XDG_CONFIG_HOME } = process.env;
  const env = { PATH, HOME, XDG_CONFIG_HOME };
  const options = { cwd, env, maxBuffer: 2 ** 28 };
  const git = await promisify(execFile)('git', args, options).catch(() => undefined);
  return git?.stdout.split('\0') ?? [];
}
