import { beforeAll, describe, expect, it } from 'vitest';
import { configOf, createNewestSite, titledArticles } from '../helpers/documented-site.ts';
import { secret, visitorOf } from '../helpers/newest-site.ts';
import type { DevServer, Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

// The site of the guide "Beyond one machine" with the adapters of Netlify and Vercel.

const current = '/articles/%D1%91%D0%BB%D0%BA%D0%B8-26/';

/** The names of the hosts, and how they redirect a former URL of a built page. */
const hosts = [
  ['Netlify', 'dist/_redirects', `/articles/title-26-26/ ${current} 301!\n`],
  [
    'Vercel',
    '.vercel/output/config.json',
    `{"src":"^/articles/title-26-26/?$","caseSensitive":true,"headers":{"Location":"${current}"},"status":301}`,
  ],
] as const;

describe.each(hosts)('a site on %s', async (name, file, rule) => {
  const host = name.toLowerCase();
  const service = await useService({ articles: titledArticles(30) });
  const { keep } = useSites();
  let site: Site;
  let server: DevServer;

  beforeAll(async () => {
    const created = createNewestSite({
      'astro.config.mjs': configOf(name).replace('articles({', 'articles({ newest: 8,'),
      // Astro compiles an adapter that is a dependency of the site.
      'package.json': JSON.stringify({
        type: 'module',
        dependencies: { [`@astrojs/${host}`]: '*' },
      }),
    });
    const environment = { ARTICLES_API_KEY: service.apiKey, ARTICLES_BASE_URL: service.url };
    site = await keep(created);
    await site.build(environment);
    service.change(26, { title: 'Ёлки' });
    await site.build(environment);
    server = await site.hosted(name, { ...environment, ARTICLES_WEBHOOK_SECRET: secret });
  });
  const { get, publish, expectRendered } = visitorOf(service, () => server, `${host}-cache-tag`);

  it('has files of the built pages, and the host redirects their former URLs', async () => {
    for (const path of ['/', '/articles/title-25-25/', '/articles/ёлки-26/']) {
      expect(await get(path)).toMatchObject({ status: 200, requests: 0 });
    }
    expect(await site.read(file)).toContain(rule);
  });

  it('renders all other pages in the function', expectRendered);

  it('caches the page of an article, and purges it with the lists', async () => {
    const { headers } = await fetch(`${server.url}/articles/title-7-7/`);
    const control = headers.get(`${host}-cdn-cache-control`);
    expect(control).toMatch(/max-age=[1-9]\d*, ?stale-while-revalidate=[1-9]/);
    expect(await publish(7, 'another-secret-of-tests')).toBe(401);
    expect([200, 202]).toContain(await publish(7));
    for (const tag of ['liveArticles:7', 'liveArticles/list']) {
      await expect.poll(server.output).toContain(`purged ${tag}\n`);
    }
    expect(server.output()).not.toMatch(/failed/);
  });
});
