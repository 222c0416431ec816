import { articlesNote } from '../articles.ts';
import type { Bench, BenchService, Table } from '../bench.ts';
import { megabytes, seconds, spread, times, valuesOf } from '../figures.ts';
import { type AstroRun, articlePage, type BenchSite } from '../sites.ts';
import { changeOf, makePackageSite } from '../variants.ts';

const sizesOf = ({ quick }: Bench) => (quick ? [100] : [1000, 10_000]);

/** Builds that render only the pages of changed articles. */
export const incrementalTable: Table = {
  name: 'incremental',
  title: 'Incremental builds',
  about: (bench) =>
    `\`astro build\` of a site with one page per article (${sizesOf(bench).join(', ')}), without covers, \`bodies: 'mirror'\`, a service without ` +
    'latency. *Incremental* is Astro’s `experimental.incrementalBuild` with `cacheKey: entry.digest` for each page. ' +
    articlesNote,
  columns: ['articles, build', '÷ not incremental', 'process', 'pages rendered', 'peak memory'],

  async fill(bench, row) {
    for (const count of sizesOf(bench)) {
      const service = await bench.service(count);
      const full = await makeIncrementalSite(service, false);
      const incremental = await makeIncrementalSite(service, true);
      let base: number[] = [];

      await row(`${count}, not incremental, nothing changed`, async () => {
        await full.astro('build');
        const runs = await bench.repeat(() => full.astro('build'));
        base = valuesOf(runs, 'wall');
        return cellsOf(runs, base);
      });
      await row(`${count}, incremental, first build`, async () => {
        const first = async () => {
          await incremental.reset();
          return incremental.astro('build');
        };
        return cellsOf(await bench.repeat(first), base);
      });
      await row(`${count}, incremental, nothing changed`, async () =>
        cellsOf(await bench.repeat(() => incremental.astro('build')), base),
      );
      await row(`${count}, incremental, one changed`, async () => {
        const change = changeOf(service, count);
        const changed = async () => {
          await change();
          return incremental.astro('build');
        };
        return cellsOf(await bench.repeat(changed), base);
      });
    }
  },
};

function makeIncrementalSite({ env }: BenchService, incremental: boolean): Promise<BenchSite> {
  return makePackageSite(env, "bodies: 'mirror'", {
    config: `experimental: { incrementalBuild: ${incremental} }`,
    page: articlePage({ props: 'cacheKey: entry.digest', code: 'markPage();' }),
  });
}

function cellsOf(runs: AstroRun[], base: readonly number[]): string[] {
  const walls = valuesOf(runs, 'wall');
  const peaks = runs.flatMap(({ peak }) => peak ?? []);
  return [
    times(walls, base),
    spread(walls, seconds),
    spread(valuesOf(runs, 'pages'), String),
    spread(peaks, megabytes),
  ];
}
