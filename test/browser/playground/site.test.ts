import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readArticles } from '../../../fixtures/articles.ts';
import { launch } from '../chromium.ts';
import { loadImages } from '../in-page.ts';
import { playgroundUrl } from './serve-playground.ts';

const url = playgroundUrl();
const articles = readArticles();

let browser: Browser;
let window: BrowserContext;
let paths: string[];

beforeAll(async () => {
  browser = await launch();
  window = await browser.newContext();
  paths = await articlePaths();
});
afterAll(() => browser.close());

/** Opens a page and collects the errors and warnings of the browser. */
async function open(path: string) {
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

/** The article about sanitising contains a broken image on purpose. */
const isExpected = (text: string) => text === 'data:image/png;base64,AA==';

/** Collects the addresses of all articles from the pages of the list, as a reader does. */
async function articlePaths(): Promise<string[]> {
  const addresses: string[] = [];
  const { page } = await open('/');
  for (;;) {
    const links = page.locator('.card .title a');
    addresses.push(
      ...(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))),
    );
    const older = page.locator('.pages [rel=next]');
    if ((await older.count()) === 0) break;
    await older.click();
    await page.waitForLoadState('load');
  }
  await page.close();
  return addresses;
}

it('lists all articles, newest first, each once', async () => {
  const ids = paths.map((path) => /-?([a-z0-9]+)\/$/.exec(path)?.[1]);
  expect(ids).toEqual(articles.map(({ id }) => String(id)));
});

it('shows every page completely, with one h1, on a desktop and on phones', {
  timeout: 120_000,
}, async () => {
  for (const path of [
    '/',
    '/2/',
    '/search/',
    '/behind-the-scenes/',
    '/tags/sea/',
    '/404.html',
    ...paths,
  ]) {
    const { page, complaints } = await open(path);
    complaints.push(...(await page.evaluate(loadImages)));
    for (const width of [1280, 390, 360]) {
      await page.setViewportSize({ width, height: 800 });
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow, `${path} at ${width} px`).toBe(0);
    }
    expect(
      complaints.filter((text) => !isExpected(text)),
      path,
    ).toEqual([]);
    expect(await page.locator('h1').count(), path).toBe(1);
    await page.close();
  }
});

it('shows tags, a date, an embed and captions, and says how it does', async () => {
  const { page: tides } = await open('/articles/how-tides-work-26/');
  const made = (page: Page) => page.getByLabel('How this page is made').textContent();
  const date = articles.find(({ id }) => id === 26)?.published_at;
  expect(await tides.locator('time').first().getAttribute('datetime')).toContain(date);
  expect(await tides.locator('.encyclopedia').textContent()).toMatch(
    /^\s*Bay of Fundy\s*en.wikipedia.org\s*$/,
  );
  expect(await made(tides)).toMatch(/The date and the tags .* is an embed/s);
  expect(await made(tides)).not.toContain('Images');
  await tides.locator('[rel=tag]').first().click();
  await tides.waitForURL('**/tags/sea/');
  const titles = await tides.locator('.card .title').allTextContents();
  const tagged = articles.filter(({ tags }) => Array.isArray(tags) && tags.includes('sea'));
  expect(titles).toEqual(tagged.map(({ title }) => title));
  await tides.close();
  const { page: tour } = await open('/articles/a-tour-of-everything-16/');
  expect(await tour.locator('.picture').textContent()).toContain('Eight waves and a moon');
  expect(await made(tour)).toContain('Images in the text are drawn by a component');
  await tour.close();
});

it('shows what the service saw: a failed request, and a renamed article whose former URL redirects with its query and fragment', async () => {
  const { page } = await open('/behind-the-scenes/');
  const requests = page.getByRole('region', { name: 'This build: requests' });
  expect(await requests.locator('.failed').allTextContents()).toEqual(['503']);
  expect(await requests.locator('code').allTextContents()).toContainEqual(
    expect.stringContaining('/articles/7/'),
  );
  const former = page.getByRole('link', { name: '/articles/bicycle-gears-7/' });
  const href = await former.getAttribute('href');
  await page.goto(`${url}${href}?from=mail#prices`);
  const current = '/articles/how-to-read-a-bicycle-gear-table-7/?from=mail#prices';
  await page.waitForURL((shown) => shown.href.endsWith(current));
  await page.close();
});
