import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  environmentPlace,
  loaderName,
  type SampleLoads,
  siteAt,
} from '../../content/site-state.ts';
import { ArticlesError, messageOf } from '../../errors.ts';
import { createRedactLines } from '../../http/api-key.ts';
import { readEnvironment } from '../../options/resolve-options.ts';
import type { LoadReport } from '../../report/load-report.ts';
import { CommandError } from '../command.ts';

/** The load of one collection. */
export interface SampleLoad {
  collection: string;
  /** Absent when the site's own code failed before the load. */
  report?: LoadReport | undefined;
  error?: unknown;
}

const extensions = ['mjs', 'js', 'ts', 'mts', 'cjs', 'cts'];

interface Collection {
  loader?: { name: string; load?(context: unknown): Promise<void> };
}

/** Thrown by the last loader, so that Astro writes nothing. */
class Loaded extends Error {}

/**
 * Lets the site's own Astro load the collections of this package with the site's configuration, and stops it before it
 * writes its store. Other collections are not loaded.
 *
 * @throws {CommandError} when the folder has no site, or its site cannot be loaded or has no collection of this package
 */
export async function loadSite(root: string, sample: SampleLoads): Promise<SampleLoad[]> {
  const isConfig = (name: string) =>
    extensions.some((each) => existsSync(join(root, `${name}.${each}`)));
  if (!['astro.config', 'src/content.config'].some(isConfig)) {
    const hint = 'Run the command in the folder of an Astro project, or name it with --root.';
    throw new CommandError(`${root} contains no Astro project.`, hint);
  }
  const loads: SampleLoad[] = [];
  let siteRoot = pathToFileURL(`${root}/`);
  let reports: ReadonlyMap<string, LoadReport> = new Map();
  const hook = 'astro-articles-check';
  Object.assign(globalThis, { [hook]: loadOwn });
  const observer: import('astro').AstroIntegration = {
    name: hook,
    hooks: {
      'astro:config:setup': ({ config, updateConfig }) => {
        siteRoot = config.root;
        const site = siteAt(siteRoot);
        site.sample = sample;
        ({ reports } = site);
        const { srcDir } = config;
        const source = existsSync(srcDir) && realpathSync.native(srcDir).replaceAll('\\', '/');
        const load = (id: string) =>
          extensions.some((extension) => id === `${source}/content.config.${extension}`)
            ? `import * as config from ${JSON.stringify(`${id}?${hook}`)};
               export const collections = globalThis['${hook}'](config.collections ?? {});`
            : undefined;
        updateConfig({ vite: { plugins: [{ name: hook, enforce: 'pre', load }] } });
      },
    },
  };

  /** Returns the collections of the content config, of which only those of this package load. */
  function loadOwn(collections: Record<string, Collection>) {
    let left = Object.keys(collections).length;
    const wrapped = Object.entries(collections).map(([collection, { loader, ...others }]) => {
      const load = async (context: unknown) => {
        if (loader?.name === loaderName) {
          const error = await loader.load?.(context).catch((reason: unknown) => reason);
          loads.push({ collection, report: reports.get(collection), error });
        }
        left -= 1;
        if (left === 0) throw new Loaded();
      };
      // A loader may be a function, without fields.
      return [collection, { ...others, loader: { name: collection, ...loader, load } }];
    });
    return Object.fromEntries(wrapped);
  }

  let problem = 'its content config has no collection with the loader of this package';
  try {
    // The Astro of the site, or the one next to this package.
    const paths = [root, import.meta.dirname];
    const path = createRequire(import.meta.url).resolve('astro', { paths });
    const { sync }: typeof import('astro') = await import(pathToFileURL(path).href);
    await sync({ root, cacheDir: sample.folder, logLevel: 'error', integrations: [observer] });
  } catch (error) {
    // Astro wraps the errors of a content config.
    for (const each of [error, Object(error).cause]) if (ArticlesError.is(each)) throw each;
    // The site's own code may print its variables.
    const { ARTICLES_API_KEY: key = '' } = readEnvironment(environmentPlace(siteRoot));
    const { apiKey = '' } = siteAt(siteRoot).integration?.options ?? {};
    problem =
      error instanceof Loaded ? problem : createRedactLines([key, apiKey])(messageOf(error));
  }
  if (loads.length > 0) return loads;
  throw new CommandError(
    `The site cannot be loaded: ${problem}`,
    'Install its packages, add `defineCollection({ loader: articlesLoader() })` to its content config, and check that `npx astro sync` works there.',
  );
}
