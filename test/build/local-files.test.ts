import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { createGuide } from '../helpers/documented-site.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const dates = ['2026-03-01', '2026-03-03'];
const articles = makeArticles(2, { cover: 'tides.jpg' }).map((article, index) => ({
  ...article,
  id: ['first', 'second'][index] ?? '',
  title: `Article ${index}`,
  content: `Text of article ${index}.\n\n## A heading`,
  published_at: dates[index],
}));
const service = await useService({ articles });
const { keep } = useSites();

async function create(page: string, files: Record<string, string>): Promise<Site> {
  const site = await keep(createGuide(page, files));
  // It would have the same address as Starlight's page.
  await rm(join(site.root, 'src/pages/[...slug].astro'));
  return site;
}

async function build(site: Site) {
  await site.build(service.env);
  await site.check(service.env);
}

const linksIn = (html: string) => Array.from(html.matchAll(/href="\/(?:blog\/)?([^"]*)\/"/g));

it('a blog lists and shows articles, Markdown files and MDX files', async () => {
  const mdx = '---\ntitle: Later\npublished_at: 2026-03-04\n---\n\nIn {2 * 21} days.\n';
  const config = `
    import { defineConfig } from 'astro/config';
    import mdx from '@astrojs/mdx';
    import articles from 'astro-articles';
    export default defineConfig({ integrations: [articles(), mdx()] });`;
  const site = await create('docs/guides/local-files.md', {
    'astro.config.mjs': config,
    'src/blog/2026/later.mdx': mdx,
  });
  await build(site);
  const list = await site.read('dist/blog/index.html');
  expect(linksIn(list).map(([, id]) => id)).toEqual(['2026/later', 'second', 'about-us', 'first']);
  expect(await site.read('dist/blog/about-us/index.html')).toContain('We write about the sea.');
  expect(await site.read('dist/blog/2026/later/index.html')).toContain('In 42 days.');
  const article = await site.read('dist/blog/first/index.html');
  expect(article).toContain('Text of article 0.');
  expect(article).toMatch(/<img [^>]*srcset="/);
});

it('Starlight shows articles and its own pages in the sidebar', async () => {
  const site = await create('docs/guides/starlight.md', {
    'package.json': JSON.stringify({ type: 'module', dependencies: { '@astrojs/starlight': '*' } }),
    'src/content/docs/own/page.md': '---\ntitle: Own page\n---\n\nOwn text.\n',
  });
  await build(site);
  for (const path of ['index.html', 'first/index.html', 'own/page/index.html']) {
    const html = await site.read(`dist/${path}`);
    const [sidebar = ''] = /<nav class="sidebar[\s\S]*?<\/nav>/.exec(html) ?? [];
    expect(linksIn(sidebar).map(([, id]) => id)).toEqual(
      expect.arrayContaining(['first', 'second', 'own/page']),
    );
    expect(sidebar).toContain('News');
  }
  const article = await site.read('dist/first/index.html');
  expect(article).toContain('Text of article 0.');
  expect(article).toContain('id="a-heading"');
});

it('astro dev shows each change of a file and of an article, in any order', async () => {
  const site = await create('docs/guides/local-files.md', {
    'src/blog/changing.md': '---\ntitle: A file\npublished_at: 2026-03-05\n---\n\nFirst words.\n',
  });
  const server = await site.dev(service.env);
  const page = async (id: string) => (await fetch(`${server.url}/blog/${id}/`)).text();
  const refresh = async () => {
    const response = await fetch(`${server.url}/_articles/refresh`, { method: 'POST' });
    expect(response.status).toBe(200);
  };
  expect(await page('changing')).toContain('First words.');
  for (const words of ['Second words.', 'Third words.']) {
    service.change('first', { content: words });
    await refresh();
    expect(await page('first')).toContain(words);
    expect(await page('changing')).toContain(' words.');
    await site.write(
      'src/blog/changing.md',
      `---\ntitle: A file\npublished_at: 2026-03-05\n---\n\n${words}\n`,
    );
    await expect.poll(() => page('changing'), { timeout: 20_000 }).toContain(words);
    expect(await page('first')).toContain(words);
  }
  // Each change is loaded by one watcher.
  expect(server.output().match(/Reloaded data from/g)).toHaveLength(2);
});
