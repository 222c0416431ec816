import { articlesNote } from '../articles.ts';
import type { Bench, BenchService, Table } from '../bench.ts';
import { megabytes, spread } from '../figures.ts';
import { type Builds, buildCells, measureBuilds } from '../loads.ts';
import { type AstroRun, articlePage } from '../sites.ts';
import { bodiesVariants, globLabel, makeGlobSite, makePackageSite } from '../variants.ts';

const sizesOf = ({ quick }: Bench) => (quick ? [100] : [1000, 10_000, 50_000]);
/** Astro keeps its store as one string. With more articles, it exceeds the longest string of V8. */
const maxInStore = 22_000;
/** In megabytes. On a machine with 1.2 GB of memory, the default of Node is even smaller. */
const smallHeap = 600;

/** The time, memory and disk space of whole builds. */
export const buildTable: Table = {
  name: 'build',
  title: 'Whole builds',
  about: (bench) =>
    `\`astro build\` of a site with one page per article (${sizesOf(bench).join(', ')}), which calls \`render()\`; no covers, ` +
    'no index page, a service without latency. *First* starts without caches, *later* builds again ' +
    'with nothing changed. `glob()` reads the same articles as local Markdown files. More than 10,000 articles are built only ' +
    'once. *Peak memory* is the maximum of the process. The default heap limit of Node depends on the memory of the machine; ' +
    `the row with a heap of ${smallHeap} MB, for 50,000 articles, shows a small machine. ` +
    '*Store* is the file of Astro’s content store, *mirror* is the folder of this package, with articles and HTML. ' +
    articlesNote,
  columns: [
    'articles, loader',
    'first ÷ glob()',
    'later ÷ glob()',
    'first',
    'later',
    'peak memory, first',
    'peak memory, later',
    'store',
    'mirror',
  ],

  async fill(bench, row) {
    for (const count of sizesOf(bench)) {
      const service = await bench.service(count);
      const repeats = count > 10_000 ? 1 : bench.repeats;
      let base: Builds | undefined;
      for (const { label, make, inStore, from = 0 } of variants) {
        if (count < from) continue;
        await row(`${count}, ${label}`, async () => {
          if (inStore && count > maxInStore) return [tooLarge];
          const site = await make(service, count);
          const builds = await measureBuilds(bench, { site, repeats });
          if (label === globLabel) base = builds;
          const { store, mirror } = await site.sizes();
          await site.remove();
          return [
            ...buildCells(builds, base),
            ...[builds.first, builds.later].map((runs) => spread(peaksOf(runs), megabytes)),
            megabytes(store),
            mirror > 0 ? megabytes(mirror) : '–',
          ];
        });
      }
    }
  },
};

const tooLarge = 'not measured: Astro’s store would exceed the longest string of V8';
const peaksOf = (runs: AstroRun[]) => runs.flatMap(({ peak }) => peak ?? []);
const globPage = articlePage({ entry: 'entry' });
const packageSite =
  (options: string, extraEnv: Record<string, string> = {}) =>
  ({ env }: BenchService) =>
    makePackageSite({ ...env, ...extraEnv }, options, {
      page: articlePage(),
    });
const variants = [
  {
    label: globLabel,
    inStore: true,
    make: (_: BenchService, count: number) => makeGlobSite(count, globPage),
  },
  ...bodiesVariants.map(({ label, options }) => {
    return { label, inStore: options.includes('store'), make: packageSite(options) };
  }),
  {
    label: `the same, heap of ${smallHeap} MB`,
    inStore: false,
    from: 50_000,
    make: packageSite("bodies: 'mirror'", { NODE_OPTIONS: `--max-old-space-size=${smallHeap}` }),
  },
];
