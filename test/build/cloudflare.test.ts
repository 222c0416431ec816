import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { createNewestSite, titledArticles } from '../helpers/documented-site.ts';
import { codeBlocks, filesOf } from '../helpers/readme.ts';
import type { DevServer, Site } from '../helpers/site.ts';

// The site of the guide "Beyond one machine" with the Cloudflare adapter, in workerd.

const page = 'docs/hosts/cloudflare.md';
const { 'astro.config.cloudflare.mjs': config = '' } = filesOf(page);
const wrangler = codeBlocks(page).find(({ language, path }) => language === 'jsonc' && !path);
const secret = 'a-secret-of-the-webhook';
const ownRules =
  '/from /articles/ 302\n/blog/:slug /articles/:slug 301\n/old/* /articles/:splat 301\n';

let service: FixtureService;
let site: Site;
let worker: DevServer;

beforeAll(async () => {
  service = await startService({ articles: titledArticles(30) });
  const environment = { ARTICLES_API_KEY: service.apiKey, ARTICLES_BASE_URL: service.url };
  const variables = Object.entries({ ...environment, ARTICLES_WEBHOOK_SECRET: secret });
  site = await createNewestSite({
    'astro.config.mjs': config.replace('articles({', 'articles({ newest: 8,'),
    'wrangler.jsonc': wrangler?.code ?? '',
    '.dev.vars': variables.map(([name, value]) => `${name}=${value}\n`).join(''),
    'public/_redirects': ownRules,
  });
  const build = async () => {
    const run = await site.astro(['build'], environment);
    expect(run, run.output).toMatchObject({ status: 0 });
  };
  await build();
  for (const id of [26, 27, 28]) service.change(id, { title: `Ёлки, ${id} & “café”` });
  await build();
  worker = await site.worker();
});
afterAll(async () => {
  await site.remove();
  await service.close();
});

async function get(path: string) {
  service.clearRequests();
  const response = await fetch(worker.url + encodeURI(path), { redirect: 'manual' });
  const text = await response.text();
  const location = decodeURI(response.headers.get('location') ?? '');
  const tags = response.headers.get('cache-tag')?.split(',');
  return { status: response.status, text, location, tags, requests: service.count() };
}

it('is built where Cloudflare’s tools copy the key next to the worker, for this machine', async () => {
  expect(await site.read('dist/server/.dev.vars')).toContain(service.apiKey);
});

it('has no redirect and no header that Cloudflare cannot read', async () => {
  expect(worker.output()).toContain('Parsed 9 valid redirect rules.');
  expect(worker.output()).toContain('Parsed 1 valid header rule.');
  expect(worker.output()).not.toMatch(/invalid/i);
});

it.each([
  ['/articles/title-26-26/', '/articles/ёлки-26-cafe-26/'],
  ['/articles/title-28-28', '/articles/ёлки-28-cafe-28/'],
  ['/from', '/articles/'],
  ['/blog/x', '/articles/x'],
])('redirects %s by a rule', async (path, location) => {
  const page = await get(path);
  expect(page).toMatchObject({ location, requests: 0 });
  expect([301, 302]).toContain(page.status);
});

it('serves built pages, and renders all others in the worker', async () => {
  for (const path of ['/articles/', '/articles/title-25-25/', '/articles/ёлки-26-cafe-26/']) {
    expect(await get(path)).toMatchObject({ status: 200, requests: 0 });
  }
  const older = await get('/articles/title-7-7/');
  expect(older).toMatchObject({ status: 200, requests: 1 });
  expect(older.text).toMatch(/<h1>Title 7<\/h1>[\s\S]*<p>/);
  expect(older.tags).toEqual(['liveArticles', 'liveArticles:7', 'astro-path:/articles/title-7-7/']);
  expect(await get('/articles/an-old-title-7/')).toMatchObject({
    status: 301,
    location: '/articles/title-7-7/',
  });
  const missing = await get('/articles/title-99/');
  expect(missing).toMatchObject({ status: 404, requests: 1 });
  expect(missing.tags).toContain('liveArticles:99');
});

it('renders the recipes of the guide in the worker', async () => {
  expect((await get('/articles/title-7-7.md')).text).toMatch(/^# Title 7\n/);
  expect((await get('/all/2/')).text.match(/<li>/g)).toHaveLength(10);
  expect((await get('/feed.xml')).text.match(/<item>/g)).toHaveLength(20);
  expect((await get('/sitemap-1.xml')).text.match(/<loc>/g)).toHaveLength(30);
});

it('verifies webhooks in the worker', async () => {
  const send = async (query: string) => {
    const response = await fetch(`${worker.url}/api/purge${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ article_id: 7 }),
    });
    return response.status;
  };
  expect(await send('?secret=another-secret-of-tests')).toBe(401);
  // The purge follows after the response, because this runtime has no cache.
  expect(await send(`?secret=${secret}`)).toBe(202);
});
