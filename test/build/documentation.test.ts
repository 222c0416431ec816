import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { createDocumentedSite, createQuickStart } from '../helpers/documented-site.ts';
import type { Site } from '../helpers/site.ts';

// The code of the documentation, built and type-checked as a reader would paste it.

/** Each test builds a site and checks its types. */
const patience = { timeout: 300_000 };

let service: FixtureService;
const sites: Site[] = [];

beforeAll(async () => {
  service = await startService({ articles: makeArticles(12, { cover: 'tides.jpg' }) });
});
afterAll(async () => {
  for (const site of sites) await site.remove();
  await service.close();
});

async function expectToHold(site: Site): Promise<void> {
  const build = await site.astro(['build'], service.env);
  expect(build, build.output).toMatchObject({ status: 0 });
  const check = await site.astro(['check'], service.env);
  expect(check.output).toMatch(/- 0 errors/);
}

it(
  'the quick start builds a list, and a page with a cover for each article',
  patience,
  async () => {
    const site = await createQuickStart();
    sites.push(site);
    await expectToHold(site);
    const list = await site.read('dist/articles/index.html');
    const links = Array.from(list.matchAll(/href="(\/articles\/[^"]+\/)"/g), ([, path]) => path);
    expect(links).toHaveLength(12);
    for (const path of links) {
      const page = await site.read(`dist${path}index.html`);
      expect(page).toMatch(/<meta charset="utf-8"\s*\/?>/);
      expect(page).toContain('<meta name="viewport"');
      expect(page).toMatch(/<h1>[^<]+<\/h1>[\s\S]*<img [^>]*srcset="/);
    }
  },
);

it(
  'all pages together build in one site, and their code has no type errors',
  patience,
  async () => {
    const site = await createDocumentedSite();
    sites.push(site);
    await expectToHold(site);
    const built = await site.list('dist/client');
    for (const path of [
      'articles/index.html',
      'archive/index.html',
      'covers/index.html',
      'rss.xml',
    ]) {
      expect(built).toContain(path);
    }
  },
);
