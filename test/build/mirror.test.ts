import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

// All that a load does without the service, or with files that are missing, is in test/load.

const always = Number.POSITIVE_INFINITY;
const service = await useService({ articles: makeArticles(4, { cover: 'tides.jpg' }) });
const sites = useSites();
let site: Site;

beforeAll(async () => {
  const options = "{ retries: 0, failOn: process.env.FAIL_ON?.split(' ') }";
  site = await sites.create({ options });
  await site.build(service.env);
});
beforeEach(() => service.clearRequests());

it('the mirror has the articles after Astro has cleared its store', async () => {
  const config = await site.read('src/content.config.ts');
  await site.write('src/content.config.ts', `${config}\n// edited`);
  expect(await site.build(service.env)).toContain('Clearing content store');
  expect(await site.entries()).toHaveLength(4);
  expect(service.requests.map(({ kind }) => kind)).toEqual(['list']);
});

it('a build without the service fails, or uses the mirror without `service` in `failOn`', async () => {
  const fault = { kind: 'status', status: 503 } as const;
  const undo = service.fail({ on: 'any', times: always, fault });
  const store = await site.read('node_modules/.astro/data-store.json');
  const { status, output } = await site.astro(['build'], service.env);
  expect(status).toBe(1);
  expect(await site.read('node_modules/.astro/data-store.json')).toBe(store);
  const age = '(?:less than a minute|\\d+ minutes?) ago';
  expect(output).toMatch(
    new RegExp(`The mirror has articles from ${age}\\. Without \`'service'\` in \`failOn\``),
  );
  const kept = await site.build({ ...service.env, FAIL_ON: 'articles' });
  expect(kept).toMatch(new RegExp(`Using articles from ${age}, because the service is unav`));
  expect(await site.entries()).toHaveLength(4);
  undo();
});

it('an offline build sends no request, and needs no key', async () => {
  const offline = { ...service.env, ARTICLES_OFFLINE: '1', ARTICLES_API_KEY: '' };
  expect(await site.build(offline)).toContain('Offline: using articles from ');
  expect(await site.entries()).toHaveLength(4);
  expect(service.count()).toBe(0);
});

it('a mirror in a folder of the project builds the site elsewhere, without the service', async () => {
  const options = `{ mirrorDir: './mirror' }`;
  const home = await sites.create({ options });
  const away = await sites.create({ options });
  await home.build(service.env);
  await cp(join(home.root, 'mirror'), join(away.root, 'mirror'), { recursive: true });
  service.clearRequests();
  await away.build({ ARTICLES_OFFLINE: '1', ARTICLES_BASE_URL: service.url });
  expect(await away.entries()).toEqual(await home.entries());
  expect(service.count()).toBe(0);
});
