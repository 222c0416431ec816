import type { Loader, LoaderContext } from 'astro/loaders';
import { createArticlesClient } from '../client/client.ts';
import { ArticlesError, messageOf } from '../errors.ts';
import { digestOf } from '../mirror/article-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { checkOptions } from '../options/check-options.ts';
import { type ArticlesOptions, optionsSchema, type ResolvedOptions } from '../options/options.ts';
import { reportToGithub } from '../report/github-actions.ts';
import { countChanges, type LoadReport, warningsOf } from '../report/load-report.ts';
import { createProgressLog } from '../report/progress.ts';
import { printReport } from '../report/summary.ts';
import { systemClock } from '../shared/clock.ts';
import { hash } from '../shared/hash.ts';
import type { Warning } from '../shared/logger.ts';
import { commitLoad } from '../sync/commit.ts';
import type { EntrySet } from './entries.ts';
import { loadWithFallback } from './load-with-fallback.ts';
import { openLoad } from './open-load.ts';
import { recordSlugs, registerBodies } from './page-data.ts';
import { applyToStore, reconcile } from './reconcile.ts';
import { siteAt } from './site-state.ts';

/** The name of the loader for Astro, and for `refreshContent()`. */
export const loaderName = 'astro-articles';

/**
 * Returns a loader for Astro's content collections: every article of the service becomes an entry. These
 * options override those of the integration, which override the environment.
 *
 * @throws {ArticlesOptionsError} for an option that is unknown or out of range
 */
export function articlesLoader(options: ArticlesOptions = {}) {
  checkOptions(optionsSchema, options, 'articlesLoader()');
  return createLoader(options);
}

/** Returns a loader for options that are already checked. */
export function createLoader(loaderOptions: ArticlesOptions) {
  return {
    name: loaderName,
    load: (context: LoaderContext) => loadAndReport(context, loaderOptions),
  } satisfies Loader;
}

type Outcome = Omit<LoadReport, 'collection' | 'at' | 'duration'>;

/** Loads the collection, and reports the result to the terminal, to GitHub and to the dev toolbar. */
async function loadAndReport(
  context: LoaderContext,
  loaderOptions: ArticlesOptions,
): Promise<void> {
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
    report(await load(context, loaderOptions));
  } catch (error) {
    const text = messageOf(error);
    report({ status: 'failed', error: text, warnings: [] });
    // Astro's own message names neither the collection nor the loader.
    if (ArticlesError.is(error)) error.addNote(`The load of collection "${collection}" failed.`);
    throw error;
  }
}

/** Loads a collection: from the service to the mirror, and from the mirror to Astro's store. */
async function load(context: LoaderContext, loaderOptions: ArticlesOptions): Promise<Outcome> {
  const { mirror, options, warnings, ...opened } = await openLoad(context, loaderOptions);
  const onProgress = createProgressLog((line) => context.logger.info(line), systemClock.now);
  const loadOptions = { ...opened, mirror, options, onProgress };
  registerListing(context, { mirror, options });

  const result = await loadWithFallback(context, loadOptions);
  if (result.status === 'nothing')
    return { ...result, warnings: [...warnings, ...result.warnings] };

  const { load, entrySet } = result;
  const { versions, entries } = entrySet;
  const slugs = new Map(entries.map(({ slug, version }) => [version.article.id, slug]));
  if (result.status === 'synced') await commitLoad({ ...load, versions, slugs }, loadOptions);
  applyToStore(context.store, reconcile(context.store.keys(), entries));
  registerBodies(context, { load, entrySet, options });
  recordSlugs(context, { entrySet, index: mirror.index });

  const { drafts } = options;
  return {
    status: result.status,
    error: result.error,
    warnings: [
      ...warnings,
      ...result.warnings,
      ...warningsOf(load, entrySet.problems),
      ...advice(entrySet, options),
    ],
    changes: countChanges({ ...load, versions }, { shown: new Set(slugs.keys()), drafts }),
    traffic: load.traffic,
  };
}

/** Lets a dev server check whether the listing has changed. */
function registerListing(
  { config, collection, watcher }: LoaderContext,
  { mirror, options }: { mirror: Mirror; options: ResolvedOptions },
): void {
  const { listings } = siteAt(config.root);
  listings.delete(collection);
  if (!watcher || options.offline) return;
  listings.set(collection, async (signal) => {
    // A row shows the changes of its article only if it once equalled the article.
    if (mirror.index.articles.some(({ row }) => row === undefined)) return undefined;
    const digests = new Map<string, string>();
    // A client limits its retries in total, so each check has a new client.
    const { ids } = await createArticlesClient(options).survey({
      signal,
      onRows(rows) {
        for (const { id, article } of rows) if (article) digests.set(id, digestOf(article));
      },
    });
    return hash(JSON.stringify(ids.map((id) => [id, digests.get(id)])));
  });
}

const manyArticles = 2_000;

function advice({ entries }: EntrySet, { bodies }: ResolvedOptions): Warning[] {
  if (bodies === 'mirror' || entries.length < manyArticles) return [];
  const text =
    `This collection has ${entries.length} articles. Set \`bodies: 'mirror'\`, and render entries with ` +
    "`render(await withBody(entry))`. Otherwise, Astro's content store keeps all texts in one string, which " +
    'makes builds slow and fails at 512 MB.';
  return [{ kind: 'other', text }];
}
