import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { HtmlValidate } from 'html-validate';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readArticles } from '../../fixtures/articles.ts';
import { launch } from './chromium.ts';

const { url } = inject('playground');
/** What the pages say that their address is: the `site` of the playground's config. */
const site = 'http://localhost:4321';
const dist = new URL('../../playground/dist/', import.meta.url);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const articles = readArticles();
const codePage = '/articles/what-comes-after-the-three-backticks-4/';
const tidesPage = '/articles/how-tides-work-26/';

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const files = () =>
  readdirSync(fileURLToPath(dist), { recursive: true, encoding: 'utf8' }).map((path) =>
    path.replaceAll('\\', '/'),
  );
const pages = () => files().filter((path) => path.endsWith('.html'));
const read = (path: string) => readFileSync(new URL(encodeURI(path), dist), 'utf8');

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  let window: BrowserContext;
  beforeAll(async () => {
    window = await browser.newContext({ colorScheme });
  });
  afterAll(() => window.close());

  const typeAll = async (page: Page) => {
    await page.getByRole('searchbox').fill('water');
    await page.locator('.found li').first().waitFor();
  };
  it.each([
    ['home', '/'],
    ['list', '/page/2/'],
    ['article', tidesPage],
    ['article with code', codePage],
    ['article in Arabic', '/articles/حديقة-النجوم-18/'],
    ['search', '/search/', typeAll],
    ['404', '/404.html'],
  ] as [string, string, ((page: Page) => Promise<void>)?][])(
    'axe finds nothing on the %s page',
    async (_, path, prepare) => {
      const page = await window.newPage();
      await page.goto(url + path);
      await prepare?.(page);
      await page.addScriptTag({ content: axe });
      const violations = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
        const result = await axe.run();
        return result.violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
      });
      expect(violations).toEqual([]);
      await page.close();
    },
  );
});

it('has HTML that is valid', async () => {
  const validator = new HtmlValidate({ root: true, extends: ['html-validate:standard'] });
  for (const path of pages()) {
    const { results } = await validator.validateString(read(path));
    const found = results.flatMap(({ messages }) =>
      messages.map(({ ruleId, line, column, message }) => `${ruleId} ${line}:${column} ${message}`),
    );
    expect(found, path).toEqual([]);
  }
});

it('has no link within the site that leads nowhere', async () => {
  const built = new Set(files());
  const page = await browser.newPage();
  const ids = new Map<string, Set<string>>();
  const links: [from: string, to: URL][] = [];
  for (const path of pages()) {
    await page.setContent(read(path), { waitUntil: 'domcontentloaded' });
    const found = await page.evaluate(() => ({
      ids: Array.from(document.querySelectorAll('[id]'), ({ id }) => id),
      links: Array.from(document.querySelectorAll('a, link'), (link) => link.getAttribute('href')),
    }));
    const here = new URL(`/${path.replace(/index\.html$/, '')}`, url);
    ids.set(path, new Set(found.ids));
    for (const href of found.links) {
      const to = new URL(href ?? '', here);
      if (to.origin === url || to.origin === site) links.push([path, to]);
    }
  }
  expect(links.length).toBeGreaterThan(200);
  const broken = links.filter(([, { pathname, hash }]) => {
    const file = `${decodeURI(pathname).slice(1)}${pathname.endsWith('/') ? 'index.html' : ''}`;
    const id = decodeURIComponent(hash.slice(1));
    return !built.has(file) || (id !== '' && !ids.get(file)?.has(id));
  });
  expect(broken.map(([from, to]) => `${from} → ${to.href}`)).toEqual([]);
  await page.close();
});

it('shows the first cover at once and before others, and moves nothing', async () => {
  for (const path of ['/', '/page/2/', tidesPage, codePage]) {
    const page = await browser.newPage({ viewport: { width: 412, height: 823 } });
    await page.addInitScript(() => {
      const shifts: number[] = [];
      Object.assign(globalThis, { shifts });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          shifts.push((entry as PerformanceEntry & { value: number }).value);
        }
      }).observe({ type: 'layout-shift', buffered: true });
    });
    // Only a picture that comes after the text has been shown can move it.
    const shown = Promise.withResolvers<void>();
    await page.route(/\.(avif|jpe?g|png|svg|webp)$/, async (route) => {
      await shown.promise;
      await route.continue();
    });
    await page.goto(url + path, { waitUntil: 'domcontentloaded' });
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    shown.resolve();
    await page.waitForLoadState('networkidle');
    const shifts = await page.evaluate(() => (globalThis as { shifts?: number[] }).shifts);
    expect(shifts, path).toEqual([]);
    const urgent = await page
      .locator('main img')
      .evaluateAll((images) =>
        images.flatMap((image, index) =>
          image.getAttribute('fetchpriority') === 'high'
            ? [[index, image.getAttribute('loading')]]
            : [],
        ),
      );
    // The article about code has no cover.
    expect(urgent, path).toEqual(path === codePage ? [] : [[0, 'eager']]);
    await page.close();
  }
});

it('brings scripts only to pages that need them', () => {
  const withScript = pages().filter((path) =>
    /<script(?! type="application\/ld\+json")/.test(read(path)),
  );
  const withCode = pages().filter((path) => /<pre\b/.test(read(path)));
  expect(withScript.toSorted()).toEqual([...withCode, 'search/index.html'].toSorted());
});

