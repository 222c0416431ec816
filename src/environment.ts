import { createRequire } from 'node:module';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the ARTICLES_ variables of the environment and of the site's .env files, as Astro does: with
 * the `loadEnv` of the Vite that Astro itself uses, since Vite is no dependency of ours.
 */
export function readEnvironment(site: {
  /** The folder of its .env files. */
  folder: string;
  /** Vite's mode: decides which .env.[mode] files count. */
  mode: string;
}): Environment {
  const astro = createRequire(import.meta.url).resolve('astro/package.json');
  const { loadEnv } = createRequire(astro)('vite');
  return loadEnv(site.mode, site.folder, 'ARTICLES_');
}
