import type { Loader, LoaderContext } from 'astro/loaders';
import { createArticlesClient } from '../client/client.ts';
import type { AttemptEvent } from '../client/http/request.ts';
import {
  ArticlesError,
  ArticlesListingError,
  ArticlesMirrorError,
  ArticlesRequestError,
} from '../errors.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { type ArticlesOptions, parseOptions, type ResolvedOptions } from '../options/options.ts';
import { reportToGithub } from '../report/github-actions.ts';
import { countChanges, type LoadReport, warningsOf } from '../report/load-report.ts';
import { describeAge, printReport } from '../report/print.ts';
import { createProgressLog } from '../report/progress.ts';
import { systemClock } from '../shared/clock.ts';
import type { Warning } from '../shared/logger.ts';
import { commitLoad } from '../sync/commit.ts';
import { listingDigest } from '../sync/listing-digest.ts';
import {
  type Load,
  type LoadOptions,
  loadFromMirror,
  loadFromService,
  shownBefore,
} from '../sync/pipeline.ts';
import { checkHidden } from '../sync/removal.ts';
import { type Entries, makeEntries } from './entries.ts';
import { openLoad } from './open-load.ts';
import { recordAddresses, registerBodies } from './page-data.ts';
import { applyToStore, reconcile } from './reconcile.ts';
import { siteAt } from './site-state.ts';

/** The name of the loader for Astro, and for `refreshContent()`. */
export const loaderName = 'astro-articles';

/**
 * Returns a loader for Astro's content collections: every article of the service becomes an entry.
 * Options given here win over those of the integration, which win over the environment.
 *
 * @throws {ArticlesOptionsError} for an option that is unknown or out of range
 */
export function articlesLoader(options?: ArticlesOptions) {
  return createLoader(parseOptions(options, 'articlesLoader()'));
}

/** Returns the loader for options that are checked already. */
export function createLoader(given: ArticlesOptions) {
  return {
    name: loaderName,
    load: (context: LoaderContext) => loadAndReport(context, given),
  } satisfies Loader;
}

type Outcome = Omit<LoadReport, 'collection' | 'at' | 'duration'>;

/** Loads the collection, and reports how that went: to the terminal, to GitHub, and to the dev toolbar. */
async function loadAndReport(context: LoaderContext, given: ArticlesOptions): Promise<void> {
  const { collection, config, logger } = context;
  const site = siteAt(config.root);
  const started = systemClock.now();
  const report = (outcome: Outcome) => {
    const times = { at: systemClock.date(), duration: systemClock.now() - started };
    const full: LoadReport = { collection, ...times, ...outcome };
    site.reports.set(collection, full);
    printReport(full, logger);
    reportToGithub(full);
  };
  site.loads += 1;
  try {
    report(await load(context, given));
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    report({ status: 'failed', error: text, warnings: [] });
    // Astro prints neither the collection nor the loader.
    if (ArticlesError.is(error)) error.addNote(`This happened in collection "${collection}".`);
    throw error;
  }
}

/** One load of a collection: from the service to the mirror, and from the mirror to Astro's store. */
async function load(context: LoaderContext, given: ArticlesOptions): Promise<Outcome> {
  const { mirror, options, warnings, ...opened } = await openLoad(context, given);
  const loadOptions = { ...opened, mirror, options, onProgress: progressOf(context) };
  watchListing(context, { mirror, options });

  const result = await loadOrKeep(context, loadOptions);
  if (result.status === 'nothing')
    return { ...result, warnings: [...warnings, ...result.warnings] };

  const { load, made } = result;
  if (result.status === 'synced') {
    const slugs = new Map(made.entries.map(({ slug, version }) => [version.article.id, slug]));
    await commitLoad({ ...load, versions: made.versions, slugs }, loadOptions);
  }
  applyToStore(context.store, reconcile([...context.store.keys()], made.entries));
  registerBodies(context, { load, made, options });
  recordAddresses(context, { made, index: mirror.index });

  const { error } = result;
  const { drafts } = options;
  const { index } = mirror;
  return {
    status: result.status,
    ...(error === undefined ? {} : { error }),
    warnings: [
      ...warnings,
      ...result.warnings,
      ...warningsOf(load, made),
      ...advice(made, options),
    ],
    changes: countChanges(
      { ...load, versions: made.versions },
      { entries: made.entries.length, drafts },
    ),
    ...(load.traffic ? { traffic: load.traffic } : {}),
    mirror: {
      folder: mirror.folder,
      syncedAt: index.syncedAt,
      articles: index.articles.length,
      images: index.images.size,
    },
  };
}

type Result =
  | { status: 'synced' | 'kept'; load: Load; made: Entries; warnings: Warning[]; error?: string }
  | { status: 'nothing'; warnings: Warning[]; error: string };

