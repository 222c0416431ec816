import { fileURLToPath } from 'node:url';
import type { Loader, LoaderContext } from 'astro/loaders';
import { createArticlesClient } from '../client/client.ts';
import { ArticlesError } from '../errors.ts';
import { mirrorFolder } from '../mirror/location.ts';
import { isDamage, type Mirror, openMirror } from '../mirror/mirror.ts';
import { readEnvironment } from '../options/environment.ts';
import { type ArticlesOptions, parseOptions, type ResolvedOptions } from '../options/options.ts';
import { resolveOptions } from '../options/resolve-options.ts';
import { annotate } from '../report/github-actions.ts';
import {
  describeOutcome,
  type LoadOutcome,
  type LoadReport,
  type Logger,
  noteWarnings,
} from '../report/load-report.ts';
import { createProgressLog } from '../report/progress.ts';
import { summarise } from '../report/summary.ts';
import { systemClock } from '../shared/clock.ts';
import { nameListing } from '../sync/listing-digest.ts';
import type { SyncProgress } from '../sync/sync.ts';
import { update } from '../sync/sync-or-keep.ts';
import { type Applied, applyToStore, type Source } from './reconcile.ts';
import { createRenderer } from './renderer.ts';
import { siteAt } from './site-state.ts';

/** The name by which Astro knows the loader, and `refreshContent` finds it. */
export const loaderName = 'astro-articles';

/**
 * A loader for Astro's content collections: every article of the service becomes an entry. Options
 * given here win over those of the integration, which win over the environment.
 *
 * @throws {ArticlesOptionsError} for an option that is unknown or out of range
 */
export function articlesLoader(options?: ArticlesOptions) {
  return createLoader(parseOptions(options, 'articlesLoader()'));
}

/** The loader for options that were checked. */
export function createLoader(given: ArticlesOptions) {
  return {
    name: loaderName,
    load: (context: LoaderContext) => loadAndReport(context, given),
  } satisfies Loader;
}

/** Loads, and leaves a report of it for the toolbar and for CI, however it ends. */
async function loadAndReport(context: LoaderContext, given: ArticlesOptions): Promise<void> {
  const started = systemClock.now();
  const { collection, config } = context;
  const { logger, warnings } = noteWarnings(context.logger);
  const leave = (outcome: LoadOutcome) => {
    const times = { at: systemClock.date(), duration: systemClock.now() - started };
    const report: LoadReport = { collection, ...times, warnings, ...outcome };
    siteAt(config.root).reports.set(collection, report);
    annotate(report);
  };
  try {
    leave(await load(context, { given, logger, started }));
  } catch (error) {
    leave({ status: 'failed', error: error instanceof Error ? error.message : String(error) });
    throw inCollection(error, collection);
  }
}

/** From the service to the mirror, and from the mirror to Astro's store. */
async function load(
  context: LoaderContext,
  { given, logger, started }: { given: ArticlesOptions; logger: Logger; started: number },
): Promise<LoadOutcome> {
  const site = siteAt(context.config.root);
  site.loads += 1;
  site.listings.delete(context.collection);
  const options = optionsFor(context, given);
  const mirror = await mirrorFor(context, options);
  if (context.watcher && !options.offline) {
    site.listings.set(context.collection, lookAt(mirror, options));
  }
  if (mirror.notice) logger.warn(mirror.notice);

  const before = mirror.index;
  const renderer = await createRenderer(context, { mirror, options });
  const { prepare, fingerprint } = renderer;
  const dev = Boolean(context.watcher);
  const log = createProgressLog((line) => logger.info(line), systemClock.now);
  const onProgress = (progress: SyncProgress) => {
    log(progress);
    site.onProgress?.(progress);
  };
  const updateMirror = () =>
    update(mirror, { options, logger, prepare, fingerprint, onProgress, dev });
  const updated = await updateMirror();
  if (updated.status === 'nothing') return describeOutcome({ before, mirror, updated });

  const repair = async (error: ArticlesError) => {
    logger.warn(`${error.message} It is fetched again.`);
    await updateMirror();
  };
  const applied = await applyRepaired(context, {
    mirror,
    renderer,
    options,
    logger,
    earlierImages: before.images,
    repair,
  });
  await mirror.hold(applied.held.files, before.images);
  await renderer.keepOnly(mirror.index.articles, applied.held.keys);
  const duration = systemClock.now() - started;
  const report = updated.status === 'synced' ? updated.report : undefined;
  logger.info(summarise({ before, after: mirror.index, report, applied, duration }));
  return describeOutcome({ before, mirror, updated, applied });
}

/** Names what the service lists, for whoever polls. */
function lookAt(mirror: Mirror, options: ResolvedOptions) {
  return async (signal: AbortSignal) => {
    // Only rows that tell the same as their articles show every change.
    const isTold = mirror.index.articles.every(({ listed }) => listed !== undefined);
    // A client counts what failed, so each look has its own.
    return isTold ? nameListing(createArticlesClient(options), signal) : undefined;
  };
}

/** A damaged file is gone once it was met, so that another sync fetches what it held. */
async function applyRepaired(
  context: LoaderContext,
  { repair, ...source }: Source & { repair: (error: ArticlesError) => Promise<void> },
): Promise<Applied> {
  const repaired = new Set<string>();
  for (;;) {
    try {
      return await applyToStore(context, source);
    } catch (error) {
      if (!isDamage(error) || source.options.offline || repaired.has(error.path)) throw error;
      repaired.add(error.path);
      await repair(error);
    }
  }
}

function optionsFor({ config, watcher }: LoaderContext, loader: ArticlesOptions): ResolvedOptions {
  const { handover, keys } = siteAt(config.root);
  const command = handover?.command ?? (watcher ? 'dev' : 'build');
  const mode = handover?.mode ?? (command === 'dev' ? 'development' : 'production');
  const folder = handover?.envDir ?? fileURLToPath(config.root);
  const environment = readEnvironment({ folder, mode });
  const integration = handover?.options ?? {};
  const options = resolveOptions({ loader, integration, environment, command });
  if (options.apiKey) keys.add(options.apiKey);
  return options;
}

async function mirrorFor(
  { config, collection }: LoaderContext,
  { mirrorDir, baseUrl }: ResolvedOptions,
): Promise<Mirror> {
  const site = { root: fileURLToPath(config.root), cacheDir: fileURLToPath(config.cacheDir) };
  const folder = mirrorFolder(site, { mirrorDir, collection });
  return openMirror(folder, { source: baseUrl, date: systemClock.date });
}

/** Astro prints neither the collection nor the loader with an error. */
function inCollection(error: unknown, collection: string): unknown {
  if (ArticlesError.is(error)) {
    error.message = `Collection "${collection}" (${loaderName}): ${error.message}`;
    // Where in this package it was found out helps nobody who reads the log of a build.
    error.stack = '';
  }
  return error;
}
