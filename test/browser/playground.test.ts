import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readArticles } from '../../fixtures/articles.ts';
import { launch } from './chromium.ts';

const { printed, url } = inject('playground');
const articles = readArticles();

let browser: Browser;
let paths: string[];

beforeAll(async () => {
  browser = await launch();
  paths = await articlePaths();
});
afterAll(() => browser.close());

/** Opens a page and notes whatever the browser complains about. */
async function open(path: string, window: Pick<BrowserContext, 'newPage'> = browser) {
  const page = await window.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('dialog', (dialog) => {
    complaints.push(`a script ran: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('requestfailed', (request) => complaints.push(request.url()));
  await page.goto(url + path, { waitUntil: 'load' });
  return { page, complaints };
}

/** Asks for the images that wait to be scrolled to, and returns those that cannot be had. */
async function brokenImages(page: Page): Promise<string[]> {
  await page.evaluate(() => {
    for (const image of document.images) image.loading = 'eager';
  });
  await page.waitForFunction(() => Array.from(document.images).every(({ complete }) => complete));
  return page.locator('main img').evaluateAll((images) =>
    images.flatMap((image) => {
      const { src, naturalWidth } = image as HTMLImageElement;
      return naturalWidth > 0 ? [] : [src];
    }),
  );
}

/** The article about sanitising holds a picture that is none, on purpose. */
const isMeant = (text: string) => /:4380\/x$|status of 404/.test(text);

/** The addresses of all articles, by way of the pages of the list, as a reader finds them. */
async function articlePaths(): Promise<string[]> {
  const found: string[] = [];
  const { page } = await open('/');
  for (;;) {
    const links = page.locator('.card .title a');
    found.push(
      ...(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))),
    );
    const older = page.locator('.pages [rel=next]');
    if ((await older.count()) === 0) break;
    await older.click();
    await page.waitForLoadState('load');
  }
  await page.close();
  return found;
}

it('says where it is and how many articles it holds', () => {
  expect(printed).toContain(`${articles.length} articles from the fixture service at ${url}/`);
});

it('says which languages it does not know in no terminal', () => {
  expect(printed).not.toContain('[Shiki]');
});

it('lists all articles, newest first, each once', async () => {
  const ids = paths.map((path) => /-?([a-z0-9]+)\/$/.exec(path)?.[1]);
  expect(ids).toEqual(articles.map(({ id }) => String(id)));
});

describe.each([
  ['on a desk', { viewport: { width: 1280, height: 900 } }],
  ['on a phone', { viewport: { width: 360, height: 740 }, isMobile: true }],
  ['in the dark', { colorScheme: 'dark' as const }],
])('every page %s', (_, options) => {
  it('loads whole, fits the screen, and has one heading', async () => {
    const window = await browser.newContext(options);
    for (const path of ['/', '/page/2/', '/search/', '/404.html', ...paths]) {
      const { page, complaints } = await open(path, window);
      const known = path.includes('html-3') ? isMeant : () => false;
      const broken = await brokenImages(page);
      expect(
        [...broken, ...complaints].filter((text) => !known(text)),
        path,
      ).toEqual([]);
      expect(await page.locator('h1').count(), path).toBe(1);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow, path).toBe(0);
      await page.close();
    }
    await window.close();
  });
});

it('shows an article with its cover, contents and code, and no heading that repeats the title', async () => {
  for (const { title, content } of articles) {
    if (typeof title !== 'string' || !String(content).startsWith(`# ${title}`)) continue;
    const path = paths.at(articles.findIndex((each) => each.title === title)) ?? '';
    const { page } = await open(path);
    expect(await page.getByRole('heading', { name: title, exact: true }).count()).toBe(1);
    await page.close();
    return;
  }
  throw new Error('no article begins with its own title');
});
