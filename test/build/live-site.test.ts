import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { changed } from '../helpers/documented-site.ts';
import { codeBlocks, filesOf } from '../helpers/readme.ts';
import { isLong } from '../helpers/runs.ts';
import type { DevServer, Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const guide = 'docs/guides/live-pages.md';
const shown = filesOf(guide);
const quickStart = filesOf('README.md');
/** As the guide changes them for live pages with the site's options and Markdown settings. */
const configs = changed(
  { ...quickStart, ...shown },
  codeBlocks(guide).filter(({ code }) => / \/\/ src\/(?:live|content)\.config\.ts/.test(code)),
);
const withSettings = configs['src/live.config.ts'] ?? '';
const content = configs['src/content.config.ts'] ?? '';
const layout = quickStart['src/layouts/Page.astro'] ?? '';
const { 'src/article-options.ts': options = '' } = shown;
const service = await useService();
const sites = useSites();
let site: Site;
let server: DevServer;

beforeAll(async () => {
  site = await sites.create({
    files: {
      'astro.config.mjs': `
        import { defineConfig, memoryCache } from 'astro/config';
        import node from '@astrojs/node';
        import articles from 'astro-articles';
        import { markdown } from './markdown.config.mjs';
        export default defineConfig({
          markdown,
          output: 'server',
          adapter: node({ mode: 'standalone' }),
          integrations: [articles()],
          cache: { provider: memoryCache() },
          image: { domains: ['127.0.0.1'] },
        });`,
      ...shown,
      'src/live.config.ts': withSettings,
      'src/layouts/Page.astro': layout,
      'src/content.config.ts': content,
      'src/pages/entries.json.ts': '',
      'tsconfig.json': JSON.stringify({
        extends: 'astro/tsconfigs/strictest',
        include: ['.astro/types.d.ts', 'src/*.ts', 'src/pages/live/*'],
      }),
      'src/pages/[...slug].astro': '<p>Nothing here</p>',
    },
  });
  const output = await site.build(service.env);
  expect(output).not.toContain('Cannot find');
  server = await site.serve({ ...service.env });
});

async function get(path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(server.url + path);
  const text = await response.text();
  expect(text).not.toContain(service.apiKey);
  return { status: response.status, text };
}

it('has the pages of the guide, without type errors', async () => {
  expect(Object.keys(shown)).toEqual([
    'src/live.config.ts',
    'src/pages/live/[id].astro',
    'src/pages/live/index.astro',
    'src/article-options.ts',
    'markdown.config.mjs',
  ]);
  expect(withSettings.match(/markdown/g)).toHaveLength(3);
  await site.check(service.env);
});

describe('a site on the Node adapter', () => {
  it('optimises a cover of a host that astro.config allows, and shows another one as it is', async () => {
    const cover = `${service.url}/media/tides.jpg`;
    service.change(25, { cover_image: cover });
    const [, src = ''] = /<img [^>]*src="([^"]+)"/.exec((await get('/live/25')).text) ?? [];
    expect(src).toContain(`/_image?href=${encodeURIComponent(cover)}`);
    const image = await fetch(server.url + src.replaceAll('&#38;', '&').replaceAll('&amp;', '&'));
    expect(image.headers.get('content-type')).toBe('image/webp');
    expect(await sharp(await image.arrayBuffer()).metadata()).toMatchObject({
      width: 1200,
      height: 675,
    });
    service.change(24, { cover_image: 'https://elsewhere.example/a.jpg' });
    expect((await get('/live/24')).text).toContain('<img src="https://elsewhere.example/a.jpg"');
  });

  it('shows an error while the service is down, and the article again after that', async () => {
    const stop = service.fail({
      on: 'any',
      times: Number.POSITIVE_INFINITY,
      fault: { kind: 'close' },
    });
    expect(await get('/live/22')).toMatchObject({ status: 503 });
    stop();
    const page = await get('/live/4');
    expect(page.status).toBe(200);
    expect(page.text).toMatch(/<h1>[^<]+<\/h1>[\s\S]*<pre class="astro-code/);
  });
});

it.runIf(isLong)('works on Astro 6, too', async () => {
  const old = await sites.create({
    astro: 6,
    files: {
      'src/live.config.ts': withSettings,
      'src/article-options.ts': options,
      'markdown.config.mjs': `
        import { createMarkdownProcessor } from '@astrojs/markdown-remark';
        const settings = { shikiConfig: { theme: 'nord' } };
        export const markdown = { ...settings, processor: { createRenderer: createMarkdownProcessor } };`,
      'src/content.config.ts': 'export const collections = {};',
      'src/pages/entries.json.ts': '',
      'src/pages/[...slug].astro': `---
        import { getLiveEntry, render } from 'astro:content';
        export const prerender = false;
        const { entry } = await getLiveEntry('liveArticles', Astro.params.slug);
        const { Content, headings } = await render(entry);
        ---
        <h1>{entry.data.title}</h1><nav>{headings.length}</nav><Content />`,
    },
  });
  const dev = await old.dev(service.env);
  const content = '## Part\n\n```js\nlet a;\n```';
  service.add({ id: 'code', title: 'Code', content, cover_image: null });
  const page = await (await fetch(`${dev.url}/code`)).text();
  service.remove('code');
  service.add({ id: 'draft', title: '', content: 'Unfinished words', cover_image: null });
  expect(await (await fetch(`${dev.url}/draft`)).text()).toContain('Unfinished words');
  service.remove('draft');
  expect(page).toContain('<h1>Code</h1>');
  expect(page).toMatch(/<nav>[1-9]/);
  expect(page).toContain('<pre class="astro-code nord"');
  expect(page).toMatch(/<h2 id="[a-z-]+">/);
});
