import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { parseArgs, parseEnv } from 'node:util';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Vite's `loadEnv`: the variables with the prefix, those of the process before those of files. */
type LoadEnv = (mode: string, folder: string, prefix: string) => Record<string, string>;

const prefix = 'ARTICLES_';

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
  const loadEnv = viteOf(import.meta.url) ?? viteOf(join(site.folder, 'package.json'));
  return (loadEnv ?? loadPlainEnv)(site.mode, site.folder, prefix);
}

function viteOf(start: string): LoadEnv | undefined {
  try {
    const astro = createRequire(start).resolve('astro/package.json');
    return createRequire(astro)('vite').loadEnv;
  } catch {
    return undefined;
  }
}

/** For a folder without Astro, where only the command line runs. Variables are not expanded. */
function loadPlainEnv(mode: string, folder: string): Environment {
  const names = ['.env', '.env.local', `.env.${mode}`, `.env.${mode}.local`];
  const layers = names.map((name) => parseEnv(readText(join(folder, name))));
  return Object.fromEntries(
    Object.entries(Object.assign({}, ...layers, process.env)).filter(([name]) =>
      name.startsWith(prefix),
    ),
  ) as Environment;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The flags of Astro's own command line that matter here; undefined when another program runs Astro. */
export function astroCommand(): { config?: string; force: boolean } | undefined {
  const [, program = '', ...args] = process.argv;
  if (!basename(program).startsWith('astro')) return undefined;
  const options = { config: { type: 'string' }, force: { type: 'boolean' } } as const;
  const { config, force } = parseArgs({ args, options, strict: false }).values;
  return { ...(typeof config === 'string' ? { config } : {}), force: force === true };
}
