import { execFile } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { beforeAll, expect, it } from 'vitest';
import { deadLinks } from '../helpers/crawl.ts';
import { createGuide, guideFiles } from '../helpers/documented-site.ts';
import { codeBlocks, filesOf, root } from '../helpers/readme.ts';
import { isLong } from '../helpers/runs.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const guides = ['lists', 'article-page', 'feed'].map((name) => `docs/guides/${name}.md`);
const day = 86_400_000;
const text = {
  cover_image: null,
  content: 'Words about the sea.\n\n## One\n\n### Two\n\n## Three',
};
const hostile = '<b>&"Title"</b>';
const articles = [
  { ...text, id: 'future', title: 'Secret plan', date: new Date(Date.now() + day).toISOString() },
  { ...text, id: 'tides', title: 'Tides', tags: ['Sea', 'moon'], updated_at: '2026-03-02' },
  { ...text, id: 'waves', title: 'Waves', tags: ['sea', 'SEA'], content: 'Short.' },
  { ...text, id: 'moon', title: 'Moon', tags: ['Moon', 'sea'], cover_image: '/media/tides.jpg' },
  { ...text, id: 'odd', title: hostile, tags: ['</a><script>', '!!!'] },
];
const service = await useService({ articles });
const { keep } = useSites();
let site: Site;
let output: string;

beforeAll(async () => {
  const home = 'src/pages/index.astro';
  const files = guideFiles(guides);
  files[home] = filesOf('README.md')[home] ?? '';
  const replace = (path: string, from: string, to: string) => {
    expect(files[path]).toContain(from);
    files[path] = (files[path] ?? '').replace(from, () => to);
  };
  const layout = 'src/layouts/Page.astro';
  replace(layout, '---\n', "---\nimport Latest from '../components/Latest.astro';\n");
  replace(layout, '<main><slot /></main>', '<main><slot /></main><Latest />');
  replace(
    'src/pages/pictures/[slug].png.ts',
    '  const { title,',
    "  console.log('drew a picture');\n  const { title,",
  );
  const schedule = codeBlocks('docs/guides/lists.md').find(({ code }) => code.includes('Date.now'));
  replace('astro.config.mjs', 'articles()', schedule?.code.trim().replace(/;$/, '') ?? '');
  replace('astro.config.mjs', '  site:', '  experimental: { incrementalBuild: true },\n  site:');
  site = await keep(createGuide(files));
  await mkdir(join(site.root, 'src/fonts'));
  const font = fileURLToPath(import.meta.resolve('katex/dist/fonts/KaTeX_Main-Regular.ttf'));
  await copyFile(font, join(site.root, 'src/fonts/title.ttf'));
  output = await site.build(service.env);
});

const page = (path: string) => site.read(`dist/${path}/index.html`);
const links = (html: string, start: string) =>
  Array.from(html.matchAll(/href="([^"]*)"/g), ([, href = '']) => href).filter((href) =>
    href.startsWith(start),
  );
const mainOf = (html: string) => /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? '';

// The pages of the other guides are checked in each run.
it.runIf(isLong)('the files of the guides have no type errors', () => site.check(service.env));

it('each tag has a page with its articles, however it is written', async () => {
  const lists = (await site.list('dist')).filter((path) => path.startsWith('tags/'));
  expect(lists).toEqual(['a-script', 'moon', 'sea'].map((tag) => `tags/${tag}/index.html`));
  expect(links(mainOf(await page('tags/sea')), '/articles/')).toEqual([
    '/articles/tides/',
    '/articles/waves/',
    '/articles/moon/',
  ]);
  expect(mainOf(await page('tags/a-script'))).not.toContain('<script');
});

it('the page of an article has its contents, its tags and related articles', async () => {
  const tides = mainOf(await page('articles/tides'));
  expect(links(tides, '#')).toEqual(['#one', '#two', '#three']);
  expect(links(tides, '/tags/')).toEqual(['/tags/sea/', '/tags/moon/']);
  expect(links(tides, '/articles/')).toEqual(['/articles/moon/', '/articles/waves/']);
  expect(links(mainOf(await page('articles/waves')), '#')).toEqual([]);
});

