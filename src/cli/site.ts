import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { configNames } from '../content/config-files.ts';
import { siteAt } from '../content/site-state.ts';
import { messageOf } from '../errors.ts';
import { readEnvironment } from '../options/environment.ts';
import type { ArticlesOptions, ResolvedOptions } from '../options/options.ts';
import { resolveOptions } from '../options/resolve-options.ts';
import { CommandError } from './command.ts';

/** The facts about a site that commands need. */
export interface Site {
  root: string;
  cacheDir: string;
  /** The folder of its .env files. */
  envFolder: string;
  /** The options of `articles()` in astro.config. */
  options: ArticlesOptions;
}

const mode = 'production';

/**
 * Reads a site's astro.config with the site's own Astro. A folder without one is a site with all
 * defaults.
 *
 * @throws {CommandError} when astro.config cannot be read
 */
export async function readSite(root: string): Promise<Site> {
  const name = configNames.find((candidate) => existsSync(join(root, candidate)));
  if (!name) {
    return { root, cacheDir: join(root, 'node_modules/.astro'), envFolder: root, options: {} };
  }
  try {
    return await readConfig(root);
  } catch (error) {
    throw new CommandError(
      `${name} cannot be read: ${messageOf(error)}`,
      'Install the packages of the site, and check that `npx astro sync` works there.',
    );
  }
}

/**
 * Resolves the options as a build of the site does.
 *
 * @throws {ArticlesOptionsError} when the address or the key is missing or invalid
 */
export function optionsOf(site: Site, loader: ArticlesOptions): ResolvedOptions {
  const environment = readEnvironment({ folder: site.envFolder, mode });
  return resolveOptions({ loader, integration: site.options, environment, command: 'build' });
}

/** Makes Astro run the hooks of the integrations. Ours passes its options on, and an observer keeps the config. */
async function readConfig(start: string): Promise<Site> {
  let config: import('astro').AstroConfig | undefined;
  const observer: import('astro').AstroIntegration = {
    name: 'astro-articles:observer',
    hooks: {
      'astro:config:done': (done) => {
        config = done.config;
      },
    },
  };
  const inline = { root: start, mode, logLevel: 'error' as const, integrations: [observer] };
  // The Astro of the site, or the one next to this package.
  const paths = [start, import.meta.dirname];
  const path = createRequire(import.meta.url).resolve('astro/config', { paths });
  const { getViteConfig }: typeof import('astro/config') = await import(pathToFileURL(path).href);
  const { envDir } = await getViteConfig({}, inline)({ mode, command: 'build' });
  if (!config) throw new Error('Astro did not call the integrations');
  const root = fileURLToPath(config.root);
  return {
    root,
    cacheDir: fileURLToPath(config.cacheDir),
    envFolder: envDir ? resolve(root, envDir) : root,
    options: siteAt(config.root).integration?.options ?? {},
  };
}
