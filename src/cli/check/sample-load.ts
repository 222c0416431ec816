import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pLimit from 'p-limit';
import { createArticlesClient } from '../../client/client.ts';
import { readListing } from '../../client/listing/reading.ts';
import { loaderName, type SampleLoads, siteAt } from '../../content/site-state.ts';
import {
  ArticlesError,
  ArticlesInvalidError,
  ArticlesListingError,
  messageOf,
} from '../../errors.ts';
import { recordOf } from '../../mirror/formats.ts';
import type { ResolvedOptions } from '../../options/options.ts';
import { readEnvironment, resolveOptions } from '../../options/resolve-options.ts';
import { titleDecoder } from '../../render/text.ts';
import type { LoadReport } from '../../report/load-report.ts';
import { systemClock } from '../../shared/clock.ts';
import { type ListedRow, sampleRows, sampleSize, spread } from '../../sync/list.ts';
import { CommandError } from '../command.ts';

/** The load of one collection. */
export interface SampleLoad {
  collection: string;
  /** Absent without a site, and when the site's own code failed before the load. */
  report?: LoadReport | undefined;
  error?: unknown;
}

const extensions = ['mjs', 'js', 'ts', 'mts', 'cjs', 'cts'];
const timeLimit = 300_000;

/** Whether a folder is that of a site. */
export function isSite(root: string): boolean {
  return ['astro.config', 'src/content.config'].some((name) =>
    extensions.some((extension) => existsSync(join(root, `${name}.${extension}`))),
  );
}

interface Collection {
  loader?: { name: string; load?(context: unknown): Promise<void> };
}

/** Thrown by the last loader, so that Astro writes nothing. */
class Loaded extends Error {}

/**
 * Lets the site's own Astro load the collections of this package with the site's configuration, and stops it before it
 * writes its store. Other collections are not loaded.
 *
 * @throws {CommandError} when the site cannot be loaded, or has no collection of this package
 */
export async function loadSite(root: string, sample: SampleLoads): Promise<SampleLoad[]> {
  const loads: SampleLoad[] = [];
  let reports: ReadonlyMap<string, LoadReport> = new Map();
  const hook = 'astro-articles-check';
  Object.assign(globalThis, { [hook]: loadOwn });
  const observer: import('astro').AstroIntegration = {
    name: hook,
    hooks: {
      'astro:config:setup': ({ config, updateConfig }) => {
        const site = siteAt(config.root);
        site.sample = sample;
        ({ reports } = site);
        const source = fileURLToPath(config.srcDir).replaceAll('\\', '/');
        const load = (id: string) =>
          extensions.some((extension) => id === `${source}content.config.${extension}`)
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
    if (ArticlesError.is(error)) throw error;
    problem = error instanceof Loaded ? problem : messageOf(error);
  }
  if (loads.length > 0) return loads;
  throw new CommandError(
    `The site cannot be loaded: ${problem}`,
    'Install its packages, add `defineCollection(articlesCollection())` to its content config, and check that `npx astro sync` works there.',
  );
}

/** @throws {ArticlesOptionsError} when the address or the key is missing or unusable */
export function serviceOptions(folder: string, baseUrl: string | undefined): ResolvedOptions {
  const environment = readEnvironment({ folder, mode: 'production' });
  return resolveOptions({
    loader: { baseUrl },
    integration: {},
    environment: { ...environment, ARTICLES_OFFLINE: '' },
    command: 'build',
  });
}

/**
 * Loads a part of a service without a site, and renders nothing.
 *
 * @param read collects what was read
 * @throws {ArticlesError} when the listing or an article cannot be used
 */
export async function loadService(options: ResolvedOptions, read: SampleLoads['read']) {
  read.set('', { rows: [], options });
  const decodeTitle = titleDecoder(options.format);
  const client = createArticlesClient(options, { decodeTitle });
  const call = { deadline: systemClock.now() + timeLimit };
  const rows = new Map<string, ListedRow>();
  const { ids, problems, count } = await readListing(client, {
    ...options,
    decodeTitle,
    newest: sampleRows(options),
    onRows(page) {
      for (const { article, ...row } of page)
        rows.set(row.id, { ...row, record: article && recordOf(article) });
    },
    call,
  });
  if (ids.length + problems.length === 0) {
    throw new ArticlesListingError('mass-removal', 'The service lists no articles.');
  }
  const listed = ids.flatMap((id) => rows.get(id) ?? []);
  read.set('', { rows: listed, count, options });
  const queue = pLimit(options.concurrency);
  const reasons = await queue.map(spread(listed, sampleSize), async ({ id }) => {
    const article = await client.getArticle(id, call).catch(messageOf);
    const reason = article === undefined ? 'the service responds 404' : article;
    return typeof reason === 'string' ? { id, reason } : [];
  });
  problems.push(...reasons.flat());
  if (problems.length > 0) throw new ArticlesInvalidError(problems);
}
