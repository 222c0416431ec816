import { benchArticles, describedArticles } from '../articles.ts';
import type { Bench, BenchService, Table } from '../bench.ts';
import { megabytes, seconds, spread, times } from '../figures.ts';
import {
  articlePage,
  type BenchSite,
  globContent,
  makeSite,
  ourContent,
  writeMarkdown,
} from '../sites.ts';

const sizesOf = ({ quick }: Bench) => (quick ? [100] : [1000, 10_000, 50_000]);
/** With more, Astro's store, one string, is longer than V8's longest. */
const mostInStore = 13_000;
/** In megabytes, for a small machine: Node itself allows less where it sees 1.2 GB of memory. */
const smallHeap = 600;

/** Whole builds, and what they take besides time. */
export const buildTable: Table = {
  name: 'build',
  title: 'Whole builds',
  about: (bench) =>
    `\`astro build\` of a page for each article (${sizesOf(bench).join(', ')}), which shows its text by \`render()\`; no covers, ` +
    'no index page, a service without latency, `totalTimeout` of an hour. *First* begins with nothing, *later* follows with ' +
    'nothing changed. `glob()` reads the same articles as local Markdown files. More than 10,000 are built once only. ' +
    'Memory is what Node takes at most. It lets its heap grow with the memory of the machine; a row with a heap of ' +
    `${smallHeap} MB, for 50,000 articles, shows what a small one needs. ` +
    '*Store* is the file of Astro’s content store, *beside it* is what we keep: the mirror, and the HTML. ' +
    describedArticles,
  columns: [
    'articles, loader',
    'first ÷ glob()',
    'later ÷ glob()',
    'first',
    'later',
    'peak memory, first',
    'peak memory, later',
    'store',
    'beside it',
  ],

  async fill(bench, row) {
    for (const count of sizesOf(bench)) {
      const service = await bench.service(count);
      const often = count > 10_000 ? 1 : bench.repeats;
      let base: Builds | undefined;
      for (const { label, make, inStore, from = 0 } of variants) {
        if (count < from) continue;
        await row(`${count}, ${label}`, async () => {
          if (inStore && count > mostInStore) return [impossible];
          const site = await make(service, count);
          const builds = await measure(bench, { site, often });
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

const impossible = 'not tried: Astro’s store would be longer than V8’s longest string';
const globLabel = '`glob()`';
const variants = [
  { label: globLabel, inStore: true, make: globSite },
  { label: "ours, `bodies: 'store'`", inStore: true, make: ourSite('store') },
  { label: "ours, `bodies: 'mirror'`", inStore: false, make: ourSite('mirror') },
  {
    label: `the same, heap of ${smallHeap} MB`,
    inStore: false,
    from: 50_000,
    make: ourSite('mirror', { NODE_OPTIONS: `--max-old-space-size=${smallHeap}` }),
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
  { site, often }: { site: BenchSite; often: number },
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
  }, often);
  return builds;
}

async function globSite(_: BenchService, count: number): Promise<BenchSite> {
  const site = await makeSite({ content: globContent, page: articlePage() });
  for (const article of benchArticles(count)) await writeMarkdown(site, article);
  return site;
}

function ourSite(bodies: 'store' | 'mirror', more: Record<string, string> = {}) {
  return ({ env }: BenchService): Promise<BenchSite> =>
    makeSite({
      content: ourContent,
      config: `integrations: [articles({ bodies: '${bodies}', totalTimeout: 3_600_000 })]`,
      page: articlePage({ whole: 'await withBody(entry)' }),
      env: { ...env, ...more },
    });
}
