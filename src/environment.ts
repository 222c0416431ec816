import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

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

/** The flags of Astro's own command line that matter here; undefined when another program runs Astro. */
export function astroCommand(): { config?: string; force: boolean } | undefined {
  const [, program = '', ...args] = process.argv;
  if (!basename(program).startsWith('astro')) return undefined;
  const options = { config: { type: 'string' }, force: { type: 'boolean' } } as const;
  const { config, force } = parseArgs({ args, options, strict: false }).values;
  return { ...(typeof config === 'string' ? { config } : {}), force: force === true };
}
