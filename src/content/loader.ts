import type { LoaderContext } from 'astro/loaders';
import { createArticlesClient } from '../client/client.ts';
import {
  ArticlesError,
  ArticlesListingError,
  ArticlesMirrorError,
  ArticlesRequestError,
  mapTexts,
  messageOf,
  quote,
} from '../errors.ts';
import { bestEffort } from '../mirror/files.ts';
import type { ArticlesOptions } from '../options/options.ts';
import { adviceOf } from '../report/advice.ts';
import { countChanges } from '../report/changes.ts';
import { contradictionsOf } from '../report/contradictions.ts';
import {
  createProgressLog,
  hasNews,
  type LoadReport,
  printReport,
  reportToGithub,
} from '../report/load-report.ts';
import { adviceOnService } from '../report/service-advice.ts';
import { systemClock } from '../shared/clock.ts';
import type { Logger } from '../shared/notice.ts';
import { commit } from '../sync/commit.ts';
import { changedInput } from './fingerprint.ts';
import { type LoadedCollection, loadCollection } from './load-collection.ts';
import { type OpenedLoad, openLoad } from './open-load.ts';
import { recordPageData } from './page-data.ts';
import { seenService } from './seen-service.ts';
import { type SiteState, siteAt } from './site-state.ts';
import { reconcile } from './store.ts';

const silent: Logger = { info() {}, warn() {}, debug() {} };

type Outcome = Omit<LoadReport, 'collection' | 'duration'>;

/**
 * Loads the collection, and reports the result to the terminal, to GitHub and to the dev toolbar. A quiet load prints
 * nothing unless it has news.
 */
export async function loadAndReport(
  context: LoaderContext,
  loaderOptions: ArticlesOptions,
  { isQuiet = false } = {},
): Promise<void> {
  const { collection, config } = context;
  const site = siteAt(config.root);
  // Ids of the service and errors of plugins may contain the key. Each load adds its own.
  const redact = (text: string) => site.redact(text);
  // With several collections, equal lines would not say which collection they are about.
  const prefix = () => (site.reloads.size > 1 ? `${collection}: ` : '');
  const logger = formatLines(context.logger, (line) => prefix() + redact(line));
  const started = systemClock.now();
  const report = (outcome: Outcome) => {
    const duration = systemClock.now() - started;
    const full: LoadReport = { collection, duration, ...mapTexts(outcome, redact) };
    const last = site.reports.get(collection);
    site.reports.set(collection, full);
    if (isQuiet && !hasNews(full, last)) return;
    printReport(full, logger);
    reportToGithub(full);
  };
  if (!isQuiet) site.loads += 1;
  // A dev server may load it again by itself.
  site.reloads.set(collection, () => loadAndReport(context, loaderOptions, { isQuiet: true }));
  try {
    const steps = isQuiet ? silent : logger;
    report(await loadAndApply(context, loaderOptions, { site, isQuiet, logger: steps }));
  } catch (error) {
    if (ArticlesError.is(error)) error.redact(redact);
    report({ status: 'failed', error: messageOf(error), notices: [] });
    // Astro's own message names neither the collection nor the loader.
    if (ArticlesError.is(error)) error.addNote(`The load of collection "${collection}" failed.`);
    throw error;
  }
}

/** Loads a collection: from the service to the mirror, and from the mirror to Astro's store. */
async function loadAndApply(
  context: LoaderContext,
  loaderOptions: ArticlesOptions,
  { site, isQuiet, logger }: { site: SiteState; isQuiet: boolean; logger: Logger },
): Promise<Outcome> {
  const onProgress = createProgressLog((line) => logger.info(line), systemClock.now);
  const opened = await openLoad(context, loaderOptions, { site, onProgress });
  const { mirror, fingerprint, notices } = opened;
  try {
    // Before the load writes its records, so that it is in the same pack.
    const inputs = mirror.writeText(fingerprint.inputs);
    const result = await loadWithFallback(context, opened, logger);
    if (result.status === 'nothing') {
      mirror.close();
      return { ...result, notices };
    }
    const { loaded, status, error } = result;
    const { fates, entries, versions, load } = loaded;
    reportRendered(loaded, opened, logger);
    notices.push(...adviceOf([...versions.values()], load.options.bodies));
    if (load.client) notices.push(...contradictionsOf(loaded.listing.rows, load.options));
    const isVerbose = Boolean(process.env.ARTICLES_DEBUG) && !isQuiet;
    const isAdvised = load.client && (load.before.size === 0 || isVerbose);
    const advice = isAdvised ? adviceOnService(await seenService(context, loaded)) : '';
    const changes = countChanges(fates, versions, load);
    const outcome = { status, error, notices, advice, changes, traffic: load.client?.traffic() };
    if (status === 'synced') commit(loaded, load, inputs);
    // Later builds offline do not read what the site has published.
    else if (!load.options.offline) bestEffort(() => mirror.writeAddresses(load.addresses));
    reconcile(context, [...entries.values()], { fingerprint: fingerprint.entries, isQuiet });
    recordPageData(context, loaded, site);

    for (const [id, fate] of fates) {
      const words = Object.values(fate).join(', ');
      if (words !== 'shown') logger.debug(`Article ${quote(id)}: ${words}`);
    }
    return outcome;
  } catch (error) {
    mirror.close();
    throw error;
  }
}

