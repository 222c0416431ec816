import { execFile } from 'node:child_process';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { articlesNote } from '../articles.ts';
import type { Bench, Table } from '../bench.ts';
import { megabytes, seconds, spread, times, valuesOf } from '../figures.ts';
import { articlePage, type BenchSite } from '../sites.ts';
import {
  bodiesVariants,
  type ChangingSite,
  changeOf,
  globLabel,
  makeChangingFiles,
  makePackageSite,
} from '../variants.ts';

const execute = promisify(execFile);
const sizesOf = ({ quick }: Bench) => (quick ? [100] : [1000, 10_000]);

/** The steps of a CI job that depend on the number of articles. */
export const jobTable: Table = {
  name: 'job',
  title: 'The CI job',
  about: (bench) =>
    `A job restores \`node_modules/.astro\`, builds a site with one page per article (${sizesOf(bench).join(', ')}) ` +
    'and saves the folder again. Restoring and saving is `tar` with zstd, as CI caches do, on the disk of this machine; the ' +
    'transfer to the store of the host comes on top, in proportion to the archive. *Load* is the time of the loader, which is a ' +
    'part of *build*. The install is not measured, because it is the same for all rows. `glob()` reads the same articles as ' +
    `local Markdown files, and keeps Astro’s store in its cache. ${articlesNote}`,
  columns: [
    'articles, job',
    'job ÷ glob()',
    'job',
    'restore',
    'load',
    'build',
    'save',
    'archive',
    'files in the cache',
  ],

  async fill(bench, row) {
    for (const count of sizesOf(bench)) {
      const bases = new Map<string, number[]>();
      for (const { label, make } of variants) {
        const { site, change } = await make(bench, count);
        for (const kind of ['first', 'unchanged', 'one changed'] as const) {
          await row(`${count}, ${label}, ${kind}`, async () => {
            const jobs: Job[] = [];
            await bench.repeat(async () => {
              if (kind === 'one changed') await change();
              jobs.push(await runJob(site, bench.folder, kind === 'first'));
            });
            const totals = jobs.map(({ restore, build, save }) => restore + build + save);
            if (label === globLabel) bases.set(kind, totals);
            const last = jobs.at(-1);
            return [
              times(totals, bases.get(kind) ?? []),
              spread(totals, seconds),
              ...(['restore', 'load', 'build', 'save'] as const).map((step) =>
                spread(valuesOf(jobs, step), seconds),
              ),
              megabytes(last?.archive ?? 0),
              String(last?.files ?? 0),
            ];
          });
        }
        await site.remove();
      }
    }
  },
};

interface Job {
  restore: number;
  load: number;
  build: number;
  save: number;
  /** Bytes of the saved archive. */
  archive: number;
  files: number;
}

/** Runs one job on a machine that has only the saved archive. */
async function runJob(site: BenchSite, folder: string, isFirst: boolean): Promise<Job> {
  // Not in the folder of the site, whose files shape entries.
  const archive = join(folder, 'cache.tar.zst');
  const cache = join(site.root, 'node_modules/.astro');
  await site.reset();
  if (isFirst) await rm(archive, { force: true });
  const restore = isFirst ? 0 : await timed(() => tar(site, ['-xf', archive]));
  const { wall, load } = await site.astro('build');
  const save = await timed(() => tar(site, ['-cf', archive, 'node_modules/.astro']));
  const files = (await readdir(cache, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  return {
    restore,
    load,
    build: wall,
    save,
    archive: (await stat(archive)).size,
    files: files.length,
  };
}

/** Runs `tar` with zstd on all cores, as the cache action of GitHub does. */
async function tar({ root }: BenchSite, args: string[]): Promise<void> {
  await execute('tar', ['--use-compress-program', 'zstd -T0', '-C', root, ...args]);
  // Writing to the disk is a part of the job.
  await execute('sync', ['-f', root]);
}

async function timed(task: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await task();
  return performance.now() - start;
}

const variants = [
  {
    label: globLabel,
    make: (_: Bench, count: number) => makeChangingFiles(count, articlePage({ entry: 'entry' })),
  },
  ...bodiesVariants.map(({ label, options }) => ({
    label,
    async make(bench: Bench, count: number): Promise<ChangingSite> {
      const service = await bench.service(count);
      const site = await makePackageSite(service.env, options, { page: articlePage() });
      return { site, change: changeOf(service, count) };
    },
  })),
];
