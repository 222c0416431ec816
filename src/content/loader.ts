import type { Loader, LoaderContext } from 'astro/loaders';
import { ArticlesError, ArticlesOptionsError, messageOf, quote } from '../errors.ts';
import { createRedactLines } from '../http/api-key.ts';
import type { ArticlesOptions } from '../options/options.ts';
import { adviceOf } from '../report/advice.ts';
import { reportToGithub } from '../report/github-actions.ts';
import {
  countChanges,
  createProgressLog,
  hasNews,
  type LoadReport,
  printReport,
} from '../report/load-report.ts';
import { checkOptions } from '../shared/check-options.ts';
import { systemClock } from '../shared/clock.ts';
import { formatLines, type Logger } from '../shared/logger.ts';
import { describeFate } from '../sync/fate.ts';
import { commit } from '../sync/load.ts';
import { articleSchema } from './article-schema.ts';
import { schemaKey } from './entries.ts';
import { loadWithFallback } from './fallback.ts';
import type { LoadedCollection } from './load.ts';
import { type ArticlesLoaderOptions, loaderName, loaderSchema } from './loader-options.ts';
import { type OpenedLoad, openLoad } from './open-load.ts';
import { recordPageData } from './page-data.ts';
import { siteAt } from './site-state.ts';
import { reconcile, runOtherLoader } from './store.ts';

export { loaderName };

/**
 * Returns a loader for Astro's content collections: every article of the service becomes an entry. These
 * options override those of the integration, which override the environment.
 *
 * @throws {ArticlesOptionsError} for an option that is unknown or out of range
 */
export function articlesLoader(options: ArticlesLoaderOptions = {}) {
  checkOptions(loaderSchema, options, 'articlesLoader()');
  return createLoader(options);
}

/**
 * Returns the loader and the schema for `defineCollection`:
 *
 * ```ts
 * export const collections = { articles: defineCollection(articlesCollection()) };
 * ```
 *
 * @throws {ArticlesOptionsError} for an option that is unknown or out of range
 */
export function articlesCollection(options: ArticlesLoaderOptions = {}) {
  checkOptions(loaderSchema, options, 'articlesCollection()');
  const collection = { loader: createLoader(options), schema: articleSchema };
  return Object.defineProperties(collection, notALoader);
}

/** What Astro needs of a loader, and does not show to pages: it would say only "Invalid input". */
const notALoader = {
  name: { value: loaderName },
  load: {
    value() {
      const message = '`articlesCollection()` is not a loader, but a loader and its schema.';
      const hint =
        'Write `defineCollection(articlesCollection())`, or `loader: articlesLoader()` with a schema of your own.';
      throw new ArticlesOptionsError('invalid-options', message, { hint });
    },
  },
};

function createLoader({ with: other, ...options }: ArticlesLoaderOptions) {
  return {
    name: loaderName,
    async load(context: LoaderContext) {
      // In a refresh, the other loader still watches its files.
      const isRefresh = context.refreshContextData?.[loaderName] !== undefined;
      if (other && !isRefresh) await runOtherLoader(other, context);
      await loadAndReport(context, options);
    },
  } satisfies Loader;
}

const silent: Logger = { info() {}, warn() {}, debug() {} };

type Outcome = Omit<LoadReport, 'collection' | 'at' | 'duration'>;

/**
 * Loads the collection, and reports the result to the terminal, to GitHub and to the dev toolbar. A quiet load prints
 * nothing unless it has news.
 */
