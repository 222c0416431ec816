import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService } from '../../fixtures/service.ts';
import type { Site } from '../helpers/site.ts';
import { buildSite, groupSize } from './articles-site.ts';
import { launch } from './chromium.ts';
import { type Payload, payloads } from './payloads.ts';
import { runIn, serve, visit } from './visit.ts';

let browser: Browser;
let site: Site;

beforeAll(async () => {
  const articles = payloads.map((payload) => ({
    title: payload.id,
    cover_image: null,
    ...payload,
  }));
  const service = await startService({ articles });
  [browser, site] = await Promise.all([launch(), buildSite(service)]);
  await service.close();
});
afterAll(async () => {
  await Promise.all([browser?.close(), site?.remove()]);
});

/** Works on a list with some pages side by side. */
async function withPages<T>(list: readonly T[], work: (page: Page, item: T) => Promise<void>) {
  const waiting = [...list];
  const next = async () => {
    const context = await browser.newContext();
    await serve(context, join(site.root, 'dist'));
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      const page = await context.newPage();
      await work(page, item);
      await page.close();
    }
    await context.close();
  };
  await Promise.all([next(), next(), next()]);
}

/** What happened, by the addresses of pages. */
async function visitAll(paths: readonly string[]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  await withPages(paths, async (page, path) => {
    const signs = await visit(page, path);
    if (signs.length > 0) found[path] = signs;
  });
  return found;
}

function inGroups(): Payload[][] {
  const starts = payloads.map((_, index) => index).filter((index) => index % groupSize === 0);
  return starts.map((start) => payloads.slice(start, start + groupSize));
}

it('there are many, no two the same', () => {
  const texts = payloads.map(({ id: _, ...payload }) => JSON.stringify(payload));
  expect(new Set(texts).size).toBe(payloads.length);
  expect(payloads.length).toBeGreaterThan(600);
});

it('they run where nothing is sanitised', async () => {
  const ran = new Set<string>();
  await withPages(inGroups(), async (page, group) => {
    const paths = group.map(({ id }) => `/open/${id}/`);
    for (const path of await runIn(page, paths)) ran.add(path);
  });
  expect(ran.size).toBeGreaterThan(300);
}, 180_000);

it('none runs, leads away, asks, covers or swallows in articles as they are shown', async () => {
  // Two ids that are the same would hide one another on one page.
  const alone = payloads.filter(({ id }) => id.startsWith('clobbering'));
  const groups = inGroups();
  const found = await visitAll([
    ...groups.map((_, index) => `/group/${index}/`),
    ...alone.map(({ id }) => `/safe/${id}/`),
  ]);
  const suspects = groups.flatMap((group, index) => (found[`/group/${index}/`] ? group : []));
  expect({ ...found, ...(await visitAll(suspects.map(({ id }) => `/safe/${id}/`))) }).toEqual({});
}, 180_000);
