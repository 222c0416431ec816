import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { SampleLoads } from '../../content/site-state.ts';
import { ArticlesError, messageOf, printable } from '../../errors.ts';
import { createRedactLines } from '../../http/api-key.ts';
import { printReport } from '../../report/load-report.ts';
import { sampleSize, spread } from '../../sync/list.ts';
import { type Command, CommandError, folder, type OptionValues } from '../command.ts';
import { loadSite } from './sample-load.ts';
import { suggest } from './suggest.ts';

export const checkCommand: Command = {
  name: 'check',
  options: { root: { type: 'string' } },
  help: `Usage: astro-articles check [options]

Loads a few pages of the listing and at most ${sampleSize} articles as a build does, with the options
and schemas of the site, and keeps nothing. It prints the report of the load, and which options suit
the service.

Options:
  --root <folder>  The folder of the site (default: this one)
  --help           Shows this text`,
  run: check,
};

async function check({ root = '.' }: OptionValues): Promise<number> {
  if (Number.parseInt(process.versions.node, 10) < 22) {
    throw new CommandError(`This is Node ${process.versions.node}.`, 'Astro needs 22.13 or newer.');
  }
  const sample: SampleLoads = { folder: temporaryFolder(), read: new Map() };
  const loads = await loadSite(folder(root), sample);
  for (const { collection, report, error } of loads) {
    const read = sample.read.get(collection);
    // Without options, no load has started.
    if (!read) throw error;
    const { rows, options } = read;
    // Some services send the count of a page.
    const listed = Math.max(read.count ?? 0, rows.length);
    const count = Math.min(listed, options.newest ?? listed);
    // A response may contain the key.
    const redact = createRedactLines([options.apiKey]);
    const print = (text: string) => console.log(redact(text));
    print(loads.length > 1 ? `${collection}: ${options.baseUrl}` : options.baseUrl);
    if (report) printReport(report, { info: print, warn: (line) => print(`! ${line}`) });
    if (error) print(`✗ ${messageOf(error)}`);
    if (ArticlesError.is(error)) print(error.hint);
    if (rows.length === 0) continue;
    const { length } = spread(rows, sampleSize);
    print(`Checked ${length} of ${count} articles, and ${rows.length} rows of the listing.\n`);
    const findings = await suggest({ ...read, count });
    for (const { mark, text } of findings) print(`${mark} ${printable(text)}`);
    const suited = Object.assign({}, ...findings.map(({ set }) => set));
    if (Object.keys(suited).length === 0) continue;
    const code = inspect(suited, { compact: false });
    const place = loads.length > 1 ? 'articlesLoader' : 'articles';
    print(`\nOptions that suit this service:\n\n${place}(${code})`);
  }
  return loads.some(({ error }) => error) ? 1 : 0;
}

/** Creates a folder that is removed when this process ends: Astro may write its store half a second after a load. */
function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'astro-articles-check-'));
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  return path;
}