/** Says why a load has rendered all of its articles again, if it did. */
function reportRendered(
  { entries, versions, load }: LoadedCollection,
  { fingerprint: { inputs }, mirror }: OpenedLoad,
  logger: Logger,
): void {
  const isAll = [...versions.values()].every((version) => 'leftOut' in version || version.made);
  if (load.before.size === 0 || entries.size === 0 || !isAll) return;
  const last = mirror.index.inputs && mirror.readText(mirror.index.inputs);
  const changed = last && changedInput(last, inputs);
  const text = `All ${entries.size} articles were rendered again, because of a change in ${changed}.`;
  if (changed) logger.info(text);
}

/** Returns a logger that writes the result of `format` for each line. With `ARTICLES_DEBUG`, it shows debug lines. */
function formatLines(logger: Logger, format: (line: string) => string): Logger {
  const isVerbose = Boolean(process.env.ARTICLES_DEBUG);
  return {
    info: (line) => logger.info(format(line)),
    warn: (line) => logger.warn(format(line)),
    debug: (line) => logger[isVerbose ? 'info' : 'debug'](format(line)),
  };
}

/**
 * The result of a load. `synced`: the entries are from the service. `kept`: they are from the mirror.
 * `nothing`: neither the service nor a mirror is available.
 */
type LoadResult =
  | { status: 'synced' | 'kept'; loaded: LoadedCollection; error?: string | undefined }
  | { status: 'nothing'; error: string };

/**
 * Loads the articles from the service. Uses the mirror offline, or if the service is unavailable and the site prefers
 * older articles to a failure.
 */
async function loadWithFallback(
  context: LoaderContext,
  opened: OpenedLoad,
  logger: Logger,
): Promise<LoadResult> {
  const { mirror, options, notices } = opened;
  const { syncedAt } = mirror.index;
  const date = new Date(syncedAt).toUTCString();
  if (options.offline) {
    if (syncedAt === 0) {
      const message = `ARTICLES_OFFLINE is set, but ${mirror.folder} does not contain a usable mirror.`;
      throw new ArticlesMirrorError('mirror-empty', [message, ...mirror.notices].join(' '), {
        hint: 'Run `npx astro sync` with access to the service, or restore the mirror from a backup.',
      });
    }
    logger.info(`Offline: using articles from ${date}. No request was made.`);
    return { status: 'kept', loaded: await loadCollection(context, opened) };
  }
  const known = notices.length;
  try {
    const client = createArticlesClient(options);
    return { status: 'synced', loaded: await loadCollection(context, opened, client) };
  } catch (error) {
    // Caused by the service, and not by the site or this machine.
    const isListing = error instanceof ArticlesListingError;
    if (!isListing && !(error instanceof ArticlesRequestError)) throw error;
    if (options.failOn.includes('service') || (syncedAt === 0 && !context.watcher)) {
      const note =
        syncedAt > 0
          ? `The mirror has articles from ${date}. With \`failOn: ['articles']\`, a build uses it.`
          : 'No earlier load has left articles that could be used instead.';
      // For a rejected key, the only fix is another key.
      if (error.code !== 'unauthorized') error.addNote([note, ...mirror.notices].join(' '));
      throw error;
    }
    // What the failed load found out says nothing about the articles that are shown.
    notices.length = known;
    const source = syncedAt > 0 ? `Using articles from ${date}` : 'No article was loaded';
    const why = isListing ? 'the listing of the service is not used' : 'the service is unavailable';
    // A warning is a single line.
    const text = `${source}, because ${why}: ${error.message} ${error.hint}`;
    notices.push({ kind: 'outage', ids: [], text: text.replaceAll('\n', ' ') });
    if (syncedAt === 0) return { status: 'nothing', error: error.message };
    const loaded = await loadCollection(context, opened);
    return { status: 'kept', loaded, error: error.message };
  }
}
