import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pLimit from 'p-limit';
import { articlesNote } from '../articles.ts';
import type { Bench, Table } from '../bench.ts';
import { milliseconds, spread, valuesOf } from '../figures.ts';
import { startProgram } from '../processes.ts';
import type { MeasureCommand } from '../programs/kept.ts';
import type { ServerReady } from '../programs/site-server.ts';
import { makeSite } from '../sites.ts';

const countOf = ({ quick }: Bench) => (quick ? 40 : 1_000);
const openRequests = 16;
/** The number of requests after which all pages are purged. */
const purgeEvery = 100;

/** Pages that are rendered on demand. */
export const liveTable: Table = {
  name: 'live',
  title: 'Live pages',
  about: (bench) =>
    `${countOf(bench)} requests for pages of ${countOf(bench)} articles, ${openRequests} at once, on the Node adapter with ` +
    'Astro’s `memoryCache()`. *Cold*: each page is requested for the first time. *Warm*: all pages are cached. *Under ' +
    `purge*: all pages are purged after every ${purgeEvery} requests. The page by hand calls \`fetch()\`, renders with ` +
    'micromark, and checks, sanitises and caches nothing. The service and the client run on the same machine, so ' +
    `compare the CPU of the server. ${articlesNote}`,
  columns: ['page', 'requests', 'server CPU of a request', 'requests a second', 'to the service'],

  async fill(bench, row) {
    const count = countOf(bench);
    const service = await bench.service(count);
    const entry = await buildLiveSite(service.env);

    async function measure(folder: string, kind: 'cold' | 'warm' | 'purge'): Promise<string[]> {
      const runs = await bench.repeat(async () => {
        const { ready, program } = await startProgram<ServerReady, MeasureCommand, number>(
          'site-server',
          { entry, env: service.env },
        );
        try {
          if (kind === 'warm') await requestAll(ready.url);
          await service.send({ kind: 'requests' });
          const cpu = await program.send({ kind: 'cpu' });
          const start = performance.now();
          await requestAll(ready.url, kind === 'purge');
          const wall = performance.now() - start;
          return {
            cpu: ((await program.send({ kind: 'cpu' })) - cpu) / count,
            rate: (count / wall) * 1000,
            sent: await service.send({ kind: 'requests' }),
          };
        } finally {
          program.stop();
        }
      });
      return [
        kind === 'purge' ? 'under purge' : kind,
        spread(valuesOf(runs, 'cpu'), milliseconds),
        spread(valuesOf(runs, 'rate'), (value) => value.toFixed(0)),
        spread(valuesOf(runs, 'sent'), String),
      ];

      async function requestAll(url: string, purges = false): Promise<void> {
        const limit = pLimit(openRequests);
        const ids = Array.from({ length: count }, (_, index) => index + 1);
        await limit.map(ids, async (id) => {
          if (purges && id % purgeEvery === 0) await fetch(`${url}/purge`, { method: 'POST' });
          // With purges, the same few pages are requested again and again.
          const response = await fetch(`${url}/${folder}/${purges ? id % purgeEvery || id : id}`);
          if (!(await response.text()).includes('</html>')) throw new Error('a page is not whole');
        });
      }
    }

    for (const kind of ['cold', 'warm', 'purge'] as const) {
      await row('`liveArticlesLoader()`', () => measure('live', kind));
    }
    await row('by hand', () => measure('hand', 'cold'));
  },
};

/** Builds the site, and returns the URL of its server's module. */
export async function buildLiveSite(env: Record<string, string>): Promise<string> {
  const site = await makeSite({
    content: 'export const collections = {};',
    config: `
      output: 'server',
      adapter: (await import('@astrojs/node')).default({ mode: 'standalone' }),
      cache: { provider: (await import('astro/config')).memoryCache({ max: 10_000 }) },
      security: { checkOrigin: false },
      integrations: [articles()],`,
    env,
  });
  for (const [path, text] of Object.entries(pages)) await site.write(path, text);
  await site.astro('build');
  return pathToFileURL(join(site.root, 'dist/server/entry.mjs')).href;
}

const pages = {
  'src/live.config.ts': `
    import { defineLiveCollection } from 'astro:content';
    import { getSecret } from 'astro:env/server';
    import { liveArticleSchema, liveArticlesLoader } from 'astro-articles/live';
    const liveArticles = defineLiveCollection({
      loader: liveArticlesLoader({
        baseUrl: getSecret('ARTICLES_BASE_URL'),
        apiKey: getSecret('ARTICLES_API_KEY'),
      }),
      schema: liveArticleSchema,
    });
    export const collections = { liveArticles };`,
  'src/pages/live/[id].astro': `---
    import { getLiveEntry } from 'astro:content';
    import { ArticleBody } from 'astro-articles/components';
    const { entry } = await getLiveEntry('liveArticles', Astro.params.id ?? '');
    if (entry && Astro.cache?.enabled) Astro.cache.set({ ...entry.cacheHint, maxAge: 3600 });
    ---
    <html lang="en"><body>{entry && <ArticleBody article={entry} />}</body></html>`,
  'src/pages/hand/[id].astro': `---
    import { getSecret } from 'astro:env/server';
    import { micromark } from 'micromark';
    import { gfm, gfmHtml } from 'micromark-extension-gfm';
    const url = getSecret('ARTICLES_BASE_URL') + '/api/integrations/project/articles/' + Astro.params.id + '/';
    const headers = { 'X-PROJECT-API-KEY': getSecret('ARTICLES_API_KEY') ?? '' };
    const { content } = await (await fetch(url, { headers })).json();
    const html = micromark(content, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
    ---
    <html lang="en"><body><Fragment set:html={html} /></body></html>`,
  'src/pages/purge.ts': `
    export async function POST({ cache }) {
      await cache.invalidate({ tags: ['liveArticles'] });
      return new Response('done');
    }`,
};
