import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService } from '../../fixtures/service.ts';
import type { Site } from '../helpers/site.ts';
import { launch } from './chromium.ts';
import { buildSite, groupSize } from './hostile-site.ts';
import { payloads } from './payloads.ts';
import { serve, visit } from './visit.ts';

/** How many of the payloads are tried in the open: enough to see that harm is noticed. */
const sampleEvery = 5;

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

/** Opens pages, some side by side, and tells what happened on which. */
async function visitAll(
  paths: readonly string[],
  how = { again: true },
): Promise<Map<string, string[]>> {
  const waiting = [...paths];
  const found = new Map<string, string[]>();
  const read = async () => {
    const context = await browser.newContext();
    await serve(context, join(site.root, 'dist'));
    let page = await context.newPage();
    for (let path = waiting.pop(); path; path = waiting.pop()) {
      const signs = await visit(page, path, how);
      if (signs.length === 0) continue;
      found.set(path, signs);
      await page.close();
      page = await context.newPage();
    }
    await context.close();
  };
  await Promise.all([read(), read(), read(), read()]);
  return found;
}

it('there are many, no two the same', () => {
  const texts = payloads.map(({ id: _, ...payload }) => JSON.stringify(payload));
  expect(new Set(texts).size).toBe(payloads.length);
  expect(payloads.length).toBeGreaterThan(600);
});

it('some of them do harm where nothing is sanitised', { timeout: 180_000 }, async () => {
  const some = payloads.filter((_, index) => index % sampleEvery === 0);
  const found = await visitAll(
    some.map(({ id }) => `/open/${id}/`),
    { again: false },
  );
  const ran = [...found.values()].filter((signs) => signs.some((sign) => sign.endsWith(' ran')));
  expect(ran.length).toBeGreaterThan(some.length / 3);
});

it('they do none in articles as they are shown', { timeout: 240_000 }, async () => {
  const groups = Array.from(
    { length: Math.ceil(payloads.length / groupSize) },
    (_, index) => index,
  );
  const found = await visitAll([
    ...groups.map((index) => `/group/${index}/`),
    // Two ids that are the same would hide one another on one page.
    ...payloads.filter(({ id }) => id.startsWith('clobbering')).map(({ id }) => `/safe/${id}/`),
  ]);
  const suspects = [...found].flatMap(([path]) => {
    if (path.startsWith('/safe/')) return [];
    const start = Number(path.split('/')[2]) * groupSize;
    return payloads.slice(start, start + groupSize).map(({ id }) => `/safe/${id}/`);
  });
  expect(Object.fromEntries([...found, ...(await visitAll(suspects))])).toEqual({});
});
