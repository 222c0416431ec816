import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { createGuide, guideFiles } from '../helpers/documented-site.ts';
import { filesOf } from '../helpers/readme.ts';
import type { DevServer, Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';
import { launch } from './chromium.ts';

// The recipes of the guide together, as a reader would paste them.

const code = '```js\nconst text = "A string";\n```';
const service = await useService({
  articles: [
    {
      id: 'tides',
      title: 'Tides',
      content: `${'word '.repeat(600)}\n\n${code}`,
      cover_image: null,
    },
  ],
});
const { keep } = useSites();
let browser: Browser;
let site: Site;
let server: DevServer;

beforeAll(async () => {
  const { 'src/pages/index.astro': home = '' } = filesOf('README.md');
  const { 'astro.config.mjs': config = '', ...files } = guideFiles(['docs/guides/recipes.md']);
  const adapted = config
    .replace('\n\n', "\nimport node from '@astrojs/node';\n\n")
    .replace('({\n', "({\n  adapter: node({ mode: 'standalone' }),\n");
  const created = createGuide({
    ...files,
    'src/pages/index.astro': home,
    'astro.config.mjs': adapted,
  });
  [browser, site] = await Promise.all([launch(), keep(created)]);
  await site.build(service.env);
  await site.check(service.env);
  server = await site.serve(service.env);
  return () => browser.close();
});

async function open(path: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const page = await browser.newPage({ colorScheme, viewport: { width: 390, height: 800 } });
  await page.goto(new URL(path, server.url).href, { waitUntil: 'networkidle' });
  return page;
}

it('a link changes the page without a reload', async () => {
  const page = await open('/');
  await page.evaluate(() => Reflect.set(window, 'isSame', true));
  await page.click('a:has-text("Tides")');
  await page.waitForURL('**/articles/tides/');
  await page.waitForSelector('h1:has-text("Tides")');
  expect(await page.evaluate(() => Reflect.get(window, 'isSame'))).toBe(true);
  await page.close();
});

it('code has the colours of the theme that the reader prefers', async () => {
  const backgrounds: string[] = [];
  for (const scheme of ['light', 'dark'] as const) {
    const page = await open('/articles/tides/', scheme);
    const block = page.locator('pre.astro-code');
    backgrounds.push(await block.evaluate((each) => getComputedStyle(each).backgroundColor));
    const span = block.locator('span[style]').first();
    const color = await span.evaluate((each) => getComputedStyle(each).color);
    expect(color).not.toBe(backgrounds.at(-1));
    await page.close();
  }
  expect(backgrounds).toEqual(['rgb(255, 255, 255)', 'rgb(10, 12, 16)']);
});

it('an island is rendered on demand, with the cookie of the reader, and the reading time is there', async () => {
  const page = await open('/articles/tides/');
  await page.context().addCookies([{ name: 'name', value: 'Ada', url: server.url }]);
  await page.reload({ waitUntil: 'networkidle' });
  await page.waitForSelector('p[data-article="tides"]:has-text("Hello, Ada.")');
  expect(await page.textContent('body')).toContain('3 minutes');
  await page.close();
});
