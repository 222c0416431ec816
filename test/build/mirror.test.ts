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
const options = "{ mirrorDir: './mirror', retries: 0, failOn: process.env.FAIL_ON?.split(' ') }";
let site: Site;

beforeAll(async () => {
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
  expect(output).toMatch(/The mirror has articles from .* GMT\. Without `'service'` in `failOn`/);
  const kept = await site.build({ ...service.env, FAIL_ON: 'articles' });
  expect(kept).toMatch(/Using articles from .* GMT, because the service is unav/);
  expect(await site.entries()).toHaveLength(4);
  undo();
});

it('an offline build of a copied mirror needs no service and no key', async () => {
  const away = await sites.create({ options });
  await cp(join(site.root, 'mirror'), join(away.root, 'mirror'), { recursive: true });
  const output = await away.build({ ARTICLES_OFFLINE: '1', ARTICLES_BASE_URL: service.url });
  expect(output).toContain('Offline: using articles from ');
  expect(await away.entries()).toEqual(await site.entries());
  expect(service.count()).toBe(0);
});