it('each article has a picture with its title, which link previews name', async () => {
  for (const slug of ['tides', 'moon', 'odd']) {
    expect(await page(`articles/${slug}`)).toContain(
      `<meta property="og:image" content="https://www.example.com/pictures/${slug}.png"`,
    );
    const { data, info } = await sharp(join(site.root, `dist/pictures/${slug}.png`))
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([1200, 630]);
    const isWhite = (at: number) => data.subarray(at, at + 3).every((channel) => channel > 250);
    const white = Array.from({ length: 1200 * 630 }, (_, index) => isWhite(3 * index)).filter(
      Boolean,
    );
    expect(white.length, slug).toBeGreaterThan(1000);
    expect(isWhite(0)).toBe(false);
  }
  expect(output.match(/drew a picture/g)).toHaveLength(4);
});

it('every page shows the latest articles', async () => {
  for (const path of ['articles/tides', 'tags/sea', 'search']) {
    const html = (await page(path)).split('</main>')[1] ?? '';
    expect(links(html, '/articles/')).toEqual(
      ['tides', 'waves', 'moon', 'odd'].map((slug) => `/articles/${slug}/`),
    );
  }
});

it('the feed has whole articles, and the sitemap the date of each article that has one', async () => {
  const feed = await site.read('dist/rss.xml');
  expect(feed.match(/<item>/g)).toHaveLength(4);
  expect(feed).toContain('<category>moon</category>');
  expect(feed).toContain('&lt;h2');
  const urls = (await site.read('dist/sitemap-0.xml')).matchAll(/<url>(.*?)<\/url>/g);
  const dated = Array.from(urls, ([, url = '']) => url).filter((url) => url.includes('lastmod'));
  expect(dated).toEqual([
    '<loc>https://www.example.com/articles/tides/</loc><lastmod>2026-03-02T00:00:00.000Z</lastmod>',
  ]);
  expect(await site.read('dist/articles/tides.md')).toBe(`# Tides\n\n${text.content}\n`);
});

/** Writes the index of the search, and returns what Pagefind prints. */
async function indexPages(): Promise<string> {
  const bin = join(root, 'node_modules/pagefind/lib/runner/bin.cjs');
  const args = [bin, '--site', join(site.root, 'dist')];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout;
}

it('Pagefind reads the articles, and no list', async () => {
  expect(await indexPages()).toMatch(/Indexed 4 pages/);
  const files = await site.list('dist/pagefind');
  for (const [, file] of (await page('search')).matchAll(/="\/pagefind\/([^"]*)"/g))
    expect(files).toContain(file);
});

it('an article of the future is in no file, until its date has come', async () => {
  for (const path of await site.list('dist')) {
    const content = await site.read(`dist/${path}`);
    expect(/future|Secret plan/.test(content), path).toBe(false);
  }
  service.clearRequests();
  await site.write('later.mjs', `const { now } = Date; Date.now = () => now() + ${2 * day};`);
  const second = await site.build({ ...service.env, NODE_OPTIONS: '--import=./later.mjs' });
  expect(service.count('article')).toBe(0);
  expect(await page('articles/future')).toContain('Secret plan');
  // All other pictures are those of the last build.
  expect(second.match(/drew a picture/g)).toHaveLength(1);
  expect(await site.list('dist/pictures')).toHaveLength(5);
});

it('with `base`, each link leads to a page, and the sitemap has the dates', async () => {
  const config = await site.read('astro.config.mjs');
  expect(config).toContain("const base = '/';");
  await site.write('astro.config.mjs', config.replace("base = '/'", "base = '/repo'"));
  await site.build(service.env);
  await indexPages();
  expect(await site.read('dist/sitemap-0.xml')).toContain('/repo/articles/tides/</loc><lastmod>');
  const published = { site: 'https://www.example.com', base: '/repo' };
  expect(await deadLinks(site, published)).toEqual([]);
});
