import { existsSync } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, extname, join, resolve, sep } from 'node:path';

/** The names of a site's config file, in the order in which Astro looks for them. */
export const configNames = ['mjs', 'js', 'ts', 'mts', 'cjs', 'cts'].map(
  (kind) => `astro.config.${kind}`,
);

const codeExtensions = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];

/** The texts of modules and of the local files that they name. */
export interface ModuleFiles {
  texts: string[];
  /** Whether every import is a file that was read, or an installed package. */
  isComplete: boolean;
}

/**
 * Reads modules, and every local file that they or their imports name with a relative path, such as a module or a
 * list of words. Files of linked packages are local. A file that a program finds in another way is not read.
 *
 * @param paths the absolute paths of files that exist
 */
export async function readModules(paths: readonly string[]): Promise<ModuleFiles> {
  const pending = [...paths];
  const texts = new Map<string, string>();
  let isComplete = paths.length > 0;
  for (let path = pending.pop(); path; path = pending.pop()) {
    if (texts.has(path)) continue;
    const text = await readFile(path, 'utf8').catch(() => '');
    texts.set(path, text);
    if (!codeExtensions.includes(extname(path))) continue;
    const packages = await Promise.all(
      importsOf(text).map((name) => filesOfPackage(name, dirname(path))),
    );
    isComplete &&= !packages.includes(undefined) && !computedImport.test(text);
    pending.push(...pathsIn(text, dirname(path)), ...packages.flatMap((files) => files ?? []));
  }
  const sorted = [...texts].sort(([a], [b]) => (a < b ? -1 : 1));
  return { texts: sorted.map(([, text]) => text), isComplete };
}

const relativePath = /(['"`])(\.{1,2}\/[^'"`\n]+)\1/g;

/** Finds the files that a module names with a relative path, not only its imports. */
function pathsIn(text: string, folder: string): string[] {
  const names = Array.from(text.matchAll(relativePath), ([, , name = '']) => name);
  return names.flatMap((name) => sourceFile(resolve(folder, name)) ?? []);
}

const importStatement =
  /^\s*(?:import|export)\s+(?!type\b)(?:[^'"`;]*?\bfrom\s*)?(['"])([^'"\n]+)\1/gm;
const computedImport = /\bimport\(\s*[^'"`\s)]/;
const dynamicImport = /\bimport\(\s*(['"`])([^'"`\n]+)\1/g;

/** Finds the imports of a module that are not relative paths. */
function importsOf(text: string): string[] {
  return [importStatement, dynamicImport]
    .flatMap((pattern) => Array.from(text.matchAll(pattern), ([, , name = '']) => name))
    .filter((name) => !name.startsWith('.') && !name.includes(':') && !isBuiltin(name));
}

/**
 * Finds the local files of an imported package: none if it is installed, because the lock file has its version.
 *
 * @returns undefined when the package is not installed, as for an alias
 */
async function filesOfPackage(name: string, folder: string): Promise<string[] | undefined> {
  const home = packageFolder(name, folder);
  if (!home) return undefined;
  const real = await realpath(home);
  const isInstalled = real.split(sep).includes('node_modules') || name === 'astro-articles';
  return isInstalled ? [] : codeFilesIn(real);
}

function sourceFile(path: string): string | undefined {
  const typed = path.replace(/\.([cm]?)js$/, '.$1ts');
  const endings = [...codeExtensions, '.json'];
  const guesses = endings.flatMap((end) => [path + end, join(path, `index${end}`)]);
  return [path, typed, ...guesses].find((guess) => extname(guess) && existsSync(guess));
}

/** Finds the folder of a package, searching upwards from the folder that imports it. */
export function packageFolder(name: string, folder: string): string | undefined {
  const [first = '', second = ''] = name.split('/');
  const home = join(folder, 'node_modules', first, first.startsWith('@') ? second : '');
  if (existsSync(home)) return home;
  const parent = dirname(folder);
  return parent === folder ? undefined : packageFolder(name, parent);
}

/** Lists the code files of a linked package, which can change without a change of the lock file. */
async function codeFilesIn(path: string): Promise<string[]> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isDirectory()) return stats && codeExtensions.includes(extname(path)) ? [path] : [];
  const names = await readdir(path);
  const own = names.filter((name) => name !== 'node_modules' && !name.startsWith('.'));
  return (await Promise.all(own.map((name) => codeFilesIn(join(path, name))))).flat();
}

const lockNames = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb'];

/** Reads the nearest lock files, searching upwards from a folder. */
export async function readLockFiles(folder: string): Promise<string[]> {
  const paths = lockNames.map((name) => join(folder, name)).filter((path) => existsSync(path));
  const parent = dirname(folder);
  if (paths.length === 0 && parent !== folder) return readLockFiles(parent);
  return Promise.all(paths.map((path) => readFile(path, 'latin1')));
}
