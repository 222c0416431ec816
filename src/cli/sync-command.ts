import { relative } from 'node:path';
import { createRedact, type Redact } from '../client/http/redact.ts';
import { isShown, type MirrorIndex } from '../mirror/index-file.ts';
import { mirrorFolder } from '../mirror/location.ts';
import { openMirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { createProgressLog, describeProgress } from '../report/progress.ts';
import { summarise } from '../report/summary.ts';
import { systemClock } from '../shared/clock.ts';
import type { SyncProgress } from '../sync/sync.ts';
import { update } from '../sync/sync-or-keep.ts';
import { type Arguments, type Command, folder, text, UsageError } from './command.ts';
import { optionsOf, readSite, type Site } from './site.ts';
import type { Terminal } from './terminal.ts';

const defaultCollection = 'articles';
const bodyImages =
  "Images in bodies (`images.body: 'local'`) are found where articles are rendered: only a build or " +
  '`npx astro sync` keeps them.';

export const syncCommand: Command = {
  name: 'sync',
  summary: "Brings a site's mirror up to date without building it",
  options: {
    root: { type: 'string' },
    'base-url': { type: 'string' },
    'mirror-dir': { type: 'string' },
    collection: { type: 'string', multiple: true },
  },
  help: `Usage: astro-articles sync [options]

Brings the mirror of a site up to date, where its build looks for it, without building anything: then
\`ARTICLES_OFFLINE=1 astro build\` makes no request. Address, key and options are those of the site: of
articles() in its astro.config, of the environment, or of its .env files. Options that a loader is
given in content.config are not seen.

Options:
  --root <folder>        The folder of the site (this one)
  --base-url <url>       Asks this address instead of the site's
  --mirror-dir <folder>  Where the mirror is, when that stands in content.config; relative to the site
  --collection <name>    The collection (${defaultCollection}); may be given more than once
  --help                 Shows this

Exit codes: 0 the mirror is up to date, or \`onUnavailable: 'keep'\` lets the site go on with what it
has; 1 it is not, and stays as it was; 2 the command was used wrongly.
`,
  run: syncAll,
};

async function syncAll(given: Arguments, terminal: Terminal): Promise<number> {
  const collections = collectionsOf(given);
  const site = await readSite(folder(text(given, 'root') ?? '.', '--root'));
  const options = optionsOf(site, {
    baseUrl: text(given, 'base-url'),
    mirrorDir: text(given, 'mirror-dir') || undefined,
    offline: false,
  });
  if (options.images.body === 'local') terminal.err(bodyImages);
  for (const collection of collections) {
    await syncOne(collection, { site, options, terminal });
  }
  return 0;
}

function collectionsOf({ values }: Arguments): string[] {
  const names = [values.collection ?? defaultCollection].flat().map(String);
  // The name is a folder of the mirror, and nothing else.
  if (names.every((name) => /^[^./\\][^/\\]*$/.test(name))) return names;
  throw new UsageError(
    '--collection takes the name of a collection.',
    'It is a key of `collections` in src/content.config.ts.',
  );
}

async function syncOne(
  collection: string,
  { site, options, terminal }: { site: Site; options: ResolvedOptions; terminal: Terminal },
): Promise<void> {
  const started = systemClock.now();
  const redact = createRedact(options.apiKey);
  const logger = createLogger(terminal, redact);
  const { mirrorDir, baseUrl } = options;
  const path = mirrorFolder(site, { mirrorDir, collection });
  const mirror = await openMirror(path, { source: baseUrl, date: systemClock.date });
  if (mirror.notice) logger.warn(mirror.notice);

  const before = mirror.index;
  const onProgress = terminal.showsStatus
    ? progressBar(terminal)
    : createProgressLog(logger.info, systemClock.now);
  const updated = await update(mirror, { options, logger, dev: false, onProgress });
  terminal.status('');
  const report = updated.status === 'synced' ? updated.report : undefined;
  const duration = systemClock.now() - started;
  const applied = countShown(mirror.index, options);
  terminal.out(summarise({ before, after: mirror.index, report, applied, duration }));
  terminal.out(`The mirror is in ${relative('', path) || path}.`);
}

function createLogger(terminal: Terminal, redact: Redact) {
  const lines = (message: string) => message.split('\n').map(redact).join('\n');
  return {
    info: (message: string) => terminal.err(lines(message)),
    warn: (message: string) =>
      terminal.err(`${terminal.errStyle('yellow', '!')} ${lines(message)}`),
    debug: () => undefined,
  };
}

const barWidth = 24;

function progressBar(terminal: Terminal): (progress: SyncProgress) => void {
  const started = systemClock.now();
  return (progress) => {
    const { toFetch, fetched } = progress;
    const done = toFetch === 0 ? 0 : Math.floor((barWidth * fetched) / toFetch);
    const bar = '█'.repeat(done) + '░'.repeat(barWidth - done);
    terminal.status(`${bar} ${describeProgress(progress, systemClock.now() - started)}`);
  };
}

/** What a build would make of it. */
function countShown({ articles }: MirrorIndex, options: ResolvedOptions) {
  const entries = articles.filter((article) => isShown(article, options)).length;
  return { entries, drafts: articles.length - entries };
}
