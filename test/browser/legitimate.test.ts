import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';
import { buildSite } from './articles-site.ts';
import { launch } from './chromium.ts';
import { linesOf } from './in-page.ts';
import { origin, serve } from './visit.ts';

/** Harmless HTML that the sanitizer changes nevertheless. */
const reduced: [from: string, to: string][] = [
  [
    '<a href="https://a.example/" target="_blank" rel="opener">new window</a>',
    '<a href="https://a.example/" target="_blank">new window</a>',
  ],
  ['<a id="to" href="https://a.example/">named</a>', '<a href="https://a.example/">named</a>'],
  ['<p class="lead language-x">class</p>', '<p class="language-x">class</p>'],
  ['<p style="color:red;margin:9px">style</p>', '<p style="color:red">style</p>'],
  ['<center>old</center>', 'old'],
  ['<svg width="9"><path d="M0 0"></path></svg>', ''],
];

const whole = readFileSync(new URL('legitimate.md', import.meta.url), 'utf8');
const parts = reduced
  .flat()
  .map((content, index) => ({ id: `part-${index}`, content: `<div>${content}</div>` }));
const service = await useService({
  articles: [{ id: 'whole', content: whole }, ...parts].map((article) => ({
    ...{ title: 'T', cover_image: null },
    ...article,
  })),
});
const { keep } = useSites();
let browser: Browser;
let site: Site;

beforeAll(async () => {
  const built = keep(buildSite(service, { sanitize: 'strict' }));
  [browser, site] = await Promise.all([launch(), built]);
  return () => browser.close();
});

/** Returns the tree that Chromium builds from an article, a line for each node. */
async function shown(kind: 'safe' | 'open', id: string): Promise<string[]> {
  const page = await browser.newPage();
  await serve(page.context(), join(site.root, 'dist'));
  await page.goto(`${origin}/${kind}/${id}/`);
  const lines = await page.evaluate(linesOf, 'article');
  await page.context().close();
  return lines;
}

it('keeps all that Markdown and its pipeline make', async () => {
  const [safe, open] = [await shown('safe', 'whole'), await shown('open', 'whole')];
  expect(safe).toEqual(open);
  const text = safe.join('\n');
  for (const sign of [
    'color: rgb(',
    'id="a-heading"',
    'id="überschrift-二"',
    'id="user-content-fn-1"',
    'data-footnote-backref',
    'type="checkbox"',
    'text-align',
    '<figcaption',
    '<track',
    '<ruby',
    'start="9"',
  ])
    expect(text, sign).toContain(sign);
  expect(safe.length).toBeGreaterThan(250);
});

it('follows footnotes there and back', async () => {
  const page = await browser.newPage();
  await serve(page.context(), join(site.root, 'dist'));
  await page.goto(`${origin}/safe/whole/`);
  const there = page.locator('[data-footnote-ref]').first();
  await there.click();
  expect(await page.locator(':target').textContent()).toContain('Short.');
  await page.locator(':target [data-footnote-backref]').first().click();
  expect(await page.locator(':target').getAttribute('href')).toBe(await there.getAttribute('href'));
  await page.context().close();
});

it.each(reduced.map(([from, to], index) => ({ from, to, index })))(
  'reduces $from to $to',
  async ({ index }) => {
    const [from, to] = [`part-${2 * index}`, `part-${2 * index + 1}`];
    const open = await shown('open', from);
    expect(await shown('safe', from)).toEqual(await shown('open', to));
    expect(await shown('safe', from)).not.toEqual(open);
  },
);
