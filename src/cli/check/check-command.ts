import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, styleText } from 'node:util';
import type { SampleLoads } from '../../content/site-state.ts';
import { ArticlesError, ArticlesOptionsError, messageOf } from '../../errors.ts';
import { createRedact } from '../../http/api-key.ts';
import { readEnvironment } from '../../options/environment.ts';
import type { ResolvedOptions } from '../../options/options.ts';
import { resolveOptions } from '../../options/resolve-options.ts';
import { printReport } from '../../report/summary.ts';
import { type Sample, sampleSize, spread } from '../../sync/sample.ts';
import { type Arguments, type Command, CommandError, folder, text } from '../command.ts';
import { out } from '../terminal.ts';
import { probe } from './probe.ts';
import { readSample } from './read-sample.ts';
import { isSite, loadSite } from './site-load.ts';
import { suggest } from './suggest.ts';

/** The number of articles that are compared with their rows. */
const comparedArticles = 3;

export const checkCommand: Command = {
  name: 'check',
  summary: 'Loads a part of the articles, keeps nothing, and suggests options for the service',
  description: `Loads a few pages of the listing and at most ${sampleSize} articles as a build does, with the options
and schemas of the site, and keeps nothing. It prints the report of the load, and which options suit
the service. In a folder without a site, it uses ARTICLES_BASE_URL and
ARTICLES_API_KEY, and renders nothing.`,
  options: {
    root: { value: '<folder>', description: 'The folder of the site (default: this one)' },
    'base-url': {
      value: '<url>',
      description: "The address of the service, instead of the site's",
    },
  },
  run: check,
};

function check(given: Arguments): Promise<number> {
  const root = folder(text(given, 'root') ?? '.');
  const baseUrl = text(given, 'base-url');
  return isSite(root) ? checkSite(root, baseUrl) : checkService(root, baseUrl);
}

async function checkSite(root: string, baseUrl: string | undefined): Promise<number> {
  const sample: SampleLoads = { folder: temporaryFolder(), baseUrl, read: new Map() };
  const loads = await loadSite(root, sample);
  if (loads.length === 0) {
    throw new CommandError(
      'The content config of the site has no collection with the loader of this package.',
      'Add `defineCollection(articlesCollection())` to src/content.config.ts, and check that `npx astro sync` works there.',
    );
  }
  for (const { collection, report, error } of loads) {
    const read = sample.read.get(collection);
    // Without options, no load has started.
    if (!read || error instanceof ArticlesOptionsError) throw error;
    const print = printer(read.options);
    print.line(loads.length > 1 ? `${collection}: ${read.options.baseUrl}` : read.options.baseUrl);
    if (report) printReport(report, { info: print.line, warn: (line) => print.marked('!', line) });
    if (error) print.marked('✗', messageOf(error));
    if (ArticlesError.is(error) && error.hint) print.line(error.hint);
    if (!error) print.share(read, spread(read.rows, sampleSize).length);
    if (read.rows.length > 0) await printSuggestions(read, print, comparedArticles);
  }
  return loads.some(({ error }) => error) ? 1 : 0;
}

/** Checks a service without a site: lists its articles, and fetches some. */
async function checkService(root: string, baseUrl: string | undefined): Promise<number> {
  const environment = readEnvironment({ folder: root, mode: 'production' });
  const options = resolveOptions({
    loader: { baseUrl },
    integration: {},
    environment: { ...environment, ARTICLES_OFFLINE: '' },
    command: 'build',
  });
  const print = printer(options);
  print.line(options.baseUrl);
  const { sample, notices } = await readSample(options);
  for (const notice of notices) print.marked('!', notice);
  const problems = await printSuggestions({ ...sample, options }, print, sampleSize);
  return notices.length + problems > 0 ? 1 : 0;
}

type Printer = ReturnType<typeof printer>;

/** Returns functions that print lines without the key, which a response may contain. */
function printer({ apiKey }: Pick<ResolvedOptions, 'apiKey'>) {
  const redactLine = createRedact(apiKey);
  const redact = (lines: string) => lines.split('\n').map(redactLine).join('\n');
  const line = (lines: string) => out(redact(lines));
  return {
    line,
    marked: (mark: keyof typeof colours, lines: string) =>
      out(`${styleText(colours[mark], mark)} ${redact(lines)}`),
    /** Says how much was checked. */
    share({ rows, count = rows.length }: Sample, articles: number) {
      line(`Checked ${articles} of ${count} articles, and ${rows.length} rows of the listing.`);
    },
  };
}

const colours = { '✓': 'green', '!': 'yellow', '?': 'cyan', '✗': 'red' } as const;

/**
 * Prints what suits a service.
 *
 * @returns the number of articles that were requested and cannot be used
 */
async function printSuggestions(
  read: Sample & { options: ResolvedOptions },
  print: Printer,
  articles: number,
): Promise<number> {
  const facts = await probe(read, articles);
  const problems = facts.fetched.flatMap(({ row, problem }) => (problem ? [{ row, problem }] : []));
  // A site's own load has reported the articles.
  if (articles === sampleSize) {
    for (const { row, problem } of problems) print.marked('!', `Article "${row.id}": ${problem}`);
    print.share(read, facts.fetched.length);
  }
  const findings = await suggest(facts);
  out('');
  for (const { mark, text } of findings) print.marked(mark, text);
  const options = Object.assign({}, ...findings.map(({ set }) => set));
  if (Object.keys(options).length > 0) {
    const code = inspect(options, { compact: false });
    print.line(`\nOptions that suit this service:\n\narticles(${code})`);
  }
  return problems.length;
}

/** Creates a folder that is removed when this process ends: Astro may write its store half a second after a load. */
function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'astro-articles-check-'));
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  return path;
}
