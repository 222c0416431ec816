import { execFile } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { deadLinks } from '../helpers/crawl.ts';
import { key, type Mock, makePosts, mocks, startMock } from '../helpers/mock-services.ts';
import { root } from '../helpers/readme.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';

/** The command of Pagefind. */
const command = join(root, 'node_modules/pagefind/lib/runner/bin.cjs');
const template = fileURLToPath(new URL('../../templates/blog/', import.meta.url));

/** Pages that test sites have, and the template has not. */
const without = {
  'src/pages/entries.json.ts': 'export const GET = () => new Response();',
  'src/pages/[...slug].astro': '---\nexport const getStaticPaths = () => [];\n---\n',
};

const sites = useSites();
let site: Site;

beforeAll(async () => {
  site = await sites.create({ files: without });
  await cp(template, site.root, { recursive: true });
});

describe('the blog template', () => {
  it('builds articles, tags, a feed and a search without a service, and has no type errors', async () => {
    await site.build();
    await site.check();

    const home = await site.read('dist/index.html');
    const [, path = ''] = /href="(\/articles\/[^"]+\/)"[^>]*>Welcome</.exec(home) ?? [];
    const article = await site.read(`dist${path}index.html`);
    expect(article).toContain('<h1>Welcome</h1>');
    expect(article).toContain('<time datetime="2026-03-03');
    expect(article).toContain('"author"');
    expect(article).toMatch(/<header>[\s\S]*srcset="[^"]+\.webp/);
    expect(article).toMatch(/>Related<[\s\S]*>Write in Markdown</);
    expect(await site.read('dist/tags/start/index.html')).toContain(`href="${path}"`);
    const feed = await site.read('dist/rss.xml');
    expect(feed.match(/<item>/g)).toHaveLength(4);
    expect(feed).toContain('<category>writing</category>');

    const args = [command, '--site', join(site.root, 'dist')];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toMatch(/Indexed 4 pages/);
    const files = await site.list('dist/pagefind');
    const search = await site.read('dist/search/index.html');
    const used = Array.from(search.matchAll(/="\/pagefind\/([^"]*)"/g), ([, file]) => file);
    expect(used).toHaveLength(2);
    expect(files).toEqual(expect.arrayContaining(used));
  });

  it.each([
    ['.env', 'ARTICLES_BASE_URL=https://app.example.com', ''],
    ['.env', '  export ARTICLES_API_KEY = "a-key"', ''],
    ['.env.local', 'ARTICLES_API_KEY=a-key', ''],
    ['.env.production', 'ARTICLES_API_KEY=a-key', ''],
    ['.env.example', 'ARTICLES_API_KEY=a-key', 'http://127.0.0.1:'],
    ['.env', '# ARTICLES_API_KEY=a-key', 'http://127.0.0.1:'],
  ])(
    'serves its folder while no file names a service or a key: %s, %s',
    async (name, line, url) => {
      const before = await site.read('.env.example');
      await site.write(name, `${line}\n`);
      const program = "import './local-service.mjs'; console.log(process.env.ARTICLES_BASE_URL)";
      const { ARTICLES_BASE_URL: _, ARTICLES_API_KEY: __, ...env } = process.env;
      const args = ['--input-type=module', '-e', program];
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: site.root, env });
      await rm(join(site.root, name));
      await site.write('.env.example', before);
      expect(stdout.trim()).toMatch(url ? new RegExp(`^${url}`) : /^undefined$/);
    },
  );

  it('publishes no URL of the local service', async () => {
    for (const path of await site.list('dist')) {
      expect(await site.read(`dist/${path}`), path).not.toContain('127.0.0.1');
    }
  });

  it('has links that lead to pages below a base path, without a slash at their end', async () => {
    const config = await site.read('astro.config.mjs');
    const settings = "  base: '/repo',\n  trailingSlash: 'never',\n";
    await site.write('astro.config.mjs', config.replace('  site:', `${settings}  site:`));
    await site.build();
    await site.write('astro.config.mjs', config);
    const args = [command, '--site', join(site.root, 'dist')];
    await promisify(execFile)(process.execPath, args);
    const article = await site.read('dist/articles/write-in-markdown/index.html');
    expect(article).toContain('href="/repo/search"');
    const published = {
      site: 'https://www.example.com',
      base: '/repo',
      trailingSlash: 'never',
    } as const;
    const dead = await deadLinks(site, published);
    // The link of an article to another one is written for the template's own setting, and `@astrojs/rss` ends the URL
    // of the home page with a slash.
    const expected = /\/write-in-markdown\/.*\.\.\/welcome\/$|^rss\.xml: /;
    expect(dead.filter((link) => !expected.test(link))).toEqual([]);
  });

  it('shows the articles of another service after a change of one import and of .env', async () => {
    const posts = makePosts().slice(0, 4);
    const service = await startMock(mocks.ghost as Mock, posts);
    const config = await site.read('astro.config.mjs');
    await site.write('astro.config.mjs', config.replace('/own.ts', '/ghost.ts'));
    const env = `ARTICLES_BASE_URL=${service.url}\nARTICLES_API_KEY=${key}\n`;
    await site.write('.env', env);
    await site.build();
    await site.check();
    await site.write('astro.config.mjs', config);
    await rm(join(site.root, '.env'));
    const home = await site.read('dist/index.html');
    const titles = Array.from(home.matchAll(/<a href="\/articles\/[^>]*>Title (\d+)/g));
    expect(titles.map(([, id]) => Number(id))).toEqual(posts.map(({ id }) => id));
    expect(home).toMatch(/<img [^>]*srcset="/);
    const tagged = await site.read('dist/tags/q-a/index.html');
    expect(tagged.match(/<a href="\/articles\/[^>]*>Title/g)).toHaveLength(posts.length);
    expect(tagged).toContain('Q &amp; A');
    const article = await site.read('dist/articles/title-210/index.html');
    expect(article).toMatch(/>Related<[\s\S]*>Title 209/);
  });

  it('shows a draft and its changes in dev only', async () => {
    await site.write('articles/next.md', '---\ntitle:\ntags: [start]\n---\n');
    await site.write('articles/13.md', '---\ntitle:\n---\nA text.\n');
    await site.build();
    expect(await site.read('dist/index.html')).not.toMatch(/\/articles\/(?:next|13)\//);
    const server = await site.dev();
    const home = async () => (await fetch(`${server.url}/`)).text();
    expect(await home()).toMatch(/\/articles\/next\/[\s\S]*?<p class="facts"[^>]*>Draft · 1 min/);
    expect(await home()).toMatch(/>13<(?:(?!<\/li>)[\s\S])*>Draft · 1 min/);
    expect(server.output()).toMatch(/\d articles shown, 3 as drafts \("[^)]*"next"/);
    const page = await (await fetch(`${server.url}/articles/next/`)).text();
    expect(page).toMatch(/class="facts"[^>]*>\s*Draft · 1 min/);
    const published = await (await fetch(`${server.url}/articles/welcome/`)).text();
    expect(published.split('<section class="related"')[0]).not.toContain('Draft');
    await site.write('articles/next.md', '---\ntitle: Saved\ntags: [start]\n---\n');
    await expect.poll(home, { timeout: 20_000 }).toContain('>Saved<');
  });
});
