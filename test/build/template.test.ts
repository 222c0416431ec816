import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { start } from './cli/cli.ts';

const template = fileURLToPath(new URL('../../templates/blog/', import.meta.url));

/** Pages that test sites have, and the template has not. */
const without = {
  'src/pages/entries.json.ts': 'export const GET = () => new Response();',
  'src/pages/[...slug].astro': '---\nexport const getStaticPaths = () => [];\n---\n',
};

const sites = useSites();
let site: Site;
let environment: Record<string, string>;

beforeAll(async () => {
  const files: Record<string, string> = {};
  for (const file of await readdir(template, { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name).slice(template.length);
    if (file.isFile()) files[path] = await readFile(join(template, path), 'utf8');
  }
  site = await sites.create({ files: { ...without, ...files } });
  const service = start(['serve', '--port', '0', join(site.root, 'articles')]);
  await vi.waitFor(() => expect(service.printed.out).toMatch(/^ARTICLES_API_KEY=.+$/m), 10_000);
  const lines = service.printed.out.matchAll(/^(ARTICLES_\w+)=(.+)$/gm);
  environment = Object.fromEntries(Array.from(lines, ([, name = '', value = '']) => [name, value]));
  return () => service.child.kill();
});
// The template shows the key of the local service, which is no secret, in `.env.example`.
afterAll(() => site.write('.env.example', ''));

describe('the blog template', () => {
  it('builds articles, tags and a feed, and has no type errors', async () => {
    await site.build(environment);
    await site.check(environment);

    const home = await site.read('dist/index.html');
    const [, path = ''] = /href="(\/articles\/[^"]+\/)"[^>]*>Welcome</.exec(home) ?? [];
    const article = await site.read(`dist${path}index.html`);
    expect(article).toContain('<h1>Welcome</h1>');
    expect(article).toContain('<time datetime="2026-03-02');
    expect(article).toContain('"author"');
    expect(await site.read('dist/tags/start/index.html')).toContain(`href="${path}"`);
    const feed = await site.read('dist/rss.xml');
    expect(feed.match(/<item>/g)).toHaveLength(2);
    expect(feed).toContain('<category>writing</category>');
  });

  it('shows a draft and its changes in dev only', async () => {
    await site.write('articles/next.md', '---\ntags: [start]\n---\n');
    await site.build(environment);
    expect(await site.read('dist/index.html')).not.toContain('/articles/next/');
    const server = await site.dev(environment);
    expect(await (await fetch(`${server.url}/`)).text()).toContain('/articles/next/');
  });
});
