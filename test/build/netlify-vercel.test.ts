import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { createNewestSite, titledArticles } from '../helpers/documented-site.ts';
import { filesOf, read } from '../helpers/readme.ts';
import type { DevServer, Site } from '../helpers/site.ts';

// The site of the guide "Beyond one machine" with the adapters of Netlify and Vercel. Their functions run behind
// caches with the limits of the hosts.

const secret = 'a-secret-of-the-webhook';
const current = '/articles/%D1%91%D0%BB%D0%BA%D0%B8-26/';

/** The names of the hosts, their headers of tags, and how they redirect a former URL of a built page. */
const hosts = [
  {
    name: 'Netlify',
    header: 'netlify-cache-tag',
    file: 'dist/_redirects',
    rule: `/articles/title-26-26/ ${current} 301!\n`,
  },
  {
    name: 'Vercel',
    header: 'vercel-cache-tag',
    file: '.vercel/output/config.json',
    rule: `{"src":"^/articles/title-26-26/?$","headers":{"Location":"${current}"},"status":301}`,
  },
] as const;

describe.each(hosts)('a site on $name', ({ name, header, file, rule }) => {
  let service: FixtureService;
  let site: Site;
  let server: DevServer;

  beforeAll(async () => {
    service = await startService({ articles: titledArticles(30) });
    const page = `docs/hosts/${name.toLowerCase()}.md`;
    const { [`astro.config.${name.toLowerCase()}.mjs`]: config = '' } = filesOf(page);
    const { 'src/pages/api/purge.ts': endpoint = '' } = filesOf('docs/reference/webhook.md');
    const [, warm] = /`` (warm: .+?) ``/.exec(read(page)) ?? [];
    site = await createNewestSite({
      'astro.config.mjs': config.replace('articles({', 'articles({ newest: 8,'),
      'src/pages/api/purge.ts': endpoint.replace(/(?= }\)\])/, warm ? `, ${warm}` : ''),
      // Astro compiles an adapter that is a dependency of the site.
      'package.json': JSON.stringify({
        type: 'module',
        dependencies: { [`@astrojs/${name.toLowerCase()}`]: '*' },
      }),
    });
    const environment = { ARTICLES_API_KEY: service.apiKey, ARTICLES_BASE_URL: service.url };
    const build = async () => {
      const run = await site.astro(['build'], environment);
      expect(run, run.output).toMatchObject({ status: 0 });
    };
    await build();
    service.change(26, { title: 'Ёлки' });
    await build();
    server = await site.hosted(name, { ...environment, ARTICLES_WEBHOOK_SECRET: secret });
  });
  afterAll(async () => {
    await site.remove();
    await service.close();
  });

  async function get(path: string) {
    service.clearRequests();
    const response = await fetch(server.url + encodeURI(path), { redirect: 'manual' });
    const text = await response.text();
    const [location = '', cache, tags] = ['location', 'x-cache', header].map(
      (each) => response.headers.get(each) ?? undefined,
    );
    return { status: response.status, text, location, cache, tags, requests: service.count() };
  }

  async function publish(id: number, key = secret): Promise<number> {
    const response = await fetch(`${server.url}/api/purge?secret=${key}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ article_id: id }),
    });
    return response.status;
  }

  it('has files of the built pages, and the host redirects their former URLs', async () => {
    for (const path of ['/articles/', '/articles/title-25-25/', '/articles/ёлки-26/']) {
      expect(await get(path)).toMatchObject({ status: 200, cache: undefined, requests: 0 });
    }
    expect(await site.read(file)).toContain(rule);
  });

  it('renders all other pages in the function, and caches them', async () => {
    const path = '/articles/title-7-7/';
    const page = await get(path);
    expect(page).toMatchObject({ status: 200, cache: 'MISS', requests: 1 });
    expect(page.text).toMatch(/<h1>Title 7<\/h1>[\s\S]*<p>/);
    expect(page.tags).toBe(`liveArticles,liveArticles:7,astro-path:${path}`);
    expect(await get(path)).toMatchObject({ status: 200, cache: 'HIT', requests: 0 });
    expect(await get('/articles/an-old-title-7/')).toMatchObject({ status: 301, location: path });
    const missing = await get('/articles/title-99/');
    expect(missing).toMatchObject({ status: 404, requests: 1 });
    expect(missing.tags).toContain('liveArticles:99');
  });

  it('renders the recipes of the guide in the function', async () => {
    expect((await get('/articles/title-7-7.md')).text).toMatch(/^# Title 7\n/);
    expect((await get('/all/2/')).text.match(/<li>/g)).toHaveLength(10);
    expect((await get('/feed.xml')).text.match(/<item>/g)).toHaveLength(20);
    expect((await get('/sitemap-1.xml')).text.match(/<loc>/g)).toHaveLength(30);
  });

  it('purges the pages of an article, and those of the next 12 seconds together', async () => {
    const [path, other, added, list] = [
      '/articles/title-7-7/',
      '/articles/title-8-8/',
      '/articles/title-99-99/',
      '/all/1/',
    ] as const;
    const timeout = 30_000;
    for (const each of [path, other, list]) await get(each);
    expect(await get(added)).toMatchObject({ status: 404 });
    service.change(7, { content: 'Changed.' });
    service.add({ id: 99, title: 'Title 99', content: 'New.', cover_image: null });
    expect(await publish(7, 'another-secret-of-tests')).toBe(401);
    expect(await get(path)).toMatchObject({ cache: 'HIT' });
    expect([200, 202]).toContain(await publish(7));
    // `warm` follows the redirect to the page, so two pages are rendered.
    if (name === 'Vercel') await expect.poll(() => service.count('article'), { timeout }).toBe(2);
    expect(await publish(99)).toBe(202);
    await expect.poll(async () => (await get(path)).text, { timeout }).toContain('Changed.');
    expect(await get(other)).toMatchObject({ cache: 'HIT' });
    expect((await get(list)).cache).not.toBe('HIT');
    expect(await get(added)).toMatchObject({ status: 404, cache: 'HIT' });
    await expect.poll(async () => (await get(added)).status, { timeout }).toBe(200);
    expect(server.output()).not.toMatch(/failed/);
  });
});
