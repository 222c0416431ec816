import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Environment } from './resolve-options.ts';

type LoadEnv = (mode: string, folder: string, prefix: string | string[]) => Environment;

/**
 * Reads the variables with a prefix of the process and of the site's .env files, `ARTICLES_ALLOW_REMOVAL` of the process
 * only: in a file, it would be forgotten. It uses `loadEnv` of Astro's own Vite, so it reads the same files as Astro.
 * Variables of the process take precedence. Where Astro is not installed, only those are read.
 *
 * @param site the folder of the .env files, and Vite's mode, which selects `.env.[mode]`
 */
export function readEnvironment(
  { folder, mode }: { folder: string; mode: string },
  prefix: string | string[] = ['ARTICLES_', 'PUBLIC_ARTICLES_'],
): Environment {
  const loadEnv = findLoadEnv(import.meta.url) ?? findLoadEnv(join(folder, 'package.json'));
  const { ARTICLES_ALLOW_REMOVAL } = process.env;
  return { ...(loadEnv?.(mode, folder, prefix) ?? process.env), ARTICLES_ALLOW_REMOVAL };
}

function findLoadEnv(from: string): LoadEnv | undefined {
  try {
    const astro = createRequire(from).resolve('astro/package.json');
    return createRequire(astro)('vite').loadEnv;
  } catch {
    return undefined;
  }
}
