import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { runs } from '../helpers/runs.ts';
import type { DevServer } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

/** Live pages in Astro's cache on the Node adapter, and the webhook that purges them. */

const secret = 'a-shared-secret-of-tests';
/** Delays, so that some pages are still being rendered when a purge ends. */
const slowRendering =
  'await new Promise((resolve) => setTimeout(resolve, Math.random() < 0.2 ? 60 : 0));';
const service = await useService({
  articles: [
    { id: 'a', title: 'version 0', content: 'Text.', cover_image: null },
    { id: 'b', title: 'other', content: 'Text.', cover_image: null },
  ],
});
const sites = useSites();
let server: DevServer;

beforeAll(async () => {
  service.beforeResponse = () => pause(Math.random() * 10);
  const site = await sites.create({
    files: {
      'astro.config.mjs': `
        import node from '@astrojs/node';
        import { defineConfig, memoryCache } from 'astro/config';
        import articles from 'astro-articles';
        export default defineConfig({
          output: 'server',
          adapter: node({ mode: 'standalone' }),
          integrations: [articles()],
          cache: { provider: memoryCache() },
        });`,
      'src/live.config.ts': `
        import { defineLiveCollection } from 'astro:content';
        import { liveArticleSchema, liveArticlesLoader } from 'astro-articles/live';
        const loader = liveArticlesLoader({ baseUrl: '${service.url}', apiKey: process.env.ARTICLES_API_KEY });
        export const collections = { news: defineLiveCollection({ loader, schema: liveArticleSchema }) };`,
      'src/content.config.ts': 'export const collections = {};',
      'src/pages/entries.json.ts': 'export const GET = () => new Response();',
      'src/pages/[...slug].astro': '',
      'src/pages/live/[id].astro': `---
        import { getLiveEntry } from 'astro:content';
        const { entry } = await getLiveEntry('news', Astro.params.id);
        ${slowRendering}
        if (entry) Astro.cache.set({ ...entry.cacheHint, maxAge: 60, swr: 86_400 });
        ---
        <title>{entry?.data.title}</title>`,
      'src/pages/slow/[id].astro': `---
        import { getLiveEntry } from 'astro:content';
        const { entry } = await getLiveEntry('news', Astro.params.id);
        await new Promise((resolve) => setTimeout(resolve, 2_000));
        Astro.cache.set({ ...entry.cacheHint, maxAge: 60, swr: 86_400 });
        ---
        <title>{entry.data.title}</title>`,
      'src/pages/live/index.astro': `---
        import { getLiveCollection } from 'astro:content';
        const { entries, cacheHint } = await getLiveCollection('news', { limit: 10 });
        ${slowRendering}
        Astro.cache.set({ ...cacheHint, maxAge: 60, swr: 86_400 });
        ---
        <title>{entries.map(({ data }) => data.title).join()}</title>`,
      'src/pages/api/purge.ts': `
        import { purge, webhook } from 'astro-articles/webhook';
        export const POST = webhook({ secret: '${secret}', actions: [purge({ collection: 'news' })] });`,
    },
  });
  await site.build();
  server = await site.serve({ ARTICLES_API_KEY: service.apiKey });
});

async function read(path: string): Promise<{ version: number; cache: string | null }> {
  const response = await fetch(server.url + path);
  const version = Number(/version (\d+)/.exec(await response.text())?.[1]);
  return { version, cache: response.headers.get('x-astro-cache') };
}

async function publish(version: number, id = 'a'): Promise<void> {
  service.change(id, { title: `version ${version}` });
  const response = await fetch(`${server.url}/api/purge`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'event-1', type: 'article.published', data: { id } }),
  });
  expect(response.status, await response.text()).toBe(200);
}

const publishes = runs(1).numRuns > 1 ? 1_000 : 60;

it(`shows each of ${publishes} published versions within a second and a half`, async () => {
  /** When the webhook of each version had its response. */
  const published: number[] = [0];
  const ages: number[] = [];
  let hits = 0;
  let over = false;
  async function readOnce(path: string): Promise<void> {
    const start = performance.now();
    const latest = published.length - 1;
    const { version, cache } = await read(path);
    if (version < latest) ages.push(start - (published[version + 1] ?? start));
    if (cache === 'HIT') hits += 1;
  }
  const readers = ['/live/a/', '/live/a/', '/live/a/', '/live/'].map(async (path) => {
    while (!over) {
      await readOnce(path);
      await pause(Math.random() * 10);
    }
  });
  for (let version = 1; version <= publishes; version++) {
    await publish(version);
    published.push(performance.now());
    await Promise.all([readOnce('/live/a/'), readOnce('/live/')]);
    await pause(Math.random() * 20);
  }
  over = true;
  await Promise.all(readers);
  expect(Math.max(0, ...ages)).toBeLessThan(1_500);
  expect(hits).toBeGreaterThan(publishes);
}, 600_000);

it('shows the new version of a page that took seconds to render during the purge within 12 seconds', async () => {
  service.change('b', { title: 'version 10' });
  const slow = read('/slow/b/');
  await pause(500);
  await publish(11, 'b');
  const start = performance.now();
  expect(await slow).toEqual({ version: 10, cache: 'MISS' });
  expect(await read('/slow/b/')).toEqual({ version: 10, cache: 'HIT' });
  await expect.poll(() => read('/slow/b/'), { timeout: 30_000 }).toMatchObject({ version: 11 });
  const duration = performance.now() - start;
  expect(duration).toBeGreaterThan(10_000);
  // The page is rendered again, which takes two seconds.
  expect(duration).toBeLessThan(16_000);
}, 60_000);
