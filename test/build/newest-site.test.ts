import { beforeAll, describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { changed, createNewestSite, titledArticles } from '../helpers/documented-site.ts';
import { secret, visitorOf } from '../helpers/newest-site.ts';
import { codeBlocks } from '../helpers/readme.ts';
import { isLong } from '../helpers/runs.ts';
import type { DevServer, Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

// The site of the guide "Beyond one machine" on the Node adapter.

const newest = 10;
const service = await useService({ articles: titledArticles(60) });
const environment = { ...service.env, ARTICLES_WEBHOOK_SECRET: secret };
const { keep } = useSites();
let site: Site;
let server: DevServer;
let buildRequests: number;

beforeAll(async () => {
  service.change(50, { title: 'Ёлки и снег' });
  const created = createNewestSite({
    'astro.config.mjs': `
      import { defineConfig, memoryCache } from 'astro/config';
      import node from '@astrojs/node';
      import articles from 'astro-articles';
      export default defineConfig({
        site: 'https://www.example.com',
        adapter: node({ mode: 'standalone' }),
        integrations: [articles({ newest: ${newest}, bodies: 'mirror' })],
        cache: { provider: memoryCache() },
        security: { checkOrigin: false },
      });`,
  });
  site = await keep(created);
  await site.build(environment);
  buildRequests = service.count();
  server = await site.serve(environment);
});
const { get, publish } = visitorOf(service, () => server);

it.runIf(isLong)('has no type errors', () => site.check(environment));

it('is built from the newest articles only', async () => {
  expect(buildRequests).toBe(1 + newest);
  const files = (await site.list('dist/client/articles')).filter((path) => path !== 'index.html');
  const built = files.filter((path) => path.endsWith('index.html'));
  expect(built).toHaveLength(newest);
  expect(built).toContain('title-60/index.html'.replace('60', '60-60'));
});

describe('a page', () => {
  it('of one of the newest articles is built', async () => {
    const page = await get('/articles/title-60-60/');
    expect(page).toMatchObject({ status: 200, requests: 0 });
    expect(page.text).toContain('<h1>Title 60</h1>');
  });

  it('of any other article is rendered on demand, at the same kind of URL', async () => {
    for (const id of [49, 25, 1]) {
      const page = await get(`/articles/title-${id}-${id}/`);
      expect(page).toMatchObject({ status: 200, requests: 1 });
      expect(page.text).toContain(`<h1>Title ${id}</h1>`);
      expect(page.text).toMatch(/<main>[\s\S]*<p>/);
    }
  });

  it.each([
    ['/articles/a-former-title-49/', '/articles/title-49-49/'],
    ['/articles/a-former-title-60/', '/articles/title-60-60/'],
    ['/articles/7/', '/articles/title-7-7/'],
    ['/articles/title-50-50/', '/articles/ёлки-и-снег-50/'],
  ])('at the outdated URL %s redirects to %s', async (path, location) => {
    expect(await get(path)).toMatchObject({ status: 301, location });
    const target = await get(location);
    expect(target.status).toBe(200);
  });

  it('of an unknown article is not found, and a path without an id causes no request', async () => {
    expect(await get('/articles/title-999/')).toMatchObject({ status: 404, requests: 1 });
    expect(await get('/articles/knots-kmgao3uroy/')).toMatchObject({ status: 404, requests: 0 });
    expect(await get('/articles/a/title-25/')).toMatchObject({ status: 404, requests: 0 });
  });

  it('of a new article is readable at its final URL after the webhook, before any build', async () => {
    const path = '/articles/a-new-title-900/';
    expect(await get(path)).toMatchObject({ status: 404 });
    service.add({ id: 900, title: 'A new title', content: 'New text.', cover_image: null });
    // The page of the missing article is cached until the webhook arrives.
    expect(await get(path)).toMatchObject({ status: 404, requests: 0 });
    expect([200, 202]).toContain(await publish(900));
    const page = await get(path);
    expect(page).toMatchObject({ status: 200 });
    expect(page.text).toContain('New text.');
    service.change(900, { title: 'A newer title' });
    await publish(900);
    expect(await get(path)).toMatchObject({
      status: 301,
      location: '/articles/a-newer-title-900/',
    });
    service.remove(900);
    await publish(900);
  });
});

describe('the recipes', () => {
  it('list all articles, page by page', async () => {
    const listed: string[] = [];
    let path = '/all/1/';
    // The second page shows one article less, because one is a draft.
    service.change(30, { content: '' });
    for (let pages = 0; path && pages < 10; pages++) {
      const { status, text } = await get(path);
      const links = Array.from(text.matchAll(/<li><a href="([^"]+)"/g), ([, href = '']) => href);
      expect(status).toBe(200);
      listed.push(...links);
      path = /href="([^"]+)" rel="next"/.exec(text)?.[1] ?? '';
    }
    service.change(30, { content: 'Published.' });
    expect(listed).toHaveLength(59);
    expect(new Set(listed).size).toBe(59);
    expect(await get('/all/4/')).toMatchObject({ status: 404 });
    for (const link of listed.slice(-2)) expect(await get(link)).toMatchObject({ status: 200 });
    expect(await get('/all/x/')).toMatchObject({ status: 302, location: '/all/1/' });
  });

  it('write sitemaps of all pages, built or not, whose URLs are right', async () => {
    const index = await get('/sitemap-index.xml');
    const files = Array.from(index.text.matchAll(/<loc>https:\/\/www\.example\.com([^<]+)/g));
    expect(files.map(([, path]) => path)).toEqual(['/sitemap-0.xml', '/sitemap-1.xml']);
    const { text } = await get('/sitemap-1.xml');
    const urls = Array.from(
      text.matchAll(/<loc>https:\/\/www\.example\.com([^<]+)/g),
      ([, path = '']) => decodeURI(path),
    );
    expect(urls).toHaveLength(60);
    for (const path of [urls[0], urls[10], urls[59]]) {
      expect(await get(path ?? '')).toMatchObject({ status: 200 });
    }
    expect((await get('/sitemap-0.xml')).text).toContain('https://www.example.com/all/1/');
    expect(await get('/sitemap-2.xml')).toMatchObject({ status: 404 });
    expect(await get('/sitemap-x.xml')).toMatchObject({ status: 404, requests: 0 });
  });
});

