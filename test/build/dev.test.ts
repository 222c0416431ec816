import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { createSite, type DevServer, type Site, type SiteOptions } from '../helpers/site.ts';

let service: FixtureService;
let site: Site;
let server: DevServer | undefined;

beforeEach(async () => {
  service = await startService({ articles: makeArticles(3) });
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
  await site.remove();
  await service.close();
});

async function start(options?: SiteOptions): Promise<DevServer> {
  site = await createSite(options);
  server = await site.dev(service.env);
  return server;
}

async function entries({
  url,
}: DevServer): Promise<{ id: string; data: { slug: string; title: string } }[]> {
  return (await fetch(`${url}/entries.json`)).json();
}

test.each([7, 6] as const)(
  'uses options that are edited in astro.config, on Astro %i',
  async (astro) => {
    const dev = await start({ astro });
    expect((await entries(dev)).map(({ id }) => id).toSorted()).toEqual(['1', '2', '3']);

    const config = await site.read('astro.config.mjs');
    const edited = config.replace('articles()', `articles({ entryId: 'slug' })`);
    const slug = (await entries(dev))[0]?.data.slug;
    const idsAfterEdit = async () => {
      const ids = (await entries(dev).catch(() => [])).map(({ id }) => id);
      // Astro's watcher may start later than its server, and then misses an edit.
      if (!ids.includes(String(slug))) await site.write('astro.config.mjs', edited);
      return ids;
    };
    await expect.poll(idsAfterEdit, { interval: 4_000, timeout: 40_000 }).toContain(slug);
    const after = await entries(dev);
    expect(after.map(({ id }) => id)).toEqual(after.map(({ data }) => data.slug));
  },
);

test.each([7, 6] as const)('uses a key that is corrected in .env, on Astro %i', async (astro) => {
  const dotenv = (key: string) => `ARTICLES_BASE_URL=${service.url}\nARTICLES_API_KEY=${key}\n`;
  site = await createSite({ astro, files: { '.env': dotenv('wrong') } });
  server = await site.dev();
  const dev = server;
  expect(await entries(dev)).toEqual([]);
  expect(dev.output()).toContain('refused the API key');
  const entriesAfterEdit = async () => {
    const ids = await entries(dev).catch(() => []);
    if (ids.length === 0) await site.write('.env', dotenv(service.apiKey));
    return ids;
  };
  await expect.poll(entriesAfterEdit, { interval: 4_000, timeout: 40_000 }).toHaveLength(3);
});

test('.env can be written in several steps', async () => {
  const dotenv = `ARTICLES_BASE_URL=${service.url}\nARTICLES_API_KEY=${service.apiKey}\n`;
  site = await createSite({ files: { '.env': dotenv } });
  server = await site.dev();
  const dev = server;
  expect(await entries(dev)).toHaveLength(3);
  const restarts = () => dev.output().split('server restarted').length - 1;
  // Astro's watcher may start later than its server, and then misses an edit.
  await expect
    .poll(async () => restarts() || site.write('.env', `${dotenv}\n`), {
      interval: 2_000,
      timeout: 40_000,
    })
    .toBeGreaterThan(0);

  // A shell truncates the file before it writes. Each of the two restarts Vite.
  const before = restarts();
  await site.write('.env', '');
  await setTimeout(150);
  await site.write('.env', `${dotenv}ARTICLES_OFFLINE=0\n`);
  await expect.poll(restarts, { timeout: 30_000 }).toBeGreaterThan(before + 1);
  service.change(2, { title: 'Changed' });
  const url = /http:\/\/localhost:\d+/.exec(dev.output().split('server restarted').at(-1) ?? '');
  const current = { ...dev, url: url?.[0] ?? dev.url };
  const refresh = () => fetch(`${current.url}/_articles/refresh`, { method: 'POST' });
  await expect.poll(async () => (await refresh()).status, { timeout: 30_000 }).toBe(200);
  const titles = (await entries(current)).map(({ data }) => data.title);
  expect(titles).toContain('Changed');
  expect(dev.output()).not.toContain('module runner has been closed');
});

test('uses the mirror, with a warning, when the service is down', async () => {
  site = await createSite({ options: '{ retry: { limit: 0 } }' });
  expect(await site.astro(['build'], service.env)).toMatchObject({ status: 0 });
  service.fail({
    on: 'any',
    times: Number.POSITIVE_INFINITY,
    fault: { kind: 'status', status: 503 },
  });
  server = await site.dev(service.env);
  expect(await entries(server)).toHaveLength(3);
  expect(server.output()).toContain('because the service is unavailable');
});

test('starts with an empty collection without service and mirror', async () => {
  service.fail({ on: 'any', times: Number.POSITIVE_INFINITY, fault: { kind: 'close' } });
  const dev = await start({ options: '{ retry: { limit: 0 } }' });
  expect(await entries(dev)).toEqual([]);
  expect(dev.output()).toContain('There are no articles yet, because the service is unavailable');
});
