import { articlesNote } from '../articles.ts';
import type { Bench, BenchService, Table } from '../bench.ts';
import { milliseconds, seconds, spread, times, valuesOf } from '../figures.ts';
import type { AstroRun, BenchSite } from '../sites.ts';
import { bodiesVariants, globLabel, makeGlobSite, makePackageSite } from '../variants.ts';

const sizesOf = ({ quick }: Bench) => (quick ? [100] : [1000, 5000]);

type Make = (service: BenchService, count: number) => Promise<BenchSite>;

/** A translation that requests the same URLs. */
const translation = `fetch: (await import('astro-articles/client')).translateApi({
  async listRows({ offset, limit }, api) {
    const path = 'api/integrations/project/articles/?offset=' + offset + '&limit=' + limit;
    const { body } = await api.get(path, { 'x-project-api-key': api.key });
    return { rows: body.results, count: body.count };
  },
  async getArticle(id, api) {
    const path = 'api/integrations/project/articles/' + id + '/';
    return (await api.get(path, { 'x-project-api-key': api.key })).body;
  },
})`;
const packages = [
  ...bodiesVariants,
  { label: 'astro-articles, a translation', options: translation },
  { label: "astro-articles, `rows: 'whole'`", options: "rows: 'whole'" },
];
const variants: Record<string, Make> = {
  [globLabel]: (_, count) => makeGlobSite(count),
  ...Object.fromEntries(
    packages.map(({ label, options }): [string, Make] => [
      label,
      ({ env }) => makePackageSite(env, options),
    ]),
  ),
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
      const runs = new Map(Object.keys(variants).map((label) => [label, [] as AstroRun[]]));
      await bench.repeat(async () => {
        for (const [label, make] of Object.entries(variants)) {
          const site = await make(service, count);
          runs.get(label)?.push(await site.astro('sync'));
        }
      });
      const [base = []] = runs.values();
      for (const [label, results] of runs) {
        await row(`${label}, ${count}`, async () => {
          const cpuTimes = valuesOf(results, 'cpu');
          const perArticle = cpuTimes.map((cpu) => cpu / count);
          return [
            times(cpuTimes, valuesOf(base, 'cpu')),
            spread(cpuTimes, seconds),
            spread(perArticle, milliseconds),
            spread(valuesOf(results, 'load'), seconds),
          ];
        });
      }
    }
  },
};
