import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

export type Environment = Readonly<Record<string, string | undefined>>;

type LoadEnv = (mode: string, folder: string, prefix: string) => Environment;

const prefix = 'ARTICLES_';

/**
 * Reads the `ARTICLES_` variables of the environment and of the site's .env files. It uses the `loadEnv`
 * of Astro's own Vite, so that the same files count as for Astro. Variables of the process take
 * precedence.
 *
 * @param options the folder of the .env files, and Vite's mode, which selects `.env.[mode]`
 */
export function readEnvironment({ folder, mode }: { folder: string; mode: string }): Environment {
  const loadEnv = findLoadEnv(import.meta.url) ?? findLoadEnv(join(folder, 'package.json'));
  return (loadEnv ?? loadPlainEnv)(mode, folder, prefix);
}

function findLoadEnv(from: string): LoadEnv | undefined {
  try {
    const astro = createRequire(from).resolve('astro/package.json');
    return createRequire(astro)('vite').loadEnv;
  } catch {
    return undefined;
  }
}

/** Reads the .env files of a folder without Astro, for the command line. Variables are not expanded. */
function loadPlainEnv(mode: string, folder: string): Environment {
  const names = ['.env', '.env.local', `.env.${mode}`, `.env.${mode}.local`];
  const files = names.map((name) => parseEnv(readText(join(folder, name))));
  const variables: Environment = Object.assign({}, ...files, process.env);
  return Object.fromEntries(Object.entries(variables).filter(([name]) => name.startsWith(prefix)));
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