async function loadAndReport(
  context: LoaderContext,
  loaderOptions: ArticlesOptions,
  { isQuiet = false } = {},
): Promise<void> {
  const { collection, config } = context;
  const site = siteAt(config.root);
  site.collections.add(collection);
  // Articles may contain the key, for example in the URL of a cover.
  const redact = (text: string) => createRedactLines(site.keys)(text);
  // With several collections, equal lines would not say which collection they are about.
  const prefix = () => (site.collections.size > 1 ? `${collection}: ` : '');
  const logger = formatLines(context.logger, (line) => prefix() + redact(line));
  const started = systemClock.now();
  const report = (outcome: Outcome) => {
    const times = { at: systemClock.date(), duration: systemClock.now() - started };
    const full: LoadReport = { collection, ...times, ...mapTexts(outcome, redact) };
    const last = site.reports.get(collection);
    site.reports.set(collection, full);
    if (isQuiet && !hasNews(full, last)) return;
    printReport(full, logger);
    reportToGithub(full);
  };
  site.loads += 1;
  // A dev server may load it again by itself.
  const reload = () => loadAndReport(context, loaderOptions, { isQuiet: true });
  if (context.watcher) site.reloads.set(collection, reload);
  try {
    report(await loadAndApply(context, loaderOptions, isQuiet ? silent : logger));
  } catch (error) {
    if (ArticlesError.is(error)) error.redact(redact);
    const text = messageOf(error);
    report({ status: 'failed', error: text, notices: [] });
    // Astro's own message names neither the collection nor the loader.
    if (ArticlesError.is(error)) error.addNote(`The load of collection "${collection}" failed.`);
    throw error;
  }
}

/** Changes each text of a value of JSON. */
function mapTexts<T>(value: T, change: (text: string) => string): T {
  const text = JSON.stringify(value);
  return JSON.parse(text, (_, part) => (typeof part === 'string' ? change(part) : part));
}

/** Loads a collection: from the service to the mirror, and from the mirror to Astro's store. */
async function loadAndApply(
  context: LoaderContext,
  loaderOptions: ArticlesOptions,
  logger: Logger,
): Promise<Outcome> {
  const onProgress = createProgressLog((line) => logger.info(line), systemClock.now);
  const opened = await openLoad(context, loaderOptions, onProgress);
  const { notices, fingerprint } = opened;
  // Before the load writes its records, so that it is in the same pack.
  const inputs = opened.mirror.writeText(fingerprint.inputs);
  const result = await loadWithFallback(context, opened, logger);
  if (result.status === 'nothing') return { ...result, notices };

  const { loaded, status, error } = result;
  const { fates, entries, versions, load } = loaded;
  notices.push(...adviceOf([...versions.values()], load.options));
  const changes = countChanges(fates, { versions, before: load.before });
  const outcome = { status, error, notices, changes, traffic: load.client?.traffic() };
  if (load.sample) return outcome;
  reportRendered(loaded, opened, logger);
  if (status === 'synced') commit(loaded, load, inputs);
  reconcile(context.store, [...entries.values()]);
  context.meta.set(schemaKey, fingerprint.entries ?? '');
  recordPageData(context, loaded);

  for (const [id, fate] of fates) {
    if (fate.is !== 'shown' || fate.why)
      logger.debug(`Article ${quote(id)}: ${describeFate(fate)}`);
  }
  return outcome;
}

/** Says why a load has rendered all of its articles again, if it did. */
function reportRendered(
  { entries, versions, load }: LoadedCollection,
  { fingerprint: { inputs, reason }, mirror }: OpenedLoad,
  logger: Logger,
): void {
  const isNew = [...versions.values()].every((version) => 'leftOut' in version || version.isNew);
  if (load.before.size === 0 || entries.size === 0 || !isNew) return;
  const last = mirror.index.inputs && mirror.readText(mirror.index.inputs);
  const changed = last && changedInput(last, inputs);
  const why = reason ? `because ${reason}` : changed && `because of a change in ${changed}`;
  if (why) logger.info(`All ${entries.size} articles were rendered again, ${why}.`);
}

/** Returns the name of the first input of a fingerprint that differs. */
export function changedInput(before: string, now: string): string | undefined {
  const old = new Set(before.split('\n'));
  const changed = now.split('\n').find((line) => !old.delete(line)) ?? [...old][0];
  return changed?.slice(changed.indexOf(' ') + 1);
}
