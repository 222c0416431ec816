import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { init, parse } from 'es-module-lexer';

/** The names of a site's config file, in the order in which Astro looks for them. */
export const configNames = ['mjs', 'js', 'ts', 'mts', 'cjs', 'cts'].map(
  (kind) => `astro.config.${kind}`,
);

/**
 * Reads the site's config files.
 *
 * @returns `isPure`: whether their result depends only on their code and on installed packages, whose versions
 *   are in the lock file
 */
export async function readConfigFiles(root: string): Promise<{ texts: string[]; isPure: boolean }> {
  const config = configNames.find((name) => existsSync(join(root, name)));
  // Expressive Code reads its own config file.
  const names = [config, 'ec.config.mjs'].filter((name) => name && existsSync(join(root, name)));
  const texts = await Promise.all(names.map((name) => readFile(join(root, name ?? ''), 'utf8')));
  const pure = await Promise.all(texts.map((text) => isPure(text, root)));
  return { texts, isPure: config !== undefined && !pure.includes(false) };
}

// Matches names that make the result of a module depend on more than its code.
const impure =
  /\b(?:process|fetch|require|createRequire|loadEnv|eval|globalThis|Deno|Bun|Date|random)\b|\bimport\s*\.\s*meta\s*\.\s*(?!url\b|dirname\b|filename\b)/;
const pureBuiltins = ['url', 'path'];

async function isPure(text: string, root: string): Promise<boolean> {
  if (impure.test(text)) return false;
  await init;
  try {
    const [imports] = parse(text);
    const pure = imports.map(({ n: name, d }) => d === -2 || isUnchanging(name, root));
    return !(await Promise.all(pure)).includes(false);
  } catch {
    // es-module-lexer does not support all of TypeScript.
    return false;
  }
}

/** Whether an import is an installed package. A local file or a linked package may change at any time. */
async function isUnchanging(name: string | undefined, root: string): Promise<boolean> {
  if (name === undefined || /^\.{0,2}\//.test(name)) return false;
  if (isBuiltin(name)) return pureBuiltins.includes(name.replace('node:', ''));
  if (name === 'astro-articles') return true;
  const folder = packageFolder(name, root);
  return folder !== undefined && (await realpath(folder)).split(sep).includes('node_modules');
}

/** Finds the folder of a package, searching upwards from the folder that imports it. */
export function packageFolder(name: string, folder: string): string | undefined {
  const [first = '', second = ''] = name.split('/');
  const home = join(folder, 'node_modules', first, first.startsWith('@') ? second : '');
  if (existsSync(home)) return home;
  const parent = dirname(folder);
  return parent === folder ? undefined : packageFolder(name, parent);
}
