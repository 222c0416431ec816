import { articlesNote } from '../articles.ts';
import type { Bench, Table } from '../bench.ts';
import { megabytes, seconds, spread, times } from '../figures.ts';
import { type AstroRun, articlePage, makeSite, packageContent } from '../sites.ts';

const countOf = ({ quick }: Bench) => (quick ? 100 : 1000);

/** Builds that render only the pages of changed articles. */
export const incrementalTable: Table = {
  name: 'incremental',
  title: 'Incremental builds',
  about: (bench) =>
    `\`astro build\` of ${countOf(bench)} pages, one for each article, without covers, \`bodies: 'mirror'\`, a service without ` +
    'latency. *Incremental* is Astro’s `experimental.incrementalBuild` with `cacheKey: entry.digest` for each page. ' +
    articlesNote,
  columns: ['build', '÷ not incremental', 'process', 'pages rendered', 'peak memory'],

  async fill(bench, row) {
    const count = countOf(bench);
    const service = await bench.service(count);
    const make = (incremental: boolean) =>
      makeSite({
        content: packageContent,
        config:
          "integrations: [articles({ bodies: 'mirror' })], " +
          `experimental: { incrementalBuild: ${incremental} }`,
        page: articlePage({
          entry: 'await withBody(entry)',
          props: 'cacheKey: entry.digest',
          mark: 'markPage();',
        }),
        env: service.env,
      });
    const full = await make(false);
    const incremental = await make(true);
    let base: number[] = [];

    await row('not incremental, nothing changed', async () => {
      await full.astro('build');
      const runs = await bench.repeat(() => full.astro('build'));
      base = runs.map(({ wall }) => wall);
      return cellsOf(runs, base);
    });
    await row('incremental, first build', async () => {
      const first = async () => {
        await incremental.reset();
        return incremental.astro('build');
      };
      return cellsOf(await bench.repeat(first), base);
    });
    await row('incremental, nothing changed', async () =>
      cellsOf(await bench.repeat(() => incremental.astro('build')), base),
    );
    await row('incremental, one changed', async () => {
      const changed = async () => {
        const content = `Changed ${performance.now()}.`;
        await service.send({ kind: 'change', id: count, content });
        return incremental.astro('build');
      };
      return cellsOf(await bench.repeat(changed), base);
    });
  },
};

function cellsOf(runs: AstroRun[], base: readonly number[]): string[] {
  const walls = runs.map(({ wall }) => wall);
  const pages = runs.map((run) => run.pages);
  const peaks = runs.flatMap(({ peak }) => peak ?? []);
  return [
    times(walls, base),
    spread(walls, seconds),
    spread(pages, String),
    spread(peaks, megabytes),
  ];
}
