import { expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { deadLinks } from '../helpers/crawl.ts';
import { changed, createDocumentedSite, createQuickStart } from '../helpers/documented-site.ts';
import { codeBlocks, filesOf } from '../helpers/readme.ts';
import { isLong } from '../helpers/runs.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

// The code of the documentation, built and type-checked as a reader would paste it.

/** Each test builds a site and checks its types. */
const patience = { timeout: 300_000 };
const service = await useService({ articles: makeArticles(12, { cover: 'tides.jpg' }) });
const { keep } = useSites();

async function build(created: Promise<Site>): Promise<Site> {
  const site = await keep(created);
  await site.build(service.env);
  await site.check(service.env);
  return site;
}

it(
  'the quick start builds a list, and a page with a cover for each article, also as a project site of GitHub Pages',
  patience,
  async () => {
    const site = await build(createQuickStart());
    const list = await site.read('dist/index.html');
    const links = Array.from(list.matchAll(/href="(\/articles\/[^"]+\/)"/g), ([, path]) => path);
    expect(links).toHaveLength(12);
    for (const path of links) {
      const page = await site.read(`dist${path}index.html`);
      expect(page).toMatch(/<meta charset="utf-8"\s*\/?>/);
      expect(page).toContain('<meta name="viewport"');
      expect(page).toMatch(/<a href="\/">[\s\S]*<h1>[^<]+<\/h1>[\s\S]*<img [^>]*srcset="/);
    }
    const published = changed(filesOf('README.md'), codeBlocks('docs/guides/publish.md'));
    // A host that is not requested.
    const project = { site: 'https://owner.example.com', base: '/site' };
    const config = published['astro.config.mjs']?.replace('https://owner.github.io', project.site);
    await site.write('astro.config.mjs', config ?? '');
    await site.build(service.env);
    expect(await site.read('dist/index.html')).toContain('href="/site/articles/');
    expect(await deadLinks(site, project)).toEqual([]);
  },
);

it.each(isLong ? (['never', 'always'] as const) : (['always'] as const))(
  'with trailingSlash "%s", all pages together build in one site, and their code has no type errors',
  patience,
  async (trailingSlash) => {
    const site = await build(createDocumentedSite(trailingSlash, '/base'));
    const built = await site.list('dist/client');
    const pages = ['', 'archive/', 'covers/'].map((folder) => `${folder}index.html`);
    expect(built).toEqual(expect.arrayContaining([...pages, 'rss.xml']));
    const url = { site: 'https://www.example.com', base: '/base', trailingSlash };
    const published = { ...url, folder: 'dist/client' };
    const dead = await deadLinks(site, published);
    // Pagefind writes its files later, and `@astrojs/rss` ends the URL of the home page with a slash.
    const expected = /\/base\/pagefind\/|^\w+\.xml: https:\/\/www\.example\.com\/base\/$/;
    expect(dead.filter((link) => !expected.test(link))).toEqual([]);
  },
);
