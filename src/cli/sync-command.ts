import { join, relative, resolve } from 'node:path';
import { createArticlesClient } from '../client/client.ts';
import { ArticlesError } from '../errors.ts';
import { createRedactLines } from '../http/api-key.ts';
import { openMirror } from '../mirror/mirror.ts';
import { fetchSiteHistory, publishedSlugs } from '../redirects/site-history.ts';
import { countChanges, type LoadReport, warningsOf } from '../report/load-report.ts';
import { createProgressLog } from '../report/progress.ts';
import { printReport } from '../report/summary.ts';
import { systemClock } from '../shared/clock.ts';
import { commitLoad } from '../sync/commit.ts';
import { isShown } from '../sync/indexed-article.ts';
import { checkMassRemoval } from '../sync/mass-removal.ts';
import { loadArticles } from '../sync/pipeline.ts';
import { mayExistAfter } from '../sync/removal.ts';
import { type Arguments, type Command, usageError } from './command.ts';
import { openSite, type Site } from './site.ts';
import { err, out } from './terminal.ts';

const defaultCollection = 'articles';
const bodyImages =
  "This command does not download images in bodies (`images.body: 'local'`), because it renders no articles. " +
  'A build or `npx astro sync` does.';

export const syncCommand: Command = {
  name: 'sync',
  summary: "Updates a site's mirror without building the site",
  takes: 0,
  help: `Usage: astro-articles sync [options]

Updates the mirror that the builds of a site use, without building the site. Afterwards,
\`ARTICLES_OFFLINE=1 astro build\` makes no request. Address, key and options are
those of the site: from articles() in its astro.config, the environment, or its .env files. Options that
a loader receives in content.config are not used.

Options:
  --root <folder>        The folder of the site (default: this one)
  --base-url <url>       The address of the service, instead of the site's
  --mirror-dir <folder>  The folder of the mirror, if content.config sets it; relative to the site
  --collection <name>    The collection (default: ${defaultCollection}); can be repeated
  --help                 Shows this text

Exit codes: 0 the mirror is up to date; 1 it is not, and is unchanged; 2 wrong usage.
`,
  run: syncAll,
};

async function syncAll(given: Arguments): Promise<number> {
  const collections = [given.values.collection ?? defaultCollection].flat().map(String);
  // The name becomes the name of a folder.
  if (!collections.every((name) => /^[^./\\][^/\\]*$/.test(name))) {
    throw usageError(
      '--collection takes the name of a collection.',
      'It is a key of `collections` in src/content.config.ts.',
    );
  }
  const site = await openSite(given);
  const { options } = site;
  if (options.images.body === 'local') err(bodyImages);
  for (const collection of collections) {
    const prefix = collections.length > 1 ? `${collection}: ` : '';
    await syncOne(collection, site, prefix).catch((error) => {
      // Articles may contain the key, for example in the URL of a cover.
      if (ArticlesError.is(error)) error.redact(createRedactLines([options.apiKey]));
      throw error;
    });
  }
  return 0;
}

export async function syncOne(
  collection: string,
  { root, cacheDir, options, home }: Site,
  prefix: string,
): Promise<void> {
  const clock = systemClock;
  const started = clock.now();
  const redact = createRedactLines([options.apiKey]);
  const print = (message: string) => err(redact(message));
  const warn = (message: string) => print(`! ${prefix}${message}`);
  const cacheFolder = join(cacheDir, 'astro-articles');
  const mirror = await openMirror({
    parent: options.mirrorDir ? resolve(root, options.mirrorDir) : cacheFolder,
    collection,
    source: options.baseUrl,
    project: options.project,
    cacheFolder,
  });
  if (mirror.notice) warn(mirror.notice);

  const onProgress = createProgressLog((line) => print(prefix + line), clock.now);
  const client = createArticlesClient(options);
  const loaded = await loadArticles({ mirror, options, client, onProgress });
  const shown = new Set(loaded.versions.flatMap((version) => version.shown?.id ?? []));
  // This command does not know which articles the site shows, so it counts all but skipped drafts.
  const before = [...loaded.before.values()].filter((article) => isShown(article, options));
  checkMassRemoval(loaded, { before, after: shown, allowEmpty: options.allowEmpty });
  await commitLoad(loaded, { mirror });
  // An offline build cannot read the slugs that the site has published.
  if (home) {
    const logger = { info: () => undefined, warn };
    const history = await fetchSiteHistory(home, { mode: 'best-effort', logger });
    const published = publishedSlugs(history, collection, {
      ids: mirror.index.articles.map(({ id }) => id),
      mayExist: mayExistAfter(loaded, options),
      collections: new Set([collection]),
    });
    await mirror.addSlugs(published);
  }

  const report: LoadReport = {
    collection,
    status: 'synced',
    at: clock.date(),
    duration: clock.now() - started,
    warnings: warningsOf(loaded),
    changes: countChanges(loaded, { shown, drafts: options.drafts }),
    traffic: loaded.traffic,
  };
  printReport(report, { warn, info: (line) => out(prefix + line) });
  out(`${prefix}The mirror is in ${relative('', mirror.folder) || mirror.folder}.`);
}