describe('the search', () => {
  it('finds by words in titles and texts, by keyboard alone, and says how many', async () => {
    const page = await browser.newPage();
    await page.goto(`${url}/search/`);
    await page.getByRole('searchbox', { name: 'Words to look for' }).focus();
    await page.keyboard.type('tide bay');
    const results = page.locator('.found h2');
    await results.first().waitFor();
    expect(await results.first().textContent()).toBe('How tides work');
    expect(await page.getByRole('status').textContent()).toMatch(/^\d+ articles?$/);
    expect(await page.locator('.found p mark').first().textContent()).toMatch(/tide|bay/i);
    expect(page.url()).toBe(`${url}/search/?q=tide%20bay`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(url + tidesPage);
    await page.close();
  });

  it.each([
    ['cafe angstrom', 'Café, naïve & Ångström'],
    ['日本の庭', '日本の庭'],
    ['СНЕГ', 'Ёлки и снег'],
    ['<angle>', 'Why `code`, "quotes" & <angle> brackets need escaping'],
  ])('finds %s', async (query, title) => {
    const page = await browser.newPage();
    await page.goto(`${url}/search/?q=${encodeURIComponent(query)}`);
    const first = page.locator('.found h2').first();
    await first.waitFor();
    expect(await first.textContent()).toBe(title);
    await page.close();
  });

  it('says when there is nothing, and when the index cannot be had', async () => {
    const page = await browser.newPage();
    await page.goto(`${url}/search/?q=xyzzy`);
    const status = page.getByRole('status');
    await expect.poll(() => status.textContent()).toBe('No article holds these words.');
    await page.route('**/search.json', (route) => route.abort());
    await page.reload();
    await expect.poll(() => status.textContent()).toContain('could not be loaded');
    await page.close();
  });
});

it('copies code, and says so', async () => {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  await page.goto(url + codePage);
  const block = page.locator('.code').nth(1);
  await block.getByRole('button', { name: 'Copy code' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => block.getByRole('status').textContent()).toBe('Copied');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.replaceAll('\r\n', '\n').trimEnd()).toBe('fn forever() -> ! {\n    loop {}\n}');
  await context.close();
});

describe('the feed', () => {
  it('holds whole articles, newest first, with addresses that are absolute and there', async () => {
    const reader = await browser.newContext({ javaScriptEnabled: false });
    const plain = await reader.newPage();
    const page = await browser.newPage();
    await page.goto(url);
    const items = await page.evaluate(async () => {
      const xml = await (await fetch('/rss.xml')).text();
      const feed = new DOMParser().parseFromString(xml, 'text/xml');
      if (feed.querySelector('parsererror'))
        throw new Error(feed.documentElement.textContent ?? '');
      return Array.from(feed.querySelectorAll('item'), (item) => {
        const textOf = (name: string) => item.getElementsByTagName(name)[0]?.textContent ?? '';
        const content = new DOMParser().parseFromString(textOf('content:encoded'), 'text/html');
        const attributes = (name: string) =>
          Array.from(content.querySelectorAll(`[${name}]`), (one) => one.getAttribute(name) ?? '');
        return {
          names: Array.from(item.children, ({ nodeName }) => nodeName),
          title: textOf('title'),
          link: textOf('link'),
          text: content.body.textContent ?? '',
          marked: textOf('content:encoded').includes('__ASTRO_IMAGE_="'),
          addresses: [...attributes('src'), ...attributes('href')],
        };
      });
    });
    expect(items.map(({ title }) => title)).toEqual(
      articles.slice(0, 20).map(({ title }) => title),
    );
    const built = new Set(files());
    for (const { names, link, text, marked, addresses } of items) {
      expect(names).not.toContain('pubDate');
      expect(names).not.toContain('author');
      expect(marked, link).toBe(false);
      for (const address of [link, ...addresses]) {
        expect(address).toMatch(/^(https?|mailto|tel):/);
        if (!address.startsWith(`${site}/`)) continue;
        const path = decodeURI(new URL(address).pathname).slice(1);
        const file = path.endsWith('/') ? `${path}index.html` : path;
        expect(built.has(file), address).toBe(true);
      }
      const { pathname } = new URL(link);
      await plain.goto(url + pathname, { waitUntil: 'domcontentloaded' });
      const words = (await plain.locator('.body').textContent()) ?? '';
      expect(lettersOf(text), link).toBe(lettersOf(words));
    }
    await reader.close();
    await page.close();
  });
});

it('describes each article to machines, whatever its title is', async () => {
  const page = await browser.newPage();
  const titles: string[] = [];
  for (const path of pages().filter((each) => each.startsWith('articles/'))) {
    await page.setContent(read(path), { waitUntil: 'domcontentloaded' });
    const texts = await page.locator('script[type="application/ld+json"]').allTextContents();
    const [data] = texts.map((text) => JSON.parse(text));
    expect(data).toMatchObject({ '@type': 'Article', url: expect.stringContaining(site) });
    expect(Object.keys(data)).not.toContain('datePublished');
    expect(Object.keys(data)).not.toContain('author');
    titles.push(data.headline);
  }
  expect(titles.toSorted()).toEqual(articles.map(({ title }) => title).toSorted());
  await page.close();
});

it('lists every page that can be found in its sitemap', () => {
  const listed = Array.from(read('sitemap-0.xml').matchAll(/<loc>(.*?)<\/loc>/g), ([, address]) =>
    decodeURI(new URL(address ?? '').pathname),
  );
  const found = pages().filter((path) => path !== '404.html');
  expect(listed.toSorted()).toEqual(
    found.map((path) => `/${path.replace(/index\.html$/, '')}`).toSorted(),
  );
  expect(read('robots.txt')).toContain(`Sitemap: ${site}/sitemap-index.xml`);
});

/** Spaces between elements differ. */
function lettersOf(text: string): string {
  return text.replace(/\s+/g, '');
}
