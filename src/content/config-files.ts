import { existsSync } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, extname, join, resolve, sep } from 'node:path';

/** The names of a site's config file, in the order in which Astro looks for them. */
export const configNames = ['mjs', 'js', 'ts', 'mts', 'cjs', 'cts'].map(
  (kind) => `astro.config.${kind}`,
);
const lockNames = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb'];
const specifier = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*(['"])((?:(?!\1)[^\\\n])+)\1/g;
// An import of something that only running the code would tell.
const computed = /\b(?:import|require)\s*\((?!\s*(?:'[^'\n]*'|"[^"\n]*")\s*[,)])|\bcreateRequire\b/;
const code = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.json']);

/**
 * Reads a site's config file and every local file that it imports, linked packages included.
 *
 * @param chosen the config file, where the command line names one
 * @returns their texts in a fixed order, or undefined when they cannot all be told
 */
export async function readConfigFiles(
  root: string,
  chosen?: string,
): Promise<string[] | undefined> {
  const start = chosen
    ? resolve(root, chosen)
    : configNames.map((name) => join(root, name)).find((path) => existsSync(path));
  if (!start) return undefined;

  const texts = new Map<string, string>();
  const pending = [start];
  for (let path = pending.pop(); path; path = pending.pop()) {
    if (texts.has(path)) continue;
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    texts.set(path, text);
    if (computed.test(text)) return undefined;
    for (const name of extname(path) === '.json' ? [] : importsIn(text)) {
      const found = await localFiles(name, dirname(path));
      if (!found) return undefined;
      pending.push(...found);
    }
  }
  return [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
}

/** More than are imported, rather than fewer: what looks like one in a comment counts, too. */
function importsIn(text: string): string[] {
  return [...text.matchAll(specifier)].map(([, , name = '']) => name);
}

/** The lock files nearest to a folder, upwards: they name the version of every package. */
export async function readLockFiles(folder: string): Promise<string[]> {
  const found = lockNames.map((name) => join(folder, name)).filter((path) => existsSync(path));
  const parent = dirname(folder);
  if (found.length === 0 && parent !== folder) return readLockFiles(parent);
  return Promise.all(found.map((path) => readFile(path, 'latin1')));
}

/** What an import brings in of the site's own; nothing for a package that the lock file covers. */
async function localFiles(name: string, folder: string): Promise<string[] | undefined> {
  if (isBuiltin(name) || /^[a-z]+:/.test(name)) return [];
  if (/^\.{0,2}\//.test(name)) {
    const source = sourceFile(resolve(folder, name));
    return source ? [source] : undefined;
  }
  const home = packageFolder(name, folder);
  if (!home) return undefined;
  const real = await realpath(home);
  // This package has its version in every fingerprint.
  const isInstalled = real.split(sep).includes('node_modules') || name === 'astro-articles';
  return isInstalled ? [] : codeBelow(real);
}

function sourceFile(path: string): string | undefined {
  const typed = path.replace(/\.([cm]?)js$/, '.$1ts');
  const candidates = [
    path,
    typed,
    ...[...code].flatMap((end) => [path + end, join(path, `index${end}`)]),
  ];
  return candidates.find((candidate) => extname(candidate) && existsSync(candidate));
}

/** Where a package is, as seen from a folder. */
export function packageFolder(name: string, folder: string): string | undefined {
  const [first = '', second = ''] = name.split('/');
  const home = join(folder, 'node_modules', first, first.startsWith('@') ? second : '');
  if (existsSync(home)) return home;
  const parent = dirname(folder);
  return parent === folder ? undefined : packageFolder(name, parent);
}

/** The code of a linked package: it changes without the lock file. */
async function codeBelow(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) return found && code.has(extname(path)) ? [path] : [];
  const names = await readdir(path);
  const own = names.filter((name) => name !== 'node_modules' && !name.startsWith('.'));
  return (await Promise.all(own.map((name) => codeBelow(join(path, name))))).flat();
}
