import { cp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FixtureArticle } from '../../fixtures/articles.ts';
import { listen } from '../../fixtures/listen.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const first = { id: 'a1', title: 'Prices', content: 'The prices.', cover_image: null };
const second = { id: 'b2', title: 'Tides', content: 'The tides.', cover_image: null };
const articles: FixtureArticle[] = [first, second];
vi.setConfig({ testTimeout: 180_000 });

const service = await useService({ articles });
const sites = useSites();
let site: Site;
const published = () => join(site.root, '.published');
/** The requests for the published history. */
const requests: string[] = [];

/** The host of the site, which serves the last build below the base path. */
const server = createServer(async ({ url = '' }, response) => {
  if (url.endsWith('.json')) requests.push(url);
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
      'src/pages/stories/[slug].astro': `---
        import { getCollection } from 'astro:content';
        export async function getStaticPaths() {
          const entries = await getCollection('articles');
          return entries.map(({ data: { slug } }) => ({ params: { slug } }));
        }
        ---
        <p>{Astro.params.slug}</p>`,
    },
  });
});
beforeEach(async () => {
  await site.reset();
  service.replace(articles);
  requests.length = 0;
});
afterEach(async () => {
  await rm(published(), { recursive: true, force: true });
});

interface BuildOptions {
  options?: Record<string, unknown>;
  env?: Record<string, string>;
  command?: 'build' | 'sync';
}

function tryRun({ options = {}, env = {}, command = 'build' }: BuildOptions = {}) {
  const variables = { ...service.env, SITE: home, OPTIONS: JSON.stringify(options), ...env };
  return site.astro([command], variables);
}

/** Builds the site, and publishes it. */
async function build(options?: BuildOptions) {
  const run = await tryRun(options);
  expect(run.status, run.output).toBe(0);
  await rm(published(), { recursive: true, force: true });
  await cp(join(site.root, 'dist'), published(), { recursive: true });
  return run;
}

/** Builds the site as a machine without a cache does, and publishes it. */
async function buildAnew(options?: BuildOptions) {
  await site.reset();
  return build(options);
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

describe('an article whose title changed', () => {
  it('is reached by its former URLs in one redirect', async () => {
    await build();
    service.change('a1', { title: 'Prices of 2026' });
    const { output } = await build();
    expect(output).toContain('Redirects from former URLs of articles to their pages: 2.');
    service.change('a1', { title: 'What it costs' });
    await build();
    const current = '/docs/what-it-costs-a1/';
    expect(await open('/docs/prices-a1/')).toEqual(['/docs/prices-a1/', current]);
    expect(await open('/docs/prices-of-2026-a1/')).toEqual(['/docs/prices-of-2026-a1/', current]);
    expect(await open(current)).toEqual([current]);
    const page = await site.read('dist/prices-a1/index.html');
    expect(page).toContain('<meta name="robots" content="noindex">');
    expect(page).toContain(`<link rel="canonical" href="${home}${current}">`);
    const sitemap = await site.read('dist/sitemap-0.xml');
    expect(sitemap).toContain(current);
    expect(sitemap).not.toContain('prices');
  });

  it('has no redirects with `redirects: false`', async () => {
    const options = { redirects: false };
    await build({ options });
    service.change('a1', { title: 'Other' });
    await build({ options });
    expect(await open('/docs/prices-a1/')).toEqual(['/docs/prices-a1/', '404']);
    expect(await site.list('dist/_articles')).toEqual([]);
  });
});

describe('a build without a mirror', () => {
  const other = '/docs/other-a1/';

  it('reads the history that the last build published with the site, once', async () => {
    const { output } = await build();
    expect(output).toContain(`No build has published a history of slugs at ${home}/docs/_articles`);
    service.change('a1', { title: 'Other' });
    await build();
    requests.length = 0;
    const second = await buildAnew();
    expect(requests).toEqual(['/docs/_articles/addresses.json']);
    expect(second.output).not.toContain('No build has published');
    expect(await open('/docs/prices-a1/')).toEqual(['/docs/prices-a1/', other]);
  });

  it('has the history after `astro sync`, for an offline build without a request', async () => {
    await build();
    service.change('a1', { title: 'Other' });
    await site.reset();
    const synced = await tryRun({ command: 'sync' });
    expect(synced.status, synced.output).toBe(0);
    requests.length = 0;
    await build({ env: { ARTICLES_OFFLINE: '1' } });
    expect(requests).toEqual([]);
    expect(await open('/docs/prices-a1/')).toEqual(['/docs/prices-a1/', other]);
  });
});
