import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { listen } from '../../fixtures/listen.ts';
import { read, root } from '../helpers/readme.ts';
import { isLong } from '../helpers/runs.ts';
import { axeViolations } from './axe.ts';
import { launch } from './chromium.ts';

// The documentation as a site, on a phone.

const docs = join(root, 'docs');
const base = new URL(JSON.parse(read('package.json')).homepage).pathname;
const types = { html: 'text/html', css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' };

let browser: Browser;
let page: Page;
let url: string;
let paths: string[];

beforeAll(async () => {
  const astro = join(root, 'node_modules/astro/bin/astro.mjs');
  // Vitest sets variables such as BASE_URL, which Astro reads.
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, ASTRO_TELEMETRY_DISABLED: '1' };
  await promisify(execFile)(process.execPath, [astro, 'build'], { cwd: docs, env });
  const server = createServer(async ({ url = '' }, response) => {
    const path = new URL(url, 'http://docs').pathname
      .replace(base, '/')
      .replace(/\/$/, '/index.html');
    const file = await readFile(join(docs, 'dist', path)).catch(() => undefined);
    const type = Object.entries(types).find(([ending]) => path.endsWith(`.${ending}`))?.[1];
    response.writeHead(file ? 200 : 404, type ? { 'content-type': type } : {});
    response.end(file);
  });
  const { port, close } = await listen(server, { port: 0, host: '127.0.0.1' });
  url = `http://127.0.0.1:${port}${base}`;
  const files = globSync('**/index.html', { cwd: join(docs, 'dist') });
  paths = files.map((file) => file.replaceAll('\\', '/').replace(/index\.html$/, '')).toSorted();
  browser = await launch();
  page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  return async () => {
    await browser.close();
    await close();
  };
});

it('is not wider than a phone, breaks no word that fits on a line, and shows the defaults of options', async () => {
  const found: Record<string, string[]> = {};
  // Every sixth page, unless `TEST_SCALE` is set: their parts are the same.
  const tried = paths.filter((path, at) => isLong || at % 6 === 0 || path === 'reference/options/');
  for (const path of tried) {
    await page.goto(url + path);
    const problems = await page.evaluate(inspect);
    if (problems.length > 0) found[path] = problems;
  }
  expect(paths.length).toBeGreaterThan(38);
  expect(found).toEqual({});
});

it.each(isLong ? (['light', 'dark'] as const) : (['light'] as const))(
  'has no violations of axe in the %s theme, with the search open, too',
  async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    for (const path of ['', 'start/', 'guides/publish/', 'reference/options/']) {
      await page.goto(url + path);
      expect(await axeViolations(page), path).toEqual([]);
    }
    await page.locator('button[data-open-modal]').click();
    await page.locator('dialog input').fill('cover');
    await page.locator('dialog .pagefind-ui__result').first().waitFor();
    const violations = await axeViolations(page);
    // The label of Starlight's search field.
    expect(violations.filter(([rule]) => rule !== 'label-title-only')).toEqual([]);
  },
);

it('lists its pages for language models in the order of the sidebar', async () => {
  const index = await (await fetch(`${url}llms.txt`)).text();
  const listed = Array.from(
    index.matchAll(/^- \[[^\]]+\]\(\S+?\/astro-articles\/(\S+)\.md\): \S/gm),
    ([, id]) => id,
  );
  await page.goto(`${url}start/`);
  const links = await page
    .locator('nav.sidebar a[href]')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  expect(listed.length).toBeGreaterThan(38);
  expect(listed.map((id) => `${base}${id}/`)).toEqual(
    links.filter((link) => link.startsWith(base) && link !== base),
  );
});

/** Runs in the page. */
function inspect(): string[] {
  const problems: string[] = [];
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) problems.push(`is ${scrollWidth} px wide`);
  for (const cell of document.querySelectorAll('.defaults tr > :last-child')) {
    if (cell.getBoundingClientRect().right > clientWidth)
      problems.push(`hides ${cell.textContent}`);
  }
  const walker = document.createTreeWalker(
    document.querySelector('main') ?? document.body,
    NodeFilter.SHOW_TEXT,
  );
  const range = document.createRange();
  const topOf = (text: Text, index: number) => {
    range.setStart(text, index);
    range.setEnd(text, index + 1);
    return range.getBoundingClientRect().top;
  };
  /** Whether a word of code has no room on a line. */
  const isWide = (word: HTMLElement) => {
    const block = word.closest('p, li, td, .code') ?? document.body;
    const { paddingLeft, paddingRight } = getComputedStyle(block);
    const padding = Number.parseFloat(paddingLeft) + Number.parseFloat(paddingRight);
    const room = block.getBoundingClientRect().width - padding;
    const { whiteSpace, maxWidth } = word.style;
    Object.assign(word.style, { whiteSpace: 'nowrap', maxWidth: 'none' });
    const { width } = word.getBoundingClientRect();
    Object.assign(word.style, { whiteSpace, maxWidth });
    return width > room - 1;
  };
  for (let text = walker.nextNode() as Text | null; text; text = walker.nextNode() as Text | null) {
    const parent = text.parentElement;
    if (!parent?.checkVisibility({ visibilityProperty: true }) || parent.closest('.sr-only'))
      continue;
    for (const { 0: word, index } of text.data.matchAll(/\S{2,}/g)) {
      const tops = Array.from(word, (_, at) => topOf(text, index + at));
      // In prose, a word with a hyphen may be continued after it.
      const isBroken = tops.some(
        (top, at) =>
          at > 0 && Math.abs(top - (tops[at - 1] ?? top)) > 10 && !/[-–/]/.test(word[at - 1] ?? ''),
      );
      const whole = parent.closest<HTMLElement>('.word');
      if (isBroken && !(whole && isWide(whole)))
        problems.push(`breaks ${whole?.textContent ?? word}`);
    }
  }
  return problems;
}
