import type { Loader, LoaderContext } from 'astro/loaders';
import { ArticlesError, messageOf } from '../errors.ts';
import { createRedactLines } from '../http/api-key.ts';
import type { ArticlesOptions, ResolvedOptions } from '../options/options.ts';
import { reportToGithub } from '../report/github-actions.ts';
import { countChanges, hasNews, type LoadReport, warningsOf } from '../report/load-report.ts';
import { createProgressLog } from '../report/progress.ts';
import { printReport } from '../report/summary.ts';
import { checkOptions } from '../shared/check-options.ts';
import { systemClock } from '../shared/clock.ts';
import { type Logger, type Warning, withPrefix } from '../shared/logger.ts';
import { commitLoad } from '../sync/commit.ts';
import { articleSchema } from './article-schema.ts';
import type { EntrySet } from './entries.ts';
import { loadWithFallback } from './load-with-fallback.ts';
import { type ArticlesLoaderOptions, loaderSchema } from './loader-options.ts';
import { openLoad } from './open-load.ts';
import { runOtherLoader } from './other-loader.ts';
import { recordPageData } from './page-data.ts';
import { reconcile } from './reconcile.ts';
import { readSchemaState } from './schema-state.ts';
import { siteAt } from './site-state.ts';

/** The name of the loader for Astro, and for `refreshContent()`. */
export const loaderName = 'astro-articles';

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
  return { loader: createLoader(options), schema: articleSchema };
}

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
  // With several collections, equal lines would not say which collection they are about.
  const hasSeveral = () => site.collections.size > 1;
  const logger = withPrefix(context.logger, () => (hasSeveral() ? `${collection}: ` : ''));
  const started = systemClock.now();
  const report = (outcome: Outcome) => {
    const times = { at: systemClock.date(), duration: systemClock.now() - started };
    const redact = createRedactLines(site.keys);
    const warnings = outcome.warnings.map((each) => ({ ...each, text: redact(each.text) }));
    const error = outcome.error && redact(outcome.error);
    const full: LoadReport = { collection, ...times, ...outcome, error, warnings };
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
    report(await loadCollection(context, loaderOptions, isQuiet ? silent : logger));
  } catch (error) {
    // Articles may contain the key, for example in the URL of a cover.
    if (ArticlesError.is(error)) error.redact(createRedactLines(site.keys));
    const text = messageOf(error);
    report({ status: 'failed', error: text, warnings: [] });
    // Astro's own message names neither the collection nor the loader.
    if (ArticlesError.is(error)) error.addNote(`The load of collection "${collection}" failed.`);
    throw error;
  }
}

/** Loads a collection: from the service to the mirror, and from the mirror to Astro's store. */
async function loadCollection(
  context: LoaderContext,
  loaderOptions: ArticlesOptions,
  logger: Logger,
): Promise<Outcome> {
  const { mirror, options, warnings, ...opened } = await openLoad(context, loaderOptions);
  const onProgress = createProgressLog((line) => logger.info(line), systemClock.now);
  const schema = await readSchemaState(context);
  const { isSame: isSameSchema } = schema;
  const loadOptions = { ...opened, mirror, options, onProgress, logger, isSameSchema };

  const result = await loadWithFallback(context, loadOptions);
  if (result.status === 'nothing')
    return { ...result, warnings: [...warnings, ...result.warnings] };

  const { loaded, entrySet } = result;
  const { versions, entries } = entrySet;
  const shown = new Set(entries.map(({ version }) => version.article.id));
  if (result.status === 'synced') await commitLoad({ ...loaded, versions, shown }, loadOptions);
  const hasChanged = reconcile(context.store, entries);
  schema.record();
  recordPageData(context, { loaded, entrySet, mirror, options, hasChanged });

  const { drafts } = options;
  return {
    status: result.status,
    error: result.error,
    warnings: [
      ...warnings,
      ...result.warnings,
      ...warningsOf(loaded, entrySet.problems),
      ...advice(entrySet, options),
    ],
    changes: countChanges({ ...loaded, versions }, { shown, drafts }),
    traffic: loaded.traffic,
  };
}

/** The store of a site with usual articles reaches the longest string of JavaScript at about 13,000. */
const tooManyArticles = 10_000;

/** Warns of a failure that is near. `check` recommends the setting much earlier. */
function advice({ entries }: EntrySet, { bodies }: ResolvedOptions): Warning[] {
  if (bodies === 'mirror' || entries.length < tooManyArticles) return [];
  const text =
    `This collection has ${entries.length} articles, and Astro's content store fails at about 13,000 of usual ` +
    "length. Set `bodies: 'mirror'`, and render entries with `<ArticleBody>` or `render(await withBody(entry))`.";
  return [{ kind: 'other', text }];
}
