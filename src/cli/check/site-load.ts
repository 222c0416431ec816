import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type SampleLoads, siteAt } from '../../content/site-state.ts';
import { ArticlesError, messageOf } from '../../errors.ts';
import type { LoadReport } from '../../report/load-report.ts';
import { CommandError } from '../command.ts';

const loaderName = 'astro-articles';
const configNames = ['astro.config', 'src/content.config'];
const extensions = ['mjs', 'js', 'ts', 'mts', 'cjs', 'cts'];

/** Whether a folder is that of a site. */
export function isSite(root: string): boolean {
  return configNames.some((name) =>
    extensions.some((ext) => existsSync(join(root, `${name}.${ext}`))),
  );
}

/** The load of one collection. */
export interface SiteLoad {
  collection: string;
  /** Absent when the site's own code failed first. */
  report?: LoadReport | undefined;
  error?: unknown;
}

/** Thrown by the last loader, so that Astro writes nothing. */
class Loaded extends Error {}

interface Loader {
  name: string;
  load(context: { collection: string }): Promise<void>;
}

/**
 * Lets the site's own Astro load the collections of this package with the site's configuration, and stops it before it
 * writes its store. Other collections are not loaded.
 *
 * @throws {ArticlesOptionsError} when an option of the site cannot be used
 * @throws {CommandError} when the site cannot be loaded for another reason
 */
export async function loadSite(root: string, sample: SampleLoads): Promise<SiteLoad[]> {
  let reports: ReadonlyMap<string, LoadReport> = new Map();
  const loads: SiteLoad[] = [];
  const observer: import('astro').AstroIntegration = {
    name: 'astro-articles:check',
    hooks: {
      'astro:config:setup': ({ config, updateConfig }) => {
        const source = fileURLToPath(config.srcDir).replaceAll('\\', '/');
        updateConfig({ vite: { plugins: [wrapContentConfig(source, onlyOwn)] } });
      },
      'astro:config:done': ({ config }) => {
        const site = siteAt(config.root);
        site.sample = sample;
        ({ reports } = site);
      },
    },
  };

  /** Returns the collections with loaders of which only those of this package load. */
  function onlyOwn(collections: Record<string, { loader?: unknown }>) {
    const loaded = Object.entries(collections).filter(([, { loader }]) => loader);
    let left = loaded.length;
    const end = () => {
      left -= 1;
      if (left === 0) throw new Loaded();
      return [];
    };
    const wrapped = loaded.map(([name, collection]) => {
      // Astro also accepts a function that returns entries.
      if (typeof collection.loader === 'function') return [name, { ...collection, loader: end }];
      const loader = collection.loader as Loader;
      const load: Loader['load'] = async (context) => {
        if (loader.name === loaderName) {
          let error: unknown;
          await loader.load(context).catch((reason: unknown) => {
            error = reason;
          });
          loads.push({ collection: name, report: reports.get(name), error });
        }
        end();
      };
      return [name, { ...collection, loader: { ...loader, load } }];
    });
    return { ...collections, ...Object.fromEntries(wrapped) };
  }

  try {
    // The Astro of the site, or the one next to this package.
    const paths = [root, import.meta.dirname];
    const path = createRequire(import.meta.url).resolve('astro', { paths });
    const { sync }: typeof import('astro') = await import(pathToFileURL(path).href);
    const cacheDir = sample.folder;
    await sync({ root, cacheDir, logLevel: 'error', integrations: [observer] });
  } catch (error) {
    if (ArticlesError.is(error)) throw error;
    if (!(error instanceof Loaded)) {
      throw new CommandError(
        `The site cannot be loaded: ${messageOf(error)}`,
        'Install the packages of the site, and check that `npx astro sync` works there.',
      );
    }
  }
  return loads;
}

/** Returns a Vite plugin that passes the collections of the site's content config through a function. */
function wrapContentConfig(source: string, wrap: (collections: never) => unknown) {
  const key = 'astro-articles.check';
  Object.assign(globalThis, { [key]: wrap });
  const isConfig = /^content(?:\.config|\/config)\.m?[jt]s$/;
  return {
    name: 'astro-articles:check',
    enforce: 'pre' as const,
    load(id: string) {
      if (!id.startsWith(source) || !isConfig.test(id.slice(source.length))) return undefined;
      const inner = JSON.stringify(`${id}?astro-articles-check`);
      return `import * as config from ${inner};
export const collections = globalThis[${JSON.stringify(key)}](config.collections ?? {});`;
    },
  };
}
