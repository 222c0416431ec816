import { articlesNote } from '../articles.ts';
import type { Bench, Table } from '../bench.ts';
import { megabytes, seconds, spread, valuesOf } from '../figures.ts';
import { measureBuilds } from '../loads.ts';
import { articlePage } from '../sites.ts';
import { makePackageSite } from '../variants.ts';

const sizesOf = ({ quick }: Bench) => (quick ? [1000, 10_000] : [100_000, 1_000_000]);
const newestOf = ({ quick }: Bench) => (quick ? 100 : 5000);

/** The time, memory and requests of builds that load the newest articles only. */
export const newestTable: Table = {
  name: 'newest',
  title: 'The newest articles of a large service',
  about: (bench) =>
    `\`astro build\` with \`articles({ newest: ${newestOf(bench)}, bodies: 'mirror' })\` of a service with ` +
    `${sizesOf(bench).join(', ')} articles, which makes each of them when it is requested. The site has one page per ` +
    'article. *First* starts without caches, *later* builds again with nothing changed. *Peak memory* is the maximum of ' +
    `the process. ${articlesNote}`,
  columns: [
    'articles',
    'first',
    'peak memory, first',
    'requests, first',
    'later',
    'requests, later',
  ],

  async fill(bench, row) {
    for (const count of sizesOf(bench)) {
      await row(String(count), async () => {
        const service = await bench.endlessService(count);
        const options = `newest: ${newestOf(bench)}, bodies: 'mirror'`;
        const site = await makePackageSite(service.env, options, { page: articlePage() });
        const requests: number[] = [];
        const { first, later } = await measureBuilds(bench, {
          site,
          async build() {
            await service.send({ kind: 'requests' });
            const run = await site.astro('build');
            requests.push(await service.send({ kind: 'requests' }));
            return run;
          },
        });
        await site.remove();
        return [
          spread(valuesOf(first, 'wall'), seconds),
          spread(
            first.map(({ peak = Number.NaN }) => peak),
            megabytes,
          ),
          String(requests.at(-2)),
          spread(valuesOf(later, 'wall'), seconds),
          String(requests.at(-1)),
        ];
      });
    }
  },
};
