import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';
import { buildSite } from './articles-site.ts';
import { linesOf } from './in-page.ts';
import { type Engine, engines, openTab, origin, start } from './visit.ts';

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
let site: Site;
beforeAll(async () => {
  site = await keep(buildSite(service, { sanitize: 'strict' }));
});

describe.each(Object.keys(engines) as Engine[])('in %s', (engine) => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await start(engine);
    page = await openTab(browser, join(site.root, 'dist'));
    return () => browser.close();
  });

  /** Returns the tree that the browser builds from an article, a line for each node. */
  async function shown(kind: 'safe' | 'open', id: string): Promise<string[]> {
    await page.goto(`${origin}/${kind}/${id}/`);
    return page.evaluate(linesOf, 'article');
  }

  it('keeps all that Markdown and its pipeline make', async () => {
    const safe = await shown('safe', 'whole');
    expect(safe).toEqual(await shown('open', 'whole'));
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
    await page.goto(`${origin}/safe/whole/`);
    const there = await page.$eval('[data-footnote-ref]', (link) => link.getAttribute('href'));
    await page.click('[data-footnote-ref]');
    expect(await page.$eval(':target', ({ textContent }) => textContent)).toContain('Short.');
    await page.click(':target [data-footnote-backref]');
    expect(await page.$eval(':target', (link) => link.getAttribute('href'))).toBe(there);
  });

  it.each(reduced.map(([from, to], index) => ({ from, to, index })))(
    'reduces $from to $to',
    async ({ index }) => {
      const [from, to] = [`part-${2 * index}`, `part-${2 * index + 1}`];
      const open = await shown('open', from);
      const safe = await shown('safe', from);
      expect(safe).toEqual(await shown('open', to));
      expect(safe).not.toEqual(open);
    },
  );
});
