import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { configNames } from '../content/config-files.ts';
import { siteAt } from '../content/site-state.ts';
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

type AstroConfig = import('astro').AstroConfig;
type AstroIntegration = import('astro').AstroIntegration;

const mode = 'production';

/**
 * Reads a site's astro.config with the site's own Astro. A folder without one is a site with all
 * defaults.
 *
 * @throws {CommandError} when astro.config cannot be read
 */
export async function readSite(root: string): Promise<Site> {
  const name = configNames.find((candidate) => existsSync(join(root, candidate)));
  const plain: Site = {
    root,
    cacheDir: join(root, 'node_modules/.astro'),
    envFolder: root,
    options: {},
  };
  if (!name) return plain;
  const { config, envDir } = await readConfig(root).catch((error) => {
    throw unreadable(name, error);
  });
  const folder = fileURLToPath(config.root);
  return {
    root: folder,
    cacheDir: fileURLToPath(config.cacheDir),
    envFolder: envDir ? resolve(folder, envDir) : folder,
    options: siteAt(config.root).handover?.options ?? {},
  };
}

/**
 * Resolves the options as a build of the site does.
 *
 * @throws {ArticlesOptionsError} when the address or the key is missing or invalid
 */
export function optionsOf(site: Site, given: ArticlesOptions): ResolvedOptions {
  const environment = readEnvironment({ folder: site.envFolder, mode });
  return resolveOptions({
    loader: given,
    integration: site.options,
    environment,
    command: 'build',
  });
}

/** Makes Astro run the hooks of the integrations. Ours passes its options on, and an observer keeps the config. */
async function readConfig(
  root: string,
): Promise<{ config: AstroConfig; envDir: string | false | undefined }> {
  const { getViteConfig } = await importFrom(root, 'astro/config');
  let config: AstroConfig | undefined;
  const observer: AstroIntegration = {
    name: 'astro-articles:observer',
    hooks: {
      'astro:config:done': (done) => {
        config = done.config;
      },
    },
  };
  const inline = { root, mode, logLevel: 'error' as const, integrations: [observer] };
  const vite = await getViteConfig({}, inline)({ mode, command: 'build' });
  if (!config) throw new Error('Astro did not call the integrations');
  return { config, envDir: vite.envDir };
}

async function importFrom(root: string, name: string): Promise<typeof import('astro/config')> {
  const path = [join(root, 'package.json'), import.meta.url]
    .map((start) => resolved(start, name))
    .find((found) => found !== undefined);
  if (!path) throw new Error('Astro is not installed');
  return import(pathToFileURL(path).href);
}

function resolved(start: string, name: string): string | undefined {
  try {
    return createRequire(start).resolve(name);
  } catch {
    return undefined;
  }
}

function unreadable(name: string, error: unknown): CommandError {
  const message = error instanceof Error ? error.message : String(error);
  return new CommandError(
    `${name} cannot be read: ${message}`,
    'Install the packages of the site, and check that `npx astro sync` works there.',
  );
}
