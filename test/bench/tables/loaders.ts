import { describedArticles } from '../articles.ts';
import type { Bench, Table } from '../bench.ts';
import { type Loads, loadCells, measureLoads } from '../loads.ts';
import { installOthers, othersFolder } from '../others.ts';
import { type BenchSite, makeSite, ourContent } from '../sites.ts';

const countOf = ({ quick }: Bench) => (quick ? 60 : 1000);
const latency = 20;

interface Variant {
  site: BenchSite;
  /** How many requests there were since it was last asked. */
  requests(): Promise<number>;
  /** Has the service answer the next request with 500. */
  failOnce(): Promise<number>;
}

/** Other loaders, each with its own kind of service. */
export const loadersTable: Table = {
  name: 'loaders',
  title: 'Against published loaders',
  about: (bench) =>
    `${countOf(bench)} articles without covers, ${latency} ms of latency, \`astro sync\`. Each loader asks a service of its own ` +
    'kind, which holds the same articles. **Their work differs.** Strapi, PocketBase and the feed give whole articles in ' +
    'their listings, so nothing is fetched one by one (ours with `trustList: true` does the same). Their loaders render no ' +
    'Markdown: entries hold it as text, so add the time of rendering for each article. They sanitise nothing, and ' +
    'download no images. Strapi’s asks for page after page, 25 articles each unless told otherwise, and never removes what ' +
    'is gone. PocketBase’s is told which field holds the date of the last change: a later load asks for all ids, and for ' +
    'what is newer. The feed is one document with all articles and an ETag. All check entries by the same schema; ours ' +
    'checks what the service said, too. *One HTTP 500* is one such answer, to the first request of a load, and what is ' +
    `then in the collection. ${describedArticles}`,
  columns: [
    'loader',
    'first ÷ ours',
    'later ÷ ours',
    'first load',
    'later load',
    'requests, first',
    'requests, later',
    'one HTTP 500, first',
    'one HTTP 500, later',
  ],

  async fill(bench, row) {
    await installOthers();
    let base: Loads | undefined;
    for (const { label, make } of variants) {
      await row(label, async () => {
        const variant = await make(bench);
        const loads = await measureLoads(bench, variant);
        if (label === 'ours') base = loads;
        const later = await afterFault(bench, variant);
        await variant.site.reset();
        const first = bench.quick ? '–' : await afterFault(bench, variant);
        return [...loadCells(loads, base), first, later];
      });
    }
  },
};

const variants = [
  { label: 'ours', make: ours('') },
  { label: 'ours, `trustList: true`', make: ours('trustList: true') },
  {
    label: 'strapi-community-astro-loader',
    make: published('strapiLoader', 'strapi-community-astro-loader', (url) => {
      return `{ contentType: 'article', clientConfig: { baseURL: '${url}/strapi/api' } }`;
    }),
  },
  {
    label: 'astro-loader-pocketbase',
    make: published('pocketbaseLoader', 'astro-loader-pocketbase', (url) => {
      const fields = "contentFields: 'content', updatedField: 'updated'";
      return `{ url: '${url}', collectionName: 'articles', ${fields} }`;
    }),
  },
  {
    label: '@ascorbic/feed-loader',
    make: published('feedLoader', '@ascorbic/feed-loader', (url) => `{ url: '${url}/feed.xml' }`),
  },
];

/** What one answer of 500 leads to, in words. */
async function afterFault(bench: Bench, { site, failOnce }: Variant): Promise<string> {
  await failOnce();
  const { status, entries } = await site.tryAstro('sync');
  return status === 0 ? `goes on with ${entries} of ${countOf(bench)} entries` : 'ends the build';
}

function ours(options: string) {
  return async (bench: Bench): Promise<Variant> => {
    const service = await bench.service(countOf(bench));
    await service.tell({ kind: 'latency', latency });
    const config = `integrations: [articles({ ${options} })]`;
    return {
      site: await makeSite({ content: ourContent, config, env: service.env }),
      requests: () => service.tell({ kind: 'requests' }),
      failOnce: () => service.tell({ kind: 'fail' }),
    };
  };
}

function published(loader: string, packageName: string, optionsFor: (url: string) => string) {
  return async (bench: Bench): Promise<Variant> => {
    const others = await bench.others(countOf(bench));
    await others.tell({ kind: 'latency', latency });
    const content = `
      import { defineCollection } from 'astro:content';
      import { z } from 'astro/zod';
      import { ${loader} } from '${packageName}';
      import { timed } from './marks.ts';
      const loader = timed(${loader}(${optionsFor(others.url)}));
      const schema = z.looseObject({ title: z.string() });
      export const collections = { articles: defineCollection({ loader, schema }) };`;
    return {
      site: await makeSite({ content }, othersFolder),
      requests: () => others.tell({ kind: 'requests' }),
      failOnce: () => others.tell({ kind: 'fail' }),
    };
  };
}
