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

const whole = readFileSync(new URL('legitimate.md', import.meta.url), 'utf8');
const service = await useService({
  articles: [{ id: 'whole', title: 'T', content: whole, cover_image: null }],
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
  async function shown(kind: 'safe' | 'open'): Promise<string[]> {
    await page.goto(`${origin}/${kind}/whole/`);
    return page.evaluate(linesOf, 'article');
  }

  it('keeps all that Markdown and its pipeline make', async () => {
    const safe = await shown('safe');
    expect(safe).toEqual(await shown('open'));
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
});
