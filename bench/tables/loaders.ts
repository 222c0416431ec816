import { join } from 'node:path';
import { articlesNote } from '../articles.ts';
import type { Bench, Table } from '../bench.ts';
import { seconds, spread, valuesOf } from '../figures.ts';
import { type Loads, loadCells, measureBuilds, measureLoads } from '../loads.ts';
import { installOtherLoaders, otherLoadersFolder } from '../others.ts';
import { articlePage, type BenchSite, benchFolder, makeSite } from '../sites.ts';
import { makePackageSite } from '../variants.ts';

const countOf = ({ quick }: Bench) => (quick ? 60 : 1000);
const latency = 20;

interface Variant {
  site: BenchSite;
  /** Returns the number of requests since the last call. */
  requests(): Promise<number>;
  /** Lets the next request fail with status 500. */
  failOnce(): Promise<number>;
}

/** Published loaders, each with the kind of service that it is made for. */
export const loadersTable: Table = {
  name: 'loaders',
  title: 'Against published loaders',
  about: (bench) =>
    `${countOf(bench)} articles without covers, ${latency} ms of latency, \`astro sync\`. Each loader uses its own kind of ` +
    'service with the same articles. **Their work differs.** The listings of Strapi, PocketBase and the feed contain whole ' +
    "articles, so no article is fetched on its own (with `rows: 'whole'`, this package does the same). Their loaders do " +
    'not render Markdown: entries contain the source, so add the time to render each article. They do not sanitise, and ' +
    'download no images. The Strapi loader requests pages of 25 articles by default, and never removes an entry. The ' +
    'PocketBase loader is configured with the field of the last change: a later load requests all ids, and the newer ' +
    'records. The feed is one document with all articles and an ETag. All loaders validate entries by the same schema; ' +
    'this package also validates responses. *One HTTP 500* is the result when the first request of a load fails with ' +
    `status 500 once. *Build* is \`astro build\` with a page for each article; in the pages of the other loaders, marked renders the ` +
    `Markdown, without colours of code. ${articlesNote}`,
  columns: [
    'loader',
    'first ÷ astro-articles',
    'later ÷ astro-articles',
    'first load',
    'later load',
    'requests, first',
    'requests, later',
    'build, first',
    'build, later',
    'one HTTP 500, first',
    'one HTTP 500, later',
  ],

  async fill(bench, row) {
    await installOtherLoaders();
    let base: Loads | undefined;
    for (const { label, make } of variants) {
      await row(label, async () => {
        const variant = await make(bench);
        const loads = await measureLoads(bench, variant);
        if (label === packageLabel) base = loads;
        const builds = await measureBuilds(bench, variant);
        const walls = [builds.first, builds.later].map((runs) =>
          spread(valuesOf(runs, 'wall'), seconds),
        );
        const later = await afterFault(bench, variant);
        await variant.site.reset();
        const first = bench.quick ? '–' : await afterFault(bench, variant);
        return [...loadCells(loads, base), ...walls, first, later];
      });
    }
  },
};

const packageLabel = 'astro-articles';
const variants = [
  { label: packageLabel, make: packageVariant('') },
  { label: `${packageLabel}, \`rows: 'whole'\``, make: packageVariant("rows: 'whole'") },
  { label: 'thirty lines of your own', make: ownVariant },
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

/** Describes the result of a load whose first request fails with status 500. */
async function afterFault(bench: Bench, { site, failOnce }: Variant): Promise<string> {
  await failOnce();
  const { status, entries } = await site.tryAstro('sync');
  return status === 0 ? `continues with ${entries} of ${countOf(bench)} entries` : 'build fails';
}

function packageVariant(options: string) {
  return async (bench: Bench): Promise<Variant> => {
    const service = await bench.service(countOf(bench));
    await service.send({ kind: 'latency', latency });
    return {
      site: await makePackageSite(service.env, options, { page: articlePage() }),
      requests: () => service.send({ kind: 'requests' }),
      failOnce: () => service.send({ kind: 'fail' }),
    };
  };
}

async function ownVariant(bench: Bench): Promise<Variant> {
  const service = await bench.service(countOf(bench));
  await service.send({ kind: 'latency', latency });
  const { ARTICLES_BASE_URL: url, ARTICLES_API_KEY: key } = service.env;
  const content = `
    import { defineCollection } from 'astro:content';
    import { z } from 'astro/zod';
    import { ownLoader } from '${join(benchFolder, 'own-loader.ts')}';
    import { timed } from './marks.ts';
    const loader = timed(ownLoader('${url}/', '${key}'));
    const schema = z.looseObject({ title: z.string() });
    export const collections = { articles: defineCollection({ loader, schema }) };`;
  return {
    site: await makeSite({ content, page: articlePage() }),
    requests: () => service.send({ kind: 'requests' }),
    failOnce: () => service.send({ kind: 'fail' }),
  };
}

function published(loader: string, packageName: string, optionsFor: (url: string) => string) {
  return async (bench: Bench): Promise<Variant> => {
    const services = await bench.otherServices(countOf(bench));
    await services.send({ kind: 'latency', latency });
    const content = `
      import { defineCollection } from 'astro:content';
      import { z } from 'astro/zod';
      import { ${loader} } from '${packageName}';
      import { timed } from './marks.ts';
      const loader = timed(${loader}(${optionsFor(services.url)}));
      const text = z.string().nullish();
      const schema = z.looseObject({ title: z.string(), content: text, description: text });
      export const collections = { articles: defineCollection({ loader, schema }) };`;
    return {
      site: await makeSite({ content, page: markedPage }, otherLoadersFolder),
      requests: () => services.send({ kind: 'requests' }),
      failOnce: () => services.send({ kind: 'fail' }),
    };
  };
}

/** A page as the sites of loaders have it that store Markdown. */
const markedPage = `---
  import { getCollection } from 'astro:content';
  import { marked } from 'marked';
  export async function getStaticPaths() {
    const entries = await getCollection('articles');
    return entries.map((entry) => ({ params: { id: entry.id }, props: { entry } }));
  }
  const { data } = Astro.props.entry;
  const html = marked.parse(data.content ?? data.description);
  ---
  <html lang="en">
    <head><meta charset="utf-8" /><title>{data.title}</title></head>
    <body><h1>{data.title}</h1><Fragment set:html={html} /></body>
  </html>`;
