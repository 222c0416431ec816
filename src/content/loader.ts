import type { LoaderContext } from 'astro/loaders';
import { ArticlesError, ArticlesInvalidError } from '../errors.ts';
import { commit } from '../load/commit.ts';
import { loadWithFallback } from '../load/fallback.ts';
import type { LoadedCollection } from '../load/load-collection.ts';
import { mapTexts, messageOf, quote } from '../messages.ts';
import { bestEffort } from '../mirror/files.ts';
import type { ArticlesOptions, ResolvedOptions } from '../options/options.ts';
import { factsOf } from '../report/facts.ts';
import { countChanges, hasNews, type LoadReport } from '../report/load-report.ts';
import { printReport, reportToGithub } from '../report/print-report.ts';
import { createProgressLog } from '../report/progress.ts';
import { groupFindings, sayFacts, sayFinding, sayFindings } from '../report/say.ts';
import { systemClock } from '../shared/clock.ts';
import type { Finding } from '../shared/finding.ts';
import { parseJson } from '../shared/json-value.ts';
import type { Logger } from '../shared/logger.ts';
import { changedInput } from './fingerprint.ts';
import { type LoadInputs, openLoad } from './open-load.ts';
import { recordPageData } from './page-data.ts';
import { seenBy } from './seen-by.ts';
import { type SiteState, siteAt } from './site-state.ts';
import { reconcile } from './store.ts';

const silentLogger: Logger = { info() {}, warn() {}, debug() {} };

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
  const publish = (outcome: Outcome) => {
    const duration = systemClock.now() - started;
    const full: LoadReport = { collection, duration, ...mapTexts(outcome, redact) };
    const last = site.reports.get(collection);
    site.reports.set(collection, full);
    if (isQuiet && !hasNews(full, last)) return;
    // The toolbar of a dev server shows all notices; its terminal has the notices of the last load already.
    const known = new Set(context.watcher && last?.notices.map(({ text }) => text));
    printReport({ ...full, notices: full.notices.filter(({ text }) => !known.has(text)) }, logger);
    reportToGithub(full);
  };
  if (!isQuiet) site.loads += 1;
  // A dev server may load it again by itself.
  site.reloads.set(collection, () => loadAndReport(context, loaderOptions, { isQuiet: true }));
  try {
    const steps = isQuiet ? silentLogger : logger;
    publish(await loadAndApply(context, loaderOptions, { site, isQuiet, logger: steps }));
  } catch (error) {
    if (ArticlesError.is(error)) error.redact(redact);
    publish({ status: 'failed', error: messageOf(error), notices: [] });
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
  const { opened, fingerprint, inputs } = await openLoad(context, loaderOptions, {
    site,
    onProgress,
  });
  const { mirror } = opened;
  const seen = mirror.notices.map((text): Finding => ({ code: 'mirror', ids: [], data: { text } }));
  try {
    // Before the load writes its records, so that it is in the same pack.
    const inputsName = mirror.writeText(JSON.stringify(inputs));
    const { status, loaded, outage, traffic } = await loadWithFallback(opened, logger);
    const error = outage?.data.message;
    if (outage) seen.push(outage);
    if (!loaded) {
      mirror.close();
      return { status, error, notices: sayFindings(seen) };
    }
    const { fates, entries, versions, load } = loaded;
    reportAgain(loaded, inputs, logger);
    const findings = [...seen, ...loaded.notices];
    failOnPictures(findings, load.options);
    const facts = factsOf(await seenBy(context, loaded, { isQuiet }));
    const { notices: judged, advice } = sayFacts(facts, placeOfOptions(context, site));
    const notices = [...sayFindings(findings), ...judged];
    const outcome = {
      ...{ status, error, notices, advice, traffic },
      changes: countChanges(fates, versions, load),
    };
    if (status === 'synced') commit(loaded, inputsName);
    // Later builds offline do not read what the site has published.
    else if (!load.options.offline) bestEffort(() => mirror.writePaths(load.paths));
    reconcile(context, [...entries.values()], { fingerprint: fingerprint.entries, isQuiet });
    recordPageData(context, loaded, site);

    logFates(loaded, logger);
    return outcome;
  } catch (error) {
    mirror.close();
    throw error;
  }
}

/** @throws {ArticlesInvalidError} when pictures are missing, and the site wants a build to fail for them */
function failOnPictures(findings: readonly Finding[], { failOn }: ResolvedOptions): void {
  const missing = groupFindings(findings).flatMap((finding) =>
    finding.code === 'image' || finding.code === 'old-sharp'
      ? { code: 'picture' as const, ids: finding.ids, text: sayFinding(finding) }
      : [],
  );
  if (missing.length === 0 || !failOn.includes('images')) return;
  const hint = "Fix them in the service, or take 'images' out of `failOn`.";
  throw new ArticlesInvalidError(missing, { hint });
}

/** Names where the options of a collection are set: with several, not those of all. */
function placeOfOptions({ collection }: LoaderContext, { reloads }: SiteState): string {
  return reloads.size > 1
    ? `articlesLoader() of the collection ${quote(collection)}`
    : 'articles() in astro.config';
}

/** Logs each article that the site does not show as the service has it, and why. */
function logFates({ fates }: LoadedCollection, logger: Logger): void {
  for (const [id, fate] of fates) {
    const words = Object.values(fate).join(', ');
    if (words !== 'shown') logger.debug(`Article ${quote(id)}: ${words}`);
  }
}

/** Says why a load has requested or rendered all of its articles again, if it did. */
function reportAgain(
  { entries, versions, load }: LoadedCollection,
  inputs: LoadInputs,
  logger: Logger,
): void {
  const { before, client, mirror, options } = load;
  const last: Partial<LoadInputs> = Object(
    parseJson(mirror.readText(mirror.index.inputs ?? '') ?? ''),
  );
  const sayAgain = (kind: keyof LoadInputs, count: number) => {
    const changed = last[kind] && changedInput(last[kind], inputs[kind]);
    const text = `All ${count} articles were ${kind} again, because of a change in ${changed}.`;
    if (changed && count > 0) logger.info(text);
  };
  const known = [...before.values()].filter((article) => article.sourceHash !== undefined);
  // With `rows: 'whole'`, no article is requested.
  if (client && options.rows !== 'whole') sayAgain('requested', known.length);
  const isAll = [...versions.values()].every((version) => 'leftOut' in version || version.text);
  if (before.size > 0 && isAll) sayAgain('rendered', entries.size);
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
