import { beforeAll, expect, it } from 'vitest';
import { configOf, createNewestSite, titledArticles } from '../helpers/documented-site.ts';
import { secret, visitorOf } from '../helpers/newest-site.ts';
import { codeBlocks } from '../helpers/readme.ts';
import type { DevServer, Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

// The site of the guide "Beyond one machine" with the Cloudflare adapter, in workerd.

const wrangler = codeBlocks('docs/guides/live-pages.md').find(
  ({ language }) => language === 'jsonc',
);
const ownRules =
  '/from /articles/ 302\n/blog/:slug /articles/:slug 301\n/old/* /articles/:splat 301\n';

const service = await useService({ articles: titledArticles(30) });
const { keep } = useSites();
let site: Site;
let worker: DevServer;

beforeAll(async () => {
  const environment = { ARTICLES_API_KEY: service.apiKey, ARTICLES_BASE_URL: service.url };
  const variables = Object.entries({ ...environment, ARTICLES_WEBHOOK_SECRET: secret });
  site = await keep(
    createNewestSite({
      'astro.config.mjs': configOf('Cloudflare').replace('articles({', 'articles({ newest: 8,'),
      'wrangler.jsonc': wrangler?.code ?? '',
      '.dev.vars': variables.map(([name, value]) => `${name}=${value}\n`).join(''),
      'public/_redirects': ownRules,
    }),
  );
  await site.build(environment);
  for (const id of [26, 27, 28]) service.change(id, { title: `Ёлки, ${id} & “café”` });
  await site.build(environment);
  worker = await site.worker();
});
const { get, publish, expectRendered } = visitorOf(service, () => worker, 'cache-tag');

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
  for (const path of ['/', '/articles/title-25-25/', '/articles/ёлки-26-cafe-26/']) {
    expect(await get(path)).toMatchObject({ status: 200, requests: 0 });
  }
  await expectRendered();
});

it('verifies webhooks in the worker', async () => {
  expect(await publish(7, 'another-secret-of-tests')).toBe(401);
  // The purge follows after the response, because this runtime has no cache.
  expect(await publish(7)).toBe(202);
});
