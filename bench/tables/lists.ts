import { join } from 'node:path';
import { articlesNote } from '../articles.ts';
import type { Bench, Table } from '../bench.ts';
import { seconds, spread, times } from '../figures.ts';
import { articlePage, type BenchSite } from '../sites.ts';
import { makePackageSite } from '../variants.ts';
import { drawCovers } from './covers.ts';

const countsOf = ({ quick }: Bench) => (quick ? [50] : [1_000, 4_000]);
/** With more articles, a list by `getCollection()` in each page takes minutes. */
const mostByEachPage = 1_000;

/** The time of a list of the latest articles on every page. */
export const listsTable: Table = {
  name: 'lists',
  title: 'A list on every page',
  about: (bench) =>
    `\`astro build\` of a site with one page per article (${countsOf(bench).join(' and ')}), each with its cover in one width, ` +
    'when nothing has changed. The list is the five latest articles with their covers. *With a cache in Astro* is ' +
    '`getCollection()` of an Astro that keeps the resolved data of each entry (`bench/upstream`). The sites are ' +
    `built in turn. ${articlesNote}`,
  columns: ['articles', 'list', '÷ without a list', 'build'],

  async fill(bench, row) {
    for (const count of countsOf(bench)) await fillRows(count, bench, row);
  },
};

const getCollection = "(await getCollection('articles')).slice(-5)";
const lists = [
  { label: 'none', list: '[]' },
  { label: '`getArticles()`', list: "(await getArticles('articles')).slice(0, 5)" },
  { label: '`getCollection()`', list: getCollection },
  { label: '`getCollection()` with a cache in Astro', list: getCollection, config: cacheInAstro() },
];

async function fillRows(count: number, bench: Bench, row: Parameters<Table['fill']>[1]) {
  const mediaFolder = join(bench.folder, `covers-${count}`);
  await drawCovers(mediaFolder, count);
  const { env } = await bench.service(count, { mediaFolder, covers: true });
  const built = lists.filter(
    ({ label }) => count <= mostByEachPage || label !== '`getCollection()`',
  );
  const sites: { label: string; site: BenchSite; walls: number[] }[] = [];
  for (const { label, list, config = '' } of built) {
    const site = await makePackageSite(env, '', { config, page: pageWith(list) });
    sites.push({ label, site, walls: [] });
  }
  for (const { site } of sites) await site.astro('build');
  await bench.repeat(async () => {
    for (const { site, walls } of sites) walls.push((await site.astro('build')).wall);
  });
  for (const { label, site, walls } of sites) {
    const base = sites[0]?.walls ?? [];
    await row(String(count), async () => [label, times(walls, base), spread(walls, seconds)]);
    await site.remove();
  }
}

function pageWith(list: string): string {
  return articlePage({
    imports: "import { Image } from 'astro:assets';\nimport { getArticles } from 'astro-articles';",
    code: `const latest = ${list};`,
    markup: `
      <Image src={entry.data.cover_image} alt="" width={320} />
      <ul>{latest.map(({ id, data }) =>
        <li><a href={id}>{data.title}</a><Image src={data.cover_image} alt="" width={320} /></li>)}</ul>`,
  });
}

/** A plugin of Vite that changes Astro's `getCollection()` as `bench/upstream` proposes. */
function cacheInAstro(): string {
  return `
    vite: { plugins: [{
      name: 'bench:cache',
      transform(code, id) {
        if (!id.endsWith('astro/dist/content/runtime.js')) return;
        const call = 'const data = resolveEntryData(rawEntry, imageAssetMap);';
        if (!code.includes(call)) throw new Error('getCollection() has changed');
        return code.replace(call, \`
          const data = resolved.get(rawEntry) ?? resolveEntryData(rawEntry, imageAssetMap);
          resolved.set(rawEntry, data);\`) + '\\nconst resolved = new WeakMap();';
      },
    }] },`;
}
