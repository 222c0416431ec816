import { articlesNote } from '../articles.ts';
import type { Bench, Table } from '../bench.ts';
import { seconds, spread, times } from '../figures.ts';
import { articlePage, type BenchSite } from '../sites.ts';
import { bodiesVariants, makePackageSite } from '../variants.ts';

const countOf = ({ quick }: Bench) => (quick ? 100 : 1000);

/** The time of a list of the latest articles on every page. */
export const listsTable: Table = {
  name: 'lists',
  title: 'A list on every page',
  about: (bench) =>
    `\`astro build\` of a site with one page per article (${countOf(bench)}), when nothing has changed. *With a list* shows the ` +
    'five latest articles on each page: read with `getCollection()` by every page, or once by a module that the pages import. ' +
    `The sites are built in turn. ${articlesNote}`,
  columns: ['site', '÷ without a list', 'build'],

  async fill(bench, row) {
    const { env } = await bench.service(countOf(bench));
    const walls = new Map<string, number[]>();
    const sites: [string, BenchSite][] = [];
    for (const { label, options, list } of variants) {
      const site = await makePackageSite(env, options, { page: pageWith(list) });
      await site.write('src/latest.ts', latestModule);
      sites.push([label, site]);
    }
    for (const [, site] of sites) await site.astro('build');
    await bench.repeat(async () => {
      for (const [label, site] of sites) {
        const { wall } = await site.astro('build');
        walls.set(label, [...(walls.get(label) ?? []), wall]);
      }
    });
    for (const { label, base } of variants) {
      await row(label, async () => {
        const own = walls.get(label) ?? [];
        return [times(own, walls.get(base) ?? []), spread(own, seconds)];
      });
    }
  },
};

const lists = {
  'without a list': 'const latest = [];',
  'list by every page': "const latest = latestOf(await getCollection('articles'));",
  'list by a module': 'const latest = await readLatest();',
};
const variants = bodiesVariants.flatMap(({ options }) =>
  Object.entries(lists).map(([name, list]) => {
    const [label, base] = [`\`${options}\`, ${name}`, `\`${options}\`, without a list`];
    return { label, base, options, list };
  }),
);

const latestModule = `
  import { getCollection } from 'astro:content';
  export const latestOf = (entries) =>
    entries.toSorted((a, b) => b.data.position - a.data.position).slice(0, 5);
  let latest;
  export const readLatest = () => (latest ??= getCollection('articles').then(latestOf));`;

function pageWith(list: string): string {
  return articlePage({
    imports: "import { latestOf, readLatest } from '../latest.ts';",
    code: list,
    markup: '<ul>{latest.map(({ id, data }) => <li><a href={id}>{data.title}</a></li>)}</ul>',
  });
}
