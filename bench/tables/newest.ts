import { articlesNote } from '../articles.ts';
import type { Bench, Table } from '../bench.ts';
import { megabytes, seconds, spread } from '../figures.ts';
import { articlePage, makeSite, packageContent } from '../sites.ts';

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
        const site = await makeSite({
          content: packageContent,
          config: `integrations: [articles({ newest: ${newestOf(bench)}, bodies: 'mirror' })]`,
          page: articlePage({ entry: 'await withBody(entry)' }),
          env: service.env,
        });
        const measure = async () => {
          await service.send({ kind: 'requests' });
          const { wall, peak = Number.NaN } = await site.astro('build');
          return { wall, peak, requests: await service.send({ kind: 'requests' }) };
        };
        const first = await bench.repeat(async () => {
          await site.reset();
          return measure();
        });
        const later = await bench.repeat(measure);
        await site.remove();
        return [
          spread(
            first.map(({ wall }) => wall),
            seconds,
          ),
          spread(
            first.map(({ peak }) => peak),
            megabytes,
          ),
          String(first.at(-1)?.requests),
          spread(
            later.map(({ wall }) => wall),
            seconds,
          ),
          String(later.at(-1)?.requests),
        ];
      });
    }
  },
};
