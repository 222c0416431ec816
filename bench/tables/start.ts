import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { articlesNote } from '../articles.ts';
import type { Bench, Table } from '../bench.ts';
import { seconds, spread, times } from '../figures.ts';
import { startProgram } from '../processes.ts';
import type { MeasureCommand } from '../programs/kept.ts';
import type { ServerReady } from '../programs/site-server.ts';
import { articlePage, type BenchSite, makeFolder } from '../sites.ts';
import { bodiesVariants, globLabel, makeGlobSite, makePackageSite } from '../variants.ts';

const sizesOf = ({ quick }: Bench) => (quick ? [100] : [1000, 10_000]);
const repository = fileURLToPath(new URL('../../', import.meta.url));
const commands = ['sync', 'build', 'dev'] as const;

/** Whole processes of Astro, in sites that have installed the package. */
export const startTable: Table = {
  name: 'start',
  title: 'Whole commands, against local files',
  about: () =>
    'The CPU time of whole processes when nothing has changed, from the start of Node to their end, or until `astro dev` ' +
    'listens. The sites have the ' +
    'package in a folder of `node_modules`, as npm installs it: Vite would transform all modules of a linked one. The ' +
    `sites of builds have two pages. ${articlesNote}`,
  columns: ['loader, articles', ...commands.flatMap((name) => [`${name} ÷ glob()`, name])],

  async fill(bench, row) {
    const home = await makeFolder();
    for (const part of ['package.json', 'dist']) {
      await cp(join(repository, part), join(home, 'node_modules/astro-articles', part), {
        recursive: true,
      });
    }
    for (const count of sizesOf(bench)) {
      const { env } = await bench.service(count);
      const sites = await makeSites(env, { count, home });
      const runs = new Map(Object.keys(sites).map((label) => [label, emptyRuns()]));
      for (const site of Object.values(sites)) await site.astro('build');
      await bench.repeat(async () => {
        for (const [label, site] of Object.entries(sites)) {
          for (const command of commands) {
            runs.get(label)?.[command].push(await cpuOf(command, site, env));
          }
        }
      });
      const [base = emptyRuns()] = runs.values();
      for (const [label, cpu] of runs) {
        await row(`${label}, ${count}`, async () =>
          commands.flatMap((name) => [times(cpu[name], base[name]), spread(cpu[name], seconds)]),
        );
      }
    }
  },
};

type Command = (typeof commands)[number];

const emptyRuns = (): Record<Command, number[]> => ({ sync: [], build: [], dev: [] });

/** Returns the milliseconds of CPU of a command. */
async function cpuOf(
  command: Command,
  site: BenchSite,
  env: Record<string, string>,
): Promise<number> {
  if (command !== 'dev') return (await site.astro(command)).wholeCpu;
  const options = { root: site.root, env };
  const { program } = await startProgram<ServerReady, MeasureCommand, number>(
    'dev-server',
    options,
  );
  return program.send({ kind: 'cpu' }).finally(() => program.stop());
}

async function makeSites(
  env: Record<string, string>,
  { count, home }: { count: number; home: string },
): Promise<Record<string, BenchSite>> {
  const page = articlePage().replace('return entries.map', 'return entries.slice(0, 2).map');
  const ownPage = page
    .replace(/import .*astro-articles.*/, '')
    .replace('await withBody(entry)', 'entry');
  const files = await makeGlobSite(count, ownPage, home);
  const config = 'export default { devToolbar: { enabled: false } };';
  await files.write('astro.config.mjs', config);
  const sites: Record<string, BenchSite> = { [globLabel]: files };
  for (const { label, options } of bodiesVariants) {
    sites[label] = await makePackageSite(env, options, { page, home });
  }
  return sites;
}
