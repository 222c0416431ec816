import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

export type Variables = Readonly<Record<string, string | undefined>>;
type LoadEnv = (mode: string, folder: string, prefix: string) => Variables;

/** The environment of a site: its process, and its .env files. */
export interface Environment {
  /** Vite's mode. */
  mode: string;
  /** The variables of the process and of the .env files. Variables of the process take precedence. */
  variables: Variables;
  /** The names of the variables in the .env files. */
  namesInFiles: readonly string[];
}

/**
 * Reads the environment of a site, with `loadEnv()` of Astro's own Vite, so that it reads the same files as Astro.
 * `ARTICLES_ALLOW_REMOVAL` is read from the process only: in a file, it would be forgotten.
 *
 * @param site the folder of the .env files, and Vite's mode, which selects `.env.[mode]`
 */
export function readEnvironment({ folder, mode }: { folder: string; mode: string }): Environment {
  const paths = [import.meta.dirname, folder];
  const astro = createRequire(import.meta.url).resolve('astro/package.json', { paths });
  const { loadEnv }: { loadEnv: LoadEnv } = createRequire(astro)('vite');
  const { ARTICLES_ALLOW_REMOVAL } = process.env;
  const files = ['.env', '.env.local', `.env.${mode}`, `.env.${mode}.local`];
  return {
    mode,
    variables: { ...loadEnv(mode, folder, ''), ARTICLES_ALLOW_REMOVAL },
    namesInFiles: files.flatMap((name) => variableNamesIn(join(folder, name))),
  };
}

function variableNamesIn(file: string): string[] {
  try {
    return Object.keys(parseEnv(readFileSync(file, 'utf8')));
  } catch {
    // Most sites have one or two of these files.
    return [];
  }
}
