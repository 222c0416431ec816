import { existsSync } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, extname, join, resolve, sep } from 'node:path';
import { init, parse } from 'es-module-lexer';

/** The names of a site's config file, in the order in which Astro looks for them. */
export const configNames = ['mjs', 'js', 'ts', 'mts', 'cjs', 'cts'].map(
  (kind) => `astro.config.${kind}`,
);

const codeExtensions = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];

/**
 * Reads the site's config file and every local file that it imports, also of linked packages.
 *
 * @param configPath the path of the config file from the command line
 * @returns `isPure`: whether the result of these modules depends only on their code
 */
export async function readConfigFiles(
  root: string,
  configPath: string | undefined,
): Promise<{ texts: string[]; isPure: boolean }> {
  const names = configPath ? [configPath] : configNames;
  const config = names.map((name) => resolve(root, name)).find((path) => existsSync(path));
  // Expressive Code reads its own config file.
  const pending = [config, join(root, 'ec.config.mjs')].filter((path) => path && existsSync(path));
  const texts = new Map<string, string>();
  let isPure = config !== undefined;
  for (let path = pending.pop(); path; path = pending.pop()) {
    if (texts.has(path)) continue;
    const text = await readFile(path, 'utf8').catch(() => '');
    texts.set(path, text);
    const imports = extname(path) === '.json' ? [] : await readImports(text, path);
    pending.push(...(imports ?? []));
    isPure &&= imports !== undefined;
  }
  return { texts: [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text), isPure };
}

// Matches names that make the result of a module depend on more than its code.
const impure =
  /\b(?:process|fetch|require|createRequire|loadEnv|eval|globalThis|Deno|Bun|Date|random)\b|\bimport\s*\.\s*meta\s*\.\s*(?!url\b|dirname\b|filename\b)/;
const pureBuiltins = ['url', 'path'];

/**
 * Finds the local files that a module imports.
 *
 * @returns undefined when an import cannot be resolved, or when the module may use files, the environment, the
 *   network or the time
 */
async function readImports(text: string, path: string): Promise<string[] | undefined> {
  if (!codeExtensions.includes(extname(path)) || impure.test(text)) return undefined;
  await init;
  try {
    const [imports] = parse(text);
    const isType = ({ ss, s }: { ss: number; s: number }) =>
      /^(?:import|export)\s+type\b/.test(text.slice(ss, s));
    const names = imports.filter(({ d }) => d !== -2).filter((each) => !isType(each));
    const resolved = names.map(({ n }) =>
      n === undefined ? undefined : localFiles(n, dirname(path)),
    );
    const files = await Promise.all(resolved);
    return files.includes(undefined) ? undefined : files.flatMap((each) => each ?? []);
  } catch {
    // es-module-lexer does not support all of TypeScript.
    return undefined;
  }
}

/** Finds the local files of an import: none for an installed package, whose version is in the lock file. */
async function localFiles(name: string, folder: string): Promise<string[] | undefined> {
  if (isBuiltin(name)) return pureBuiltins.includes(name.replace('node:', '')) ? [] : undefined;
  if (/^\.{0,2}\//.test(name)) {
    const source = sourceFile(resolve(folder, name));
    return source ? [source] : undefined;
  }
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
