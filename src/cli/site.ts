import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { configNames } from '../content/module-files.ts';
import { siteAt } from '../content/site-state.ts';
import { messageOf } from '../errors.ts';
import { readEnvironment } from '../options/environment.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { resolveOptions } from '../options/resolve-options.ts';
import { homeOf } from '../redirects/site-history.ts';
import { type Arguments, CommandError, folder, text } from './command.ts';

/** The facts about a site that commands need. */
export interface Site {
  root: string;
  cacheDir: string;
  /** The options of a build, without those in content.config. */
  options: ResolvedOptions;
  /** The URL of the published site, if astro.config names it. */
  home?: URL | undefined;
}

const mode = 'production';

/**
 * Reads the options of a site as its build does, with the site's own Astro. A folder without astro.config is a
 * site with all defaults.
 *
 * @throws {CommandError} when astro.config cannot be read
 * @throws {ArticlesOptionsError} when the address or the key is missing or invalid
 */
export async function openSite(given: Arguments): Promise<Site> {
  const start = folder(text(given, 'root') ?? '.');
  const name = configNames.find((candidate) => existsSync(join(start, candidate)));
  const cache = join(start, 'node_modules/.astro');
  const { root, cacheDir, envFolder, integration, home } = name
    ? await readConfig(start).catch(unreadable)
    : { root: start, cacheDir: cache, envFolder: start, integration: {}, home: undefined };
  const baseUrl = text(given, 'base-url');
  const mirrorDir = text(given, 'mirror-dir') || undefined;
  const options = resolveOptions({
    loader: { baseUrl, mirrorDir, offline: false },
    integration,
    environment: readEnvironment({ folder: envFolder, mode }),
    command: 'build',
  });
  return { root, cacheDir, options, home };

  function unreadable(error: unknown): never {
    throw new CommandError(
      `${name} cannot be read: ${messageOf(error)}`,
      'Install the packages of the site, and check that `npx astro sync` works there.',
    );
  }
}

/** Makes Astro run the hooks of the integrations. Ours passes its options on, and an observer keeps the config. */
async function readConfig(start: string) {
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
    integration: siteAt(config.root).integration?.options ?? {},
    home: homeOf(config),
  };
}
