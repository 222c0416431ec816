import type { Browser, Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import type { FixtureService } from '../../fixtures/service.ts';
import type { DevServer } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { temporaryService } from '../helpers/use-service.ts';
import { launch } from './chromium.ts';

const sites = useSites();
let service: FixtureService;
let browser: Browser;
let server: DevServer;
let page: Page;

beforeAll(async () => {
  browser = await launch();
  return () => browser.close();
});
beforeEach(async () => {
  const text = { content: 'Some words to read.', cover_image: '/media/tides.jpg' };
  service = await temporaryService({ articles: [{ id: 1, title: 'First title', ...text }] });
});

/** Opens the page of the only article in `astro dev`. */
async function open(): Promise<void> {
  const config = `
    import { defineConfig } from 'astro/config';
    import articles from 'astro-articles';
    export default defineConfig({ integrations: [articles({ retries: 0 })] });`;
  const site = await sites.create({ files: { 'astro.config.mjs': config } });
  server = await site.dev(service.env);
  page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(`${server.url}/first-title-1`);
  // Vite optimises dependencies on the first visit and reloads the page once.
  await page.waitForLoadState('networkidle');
}

const wait = { timeout: 10_000 };
const heading = () => page.locator('h1').first();
const app = () => page.locator('astro-dev-toolbar-app-canvas[data-app-id="astro-articles"]');
const panel = () => app().locator('astro-dev-toolbar-window');

async function openToolbar(): Promise<void> {
  await page.locator('button[data-app-id="astro-articles"]').focus();
  await page.keyboard.press('Enter');
  await panel().waitFor();
}

const changeText = () => service.change(1, { content: 'Words that were changed.' });
const changed = () => page.getByText('Words that were changed.');

it('shows a changed article in the open page after a press of the button with the keyboard', async () => {
  await open();
  expect(await heading().textContent()).toBe('First title');
  await openToolbar();
  const text = () => panel().textContent();
  await expect.poll(text, wait).toContain('Collection “articles”');
  expect(await text()).toMatch(/1 added, .*; 2 requests/);

  changeText();
  await panel().locator('astro-dev-toolbar-button button').focus();
  await page.keyboard.press('Enter');
  await changed().waitFor();
  await expect.poll(text, wait).toContain('1 updated');
});

it('lists the warnings of each collection', async () => {
  const text = { content: 'Some words.', cover_image: '/media/other.jpg' };
  service.replace([{ id: 2, title: 'Second title', ...text }, ...service.articles]);
  service.change(1, { cover_image: '/media/none.jpg' });
  await open();
  await openToolbar();
  const warnings = panel().getByRole('listitem');
  await expect.poll(() => warnings.count(), wait).toBe(1);
  const headings = panel().getByRole('heading', { level: 2 });
  expect(await headings.allTextContents()).toEqual(['Collection “articles”']);
  // Pictures of one host with the same problem are one warning.
  expect(await warnings.textContent()).toMatch(/2 covers .*other\.jpg, .*none\.jpg/);
});

it('keeps the page when a refresh fails, and shows the reason', async () => {
  await open();
  await openToolbar();
  service.fail({
    on: 'any',
    times: Number.POSITIVE_INFINITY,
    fault: { kind: 'status', status: 503 },
  });
  changeText();
  await panel().locator('astro-dev-toolbar-button').click();
  const alert = panel().getByRole('alert');
  const reason = async () => {
    // On a busy machine, Vite reloads the page only now, which closes the panel.
    if (!(await panel().isVisible())) await openToolbar();
    return (await alert.allTextContents()).join();
  };
  await expect.poll(reason, { timeout: 60_000 }).toContain('503');
  expect(await changed().count()).toBe(0);
  expect(await heading().textContent()).toBe('First title');
});
