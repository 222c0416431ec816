import { articlesNote, benchArticles } from '../articles.ts';
import type { Bench, BenchService, Table } from '../bench.ts';
import { milliseconds, seconds, spread, times } from '../figures.ts';
import { type BenchSite, globContent, makeSite, packageContent, writeMarkdown } from '../sites.ts';

const sizesOf = ({ quick }: Bench) => (quick ? [100] : [1000, 5000]);

type Make = (service: BenchService, count: number) => Promise<BenchSite>;

const packageSite =
  (options: string): Make =>
  (service) =>
    makeSite({
      content: packageContent,
      config: `integrations: [articles(${options})]`,
      env: service.env,
    });

const variants: Record<string, Make> = {
  '`glob()`': async (_, count) => {
    const site = await makeSite({ content: globContent });
    for (const article of benchArticles(count)) await writeMarkdown(site, article);
    return site;
  },
  "astro-articles, `bodies: 'store'`": packageSite(''),
  "astro-articles, `bodies: 'mirror'`": packageSite("{ bodies: 'mirror' }"),
  'astro-articles, `trustList: true`': packageSite('{ trustList: true }'),
};

/** The CPU time of the loader in first loads. */
export const firstTable: Table = {
  name: 'first',
  title: 'First loads, against local files',
  about: () =>
    'The first `astro sync` of a site, in a new folder each time, alternating between the loaders. *CPU* is the CPU time ' +
    'of the process from the start of the loader to its end, and *load* is the elapsed time. `glob()` reads the ' +
    'same articles as local Markdown files. The service responds without latency on the same machine; its own ' +
    `CPU time is not counted. ${articlesNote}`,
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
      for (const [label, results] of runs) {
        await row(`${label}, ${count}`, async () => {
          const cpuTimes = results.map(({ cpu }) => cpu);
          return [
            times(
              cpuTimes,
              base.map(({ cpu }) => cpu),
            ),
            spread(cpuTimes, seconds),
            spread(
              cpuTimes.map((cpu) => cpu / count),
              milliseconds,
            ),
            spread(
              results.map(({ load }) => load),
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
