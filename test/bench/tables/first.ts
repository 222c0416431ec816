import { benchArticles, describedArticles } from '../articles.ts';
import type { Bench, BenchService, Table } from '../bench.ts';
import { milliseconds, seconds, spread, times } from '../figures.ts';
import { type BenchSite, globContent, makeSite, ourContent, writeMarkdown } from '../sites.ts';

const sizesOf = ({ quick }: Bench) => (quick ? [100] : [1000, 5000]);

type Make = (service: BenchService, count: number) => Promise<BenchSite>;

const ours =
  (options: string): Make =>
  (service) =>
    makeSite({
      content: ourContent,
      config: `integrations: [articles(${options})]`,
      env: service.env,
    });

const variants: Record<string, Make> = {
  '`glob()`': async (_, count) => {
    const site = await makeSite({ content: globContent });
    for (const article of benchArticles(count)) await writeMarkdown(site, article);
    return site;
  },
  "ours, `bodies: 'store'`": ours(''),
  "ours, `bodies: 'mirror'`": ours("{ bodies: 'mirror' }"),
  'ours, `trustList: true`': ours('{ trustList: true }'),
};

/** First loads, by the CPU time of the loader. */
export const firstTable: Table = {
  name: 'first',
  title: 'First loads, against local files',
  about: () =>
    'The first `astro sync` of a site, in a new folder each time, and each loader in turn. *CPU* is what the ' +
    'process uses from the start of the loader to its end, and *load* is the time that passes. `glob()` reads the ' +
    'same articles as local Markdown files. The service responds without latency on the same machine, and takes ' +
    `CPU of its own, which is not counted. ${describedArticles}`,
  columns: ['loader, articles', 'CPU ÷ glob()', 'CPU', 'CPU per article', 'load'],

  async fill(bench, row) {
    for (const count of sizesOf(bench)) {
      const service = await bench.service(count);
      const runs = new Map(Object.keys(variants).map((label) => [label, [] as Run[]]));
      await bench.repeat(async () => {
        for (const [label, make] of Object.entries(variants)) {
          const site = await make(service, count);
          runs.get(label)?.push(await site.astro('sync'));
        }
      });
      const [base = []] = runs.values();
      for (const [label, found] of runs) {
        await row(`${label}, ${count}`, async () => {
          const used = found.map(({ cpu }) => cpu);
          return [
            times(
              used,
              base.map(({ cpu }) => cpu),
            ),
            spread(used, seconds),
            spread(
              used.map((cpu) => cpu / count),
              milliseconds,
            ),
            spread(
              found.map(({ load }) => load),
              seconds,
            ),
          ];
        });
      }
    }
  },
};

interface Run {
  cpu: number;
  load: number;
}
