import { articlesNote, benchArticles } from '../articles.ts';
import type { Bench, BenchService, Table } from '../bench.ts';
import { megabytes, seconds, spread, times } from '../figures.ts';
import {
  articlePage,
  type BenchSite,
  globContent,
  makeSite,
  packageContent,
  writeMarkdown,
} from '../sites.ts';

const sizesOf = ({ quick }: Bench) => (quick ? [100] : [1000, 10_000, 50_000]);
/** Astro keeps its store as one string. With more articles, it exceeds the longest string of V8. */
const maxInStore = 13_000;
/** In megabytes. On a machine with 1.2 GB of memory, the default of Node is even smaller. */
const smallHeap = 600;

/** The time, memory and disk space of whole builds. */
export const buildTable: Table = {
  name: 'build',
  title: 'Whole builds',
  about: (bench) =>
    `\`astro build\` of a site with one page per article (${sizesOf(bench).join(', ')}), which calls \`render()\`; no covers, ` +
    'no index page, a service without latency, `totalTimeout` of an hour. *First* starts without caches, *later* builds again ' +
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
          const builds = await measure(bench, { site, repeats });
          if (label === globLabel) base = builds;
          const { store, mirror } = await site.sizes();
          await site.remove();
          return [
            times(builds.first, base?.first ?? []),
            times(builds.later, base?.later ?? []),
            spread(builds.first, seconds),
            spread(builds.later, seconds),
            spread(builds.firstPeaks, megabytes),
            spread(builds.laterPeaks, megabytes),
            megabytes(store),
            mirror > 0 ? megabytes(mirror) : '–',
          ];
        });
      }
    }
  },
};

const tooLarge = 'not measured: Astro’s store would exceed the longest string of V8';
const globLabel = '`glob()`';
const variants = [
  { label: globLabel, inStore: true, make: globSite },
  { label: "astro-articles, `bodies: 'store'`", inStore: true, make: packageSite('store') },
  { label: "astro-articles, `bodies: 'mirror'`", inStore: false, make: packageSite('mirror') },
  {
    label: `the same, heap of ${smallHeap} MB`,
    inStore: false,
    from: 50_000,
    make: packageSite('mirror', { NODE_OPTIONS: `--max-old-space-size=${smallHeap}` }),
  },
];

interface Builds {
  first: number[];
  later: number[];
  firstPeaks: number[];
  laterPeaks: number[];
}

async function measure(
  bench: Bench,
  { site, repeats }: { site: BenchSite; repeats: number },
): Promise<Builds> {
  const builds: Builds = { first: [], later: [], firstPeaks: [], laterPeaks: [] };
  const build = async (walls: number[], peaks: number[]) => {
    const { wall, peak } = await site.astro('build');
    walls.push(wall);
    if (peak) peaks.push(peak);
  };
  await bench.repeat(async () => {
    await site.reset();
    await build(builds.first, builds.firstPeaks);
    await build(builds.later, builds.laterPeaks);
  }, repeats);
  return builds;
}

async function globSite(_: BenchService, count: number): Promise<BenchSite> {
  const site = await makeSite({ content: globContent, page: articlePage() });
  for (const article of benchArticles(count)) await writeMarkdown(site, article);
  return site;
}

function packageSite(bodies: 'store' | 'mirror', extraEnv: Record<string, string> = {}) {
  return ({ env }: BenchService): Promise<BenchSite> =>
    makeSite({
      content: packageContent,
      config: `integrations: [articles({ bodies: '${bodies}', totalTimeout: 3_600_000 })]`,
      page: articlePage({ entry: 'await withBody(entry)' }),
      env: { ...env, ...extraEnv },
    });
}