describe('articles whose ids are in slugs as a hash', () => {
  const uuid = (number: number) => `550e8400-e29b-41d4-a716-4466554400${number}`;

  beforeAll(async () => {
    await server.stop();
    const articles = makeArticles(30, { words: [20, 40] });
    service.replace(
      articles.map((article, index) => ({ ...article, id: uuid(10 + index), title: 'Knots' })),
    );
    await site.reset();
  });

  it('are built and rendered on demand at a path with the id', async () => {
    const pages: Record<string, string> = {};
    for (const name of ['[slug]', '[...slug]']) {
      const path = `src/pages/articles/${name}.astro`;
      const page = await site.read(path);
      pages[path.replace(name, `[id]/${name}`)] = page.replace('../../layouts', '../../../layouts');
      await site.write(path, '---\nexport const getStaticPaths = () => [];\n---\n');
    }
    const moved = changed(pages, codeBlocks('docs/guides/thousands.md'));
    for (const [path, page] of Object.entries(moved)) await site.write(path, page);
    await site.build(environment);
    server = await site.serve(environment);
    const files = await site.list('dist/client/articles');
    const built = files.find((path) => path.startsWith(uuid(10)));
    expect(built).toMatch(/\/knots-[a-z\d]{10}\/index\.html$/);
    const former = await get(`/articles/${uuid(39)}/an-old-slug/`);
    expect(former).toMatchObject({ status: 301 });
    expect(former.location).toMatch(/^\/articles\/550e8400-[\w-]+39\/knots-[a-z\d]{10}\/$/);
    expect(await get(former.location)).toMatchObject({ status: 200, requests: 1 });
    const path = built?.replace('index.html', '');
    expect(await get(`/articles/${path}`)).toMatchObject({ status: 200, requests: 0 });
    expect(await get(`/articles/${uuid(99)}/knots/`)).toMatchObject({ status: 404 });
  });
});
