import { beforeAll, describe, expect, it } from 'vitest';
import { configOf, createNewestSite, titledArticles } from '../helpers/documented-site.ts';
import { secret, visitorOf } from '../helpers/newest-site.ts';
import { filesOf, read } from '../helpers/readme.ts';
import type { DevServer, Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

// The site of the guide "Beyond one machine" with the adapters of Netlify and Vercel. Their functions run behind
// caches with the limits of the hosts.

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

describe.each(hosts)('a site on $name', async ({ name, header, file, rule }) => {
  const service = await useService({ articles: titledArticles(30) });
  const { keep } = useSites();
  let site: Site;
  let server: DevServer;

  beforeAll(async () => {
    const { 'src/pages/api/purge.ts': endpoint = '' } = filesOf('docs/reference/webhook.md');
    const [, warm] = /`` (warm: .+?) ``/.exec(read('docs/guides/live-pages.md')) ?? [];
    const created = createNewestSite({
      'astro.config.mjs': configOf(name).replace('articles({', 'articles({ newest: 8,'),
      'src/pages/api/purge.ts': endpoint.replace(
        /(?= }\)\])/,
        name === 'Vercel' ? `, ${warm}` : '',
      ),
      // Astro compiles an adapter that is a dependency of the site.
      'package.json': JSON.stringify({
        type: 'module',
        dependencies: { [`@astrojs/${name.toLowerCase()}`]: '*' },
      }),
    });
    const environment = { ARTICLES_API_KEY: service.apiKey, ARTICLES_BASE_URL: service.url };
    site = await keep(created);
    await site.build(environment);
    service.change(26, { title: 'Ёлки' });
    await site.build(environment);
    server = await site.hosted(name, { ...environment, ARTICLES_WEBHOOK_SECRET: secret });
  });
  const { get, publish, expectRendered, expectRecipes } = visitorOf(service, () => server, header);

  it('has files of the built pages, and the host redirects their former URLs', async () => {
    for (const path of ['/', '/articles/title-25-25/', '/articles/ёлки-26/']) {
      expect(await get(path)).toMatchObject({ status: 200, cache: undefined, requests: 0 });
    }
    expect(await site.read(file)).toContain(rule);
  });

  it('renders all other pages in the function, and caches them', async () => {
    await expectRendered();
    const again = await get('/articles/title-7-7/');
    expect(again).toMatchObject({ status: 200, cache: 'HIT', requests: 0 });
  });

  it('renders the recipes of the guide in the function', expectRecipes);

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