/** Gathers a load from the service, or from the mirror when the service is not to be used or of no use. */
async function loadOrKeep(context: LoaderContext, loadOptions: LoadOptions): Promise<Result> {
  const { mirror, options } = loadOptions;
  const { syncedAt } = mirror.index;
  if (options.offline) {
    if (syncedAt === 0) throw offlineWithoutMirror(mirror.folder);
    const text = `Offline: using articles from ${describeAge(syncedAt)} ago. No request was made.`;
    context.logger.info(text);
    return fromMirror([]);
  }
  try {
    const { logger } = context;
    const onAttempt = (event: AttemptEvent) => logger.debug(describeAttempt(event));
    const client = createArticlesClient({ ...options, onAttempt });
    const load = await loadFromService({ ...loadOptions, client });
    const made = await makeEntries(context, load, loadOptions);
    const after = new Set(made.entries.map(({ version }) => version.article.id));
    if (!options.allowEmpty) checkHidden({ ...shownBefore(load, options), after });
    return { status: 'synced', load, made, warnings: [] };
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const isDev = context.watcher !== undefined;
    if (options.onUnavailable === 'fail' || (syncedAt === 0 && !isDev)) {
      throw withFallbackNote(error, syncedAt);
    }
    const source =
      syncedAt > 0
        ? `Using articles from ${describeAge(syncedAt)} ago, because the service is unavailable`
        : 'There are no articles yet, because the service is unavailable';
    const warning: Warning = {
      kind: 'outage',
      // One line, as all warnings are.
      text: `${source}: ${error.message} ${error.hint ?? ''}`.replaceAll('\n', ' '),
    };
    if (syncedAt === 0) return { status: 'nothing', warnings: [warning], error: error.message };
    return fromMirror([warning], error.message);
  }

  async function fromMirror(warnings: Warning[], error?: string): Promise<Result> {
    const load = await loadFromMirror(loadOptions);
    const made = await makeEntries(context, load, loadOptions);
    return { status: 'kept', load, made, warnings, ...(error === undefined ? {} : { error }) };
  }
}

/** Whether an error says something about the service, and not about this machine or this package. */
function isUnavailable(error: unknown): error is ArticlesError {
  return error instanceof ArticlesRequestError || error instanceof ArticlesListingError;
}

function withFallbackNote(error: ArticlesError, syncedAt: number): ArticlesError {
  // A rejected key has to be fixed, not worked around.
  if (error.code === 'unauthorized') return error;
  error.addNote(
    syncedAt > 0
      ? `The mirror has articles from ${describeAge(syncedAt)} ago: \`onUnavailable: "keep"\` builds from it.`
      : 'There is no mirror of this service to build from.',
  );
  return error;
}

function offlineWithoutMirror(folder: string): ArticlesMirrorError {
  return new ArticlesMirrorError(
    'mirror-empty',
    `\`offline\` is set, but there is no mirror in ${folder}.`,
    {
      path: folder,
      hint: 'Build once with access to the service, or restore the mirror from a backup.',
    },
  );
}

/** Reports the progress to the terminal and, during a refresh, to the dev server. */
function progressOf({ config, logger }: LoaderContext): LoadOptions['onProgress'] {
  const site = siteAt(config.root);
  const log = createProgressLog((line) => logger.info(line), systemClock.now);
  return (progress) => {
    log(progress);
    site.onProgress?.(progress);
  };
}

/** Lets a dev server find out whether the service lists something new. */
function watchListing(
  { config, collection, watcher }: LoaderContext,
  { mirror, options }: { mirror: Mirror; options: ResolvedOptions },
): void {
  const { listings } = siteAt(config.root);
  listings.delete(collection);
  if (!watcher || options.offline) return;
  listings.set(collection, async (signal) => {
    // Only rows that equal their articles show every change.
    const isComplete = mirror.index.articles.every(({ row }) => row !== undefined);
    // A client counts failures, so each check has its own.
    return isComplete ? listingDigest(createArticlesClient(options), signal) : undefined;
  });
}

const manyArticles = 2_000;

function advice({ entries }: Entries, { bodies }: ResolvedOptions): Warning[] {
  if (bodies === 'mirror' || entries.length < manyArticles) return [];
  const text =
    `This collection has ${entries.length} articles. From ${manyArticles} on, set \`bodies: 'mirror'\` and ` +
    "render entries with `render(await withBody(entry))`: Astro's content store keeps all texts in one string, " +
    'which makes builds slow and fails at 512 MB.';
  return [{ kind: 'other', text }];
}

function describeAttempt({ url, attempt, duration, failure }: AttemptEvent): string {
  const outcome = failure ? `failed: ${failure}` : 'ok';
  return `GET ${url} (attempt ${attempt}, ${Math.round(duration)} ms) ${outcome}`;
}
