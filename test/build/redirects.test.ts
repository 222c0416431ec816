import { cp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FixtureArticle } from '../../fixtures/articles.ts';
import { listen } from '../../fixtures/listen.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const first = { id: 'a1', title: 'Prices', content: 'The prices.', cover_image: null };
const second = { id: 'b2', title: 'Tides', content: 'The tides.', cover_image: null };
const articles: FixtureArticle[] = [first, second];

const service = await useService({ articles });
const sites = useSites();
let site: Site;
const published = () => join(site.root, '.published');
/** The requests for the published history. */
const requests: string[] = [];

/** The host of the site, which serves the last build below the base path. */
const server = createServer(async ({ url = '' }, response) => {
  if (url.endsWith('.jsonl')) requests.push(url);
  const path = url.replace('/docs/', '').replace(/\/$/, '/index.html');
  const body = await readFile(join(published(), path)).catch(() => undefined);
  response.writeHead(body ? 200 : 404).end(body ?? 'not found');
});
const { port, close } = await listen(server, { port: 0, host: '127.0.0.1' });
const home = `http://127.0.0.1:${port}`;
afterAll(close);

beforeAll(async () => {
  site = await sites.create({
    files: {
      'astro.config.mjs': `
        import sitemap from '@astrojs/sitemap';
        import { defineConfig } from 'astro/config';
        import articles from 'astro-articles';
        const options = JSON.parse(process.env.OPTIONS);
        export default defineConfig({
          site: process.env.SITE,
          base: '/docs',
          integrations: [articles({ ...options, retries: 0 }), sitemap()],
        });`,
    },
  });
});
/** Runs a command of Astro for the site, which takes its options from the environment. */
async function run(command: string, env: Record<string, string> = {}) {
  const variables = { ...service.env, SITE: home, OPTIONS: '{}', ...env };
  const { status, output } = await site.astro([command], variables);
  expect(status, output).toBe(0);
  return output;
}

/** Builds the site, and publishes it. */
async function build(env?: Record<string, string>) {
  const output = await run('build', env);
  await rm(published(), { recursive: true, force: true });
  await cp(join(site.root, 'dist'), published(), { recursive: true });
  return output;
}

/** Requests a path of the published site, follows redirects, and returns all paths. */
async function open(path: string): Promise<string[]> {
  const way = [path];
  for (let next: string | undefined = path; next !== undefined && way.length < 9; ) {
    const response: Response = await fetch(home + next);
    if (response.status !== 200) return [...way, String(response.status)];
    next = /<meta http-equiv="refresh" content="0;url=([^"]+)">/.exec(await response.text())?.[1];
    if (next !== undefined) way.push(next);
  }
  return way;
}

it('former URLs of an article lead to its page, also offline after `astro sync` without a mirror', async () => {
  const current = '/docs/what-it-costs-a1/';
  const expectRedirects = async () => {
    for (const former of ['/docs/prices-a1/', '/docs/prices-of-2026-a1/']) {
      expect(await open(former)).toEqual([former, current]);
    }
    expect(await open(current)).toEqual([current]);
  };
  const missing = `No build has published a history of paths at ${home}/docs/_articles`;
  expect(await build()).toContain(missing);
  service.change('a1', { title: 'Prices of 2026' });
  const renamed = await build();
  expect(renamed).toContain('Redirects from former URLs of articles to their pages: 1.');
  expect(renamed).not.toContain(missing);
  service.change('a1', { title: 'What it costs' });
  await site.reset();
  requests.length = 0;
  await run('sync');
  expect(requests).toEqual(['/docs/_articles/paths.jsonl']);
  await build({ ARTICLES_OFFLINE: '1' });
  expect(requests).toHaveLength(1);
  await expectRedirects();
  const sitemap = await site.read('dist/sitemap-0.xml');
  expect(sitemap).toContain(current);
  expect(sitemap).not.toContain('prices');
});

it('neither a redirect nor an article takes a path of the site', async () => {
  service.replace([{ ...first, slug: 'login' }, second]);
  const shop = await sites.create({
    config: `
      site: 'https://www.example.com',
      adapter: node({ mode: 'standalone' }),
      redirects: JSON.parse(process.env.REDIRECTS),`,
  });
  const config = await shop.read('astro.config.mjs');
  await shop.write('astro.config.mjs', `import node from '@astrojs/node';${config}`);
  await shop.build({ ...service.env, REDIRECTS: '{}' });
  service.change('a1', { slug: 'welcome' });
  service.change('b2', { title: 'Ebb and flow' });
  const env = { ...service.env, NETLIFY: 'true', REDIRECTS: '{"/tides-b2":"/elsewhere"}' };
  await shop.write(
    'src/pages/login.astro',
    '---\nexport const prerender = false;\n---\n<h1>Log in</h1>',
  );
  await shop.build(env);
  const written = await shop.list('dist/client');
  expect(written).toContain('welcome/index.html');
  expect(written).not.toContain('login/index.html');
  expect(written).not.toContain('_redirects');
  service.change('a1', { slug: 'login' });
  const { status, output } = await shop.astro(['build'], env);
  expect(status).not.toBe(0);
  expect(output).toContain(
    'The page /login/ of the article "a1" has the path of src/pages/login.astro.',
  );
});
