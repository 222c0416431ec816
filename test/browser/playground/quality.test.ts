import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { HtmlValidate } from 'html-validate';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArticles } from '../../../fixtures/articles.ts';
import { attributeOf, elementsOf, parseHtml } from '../../../src/html/parse-html.ts';
import { isLong } from '../../helpers/runs.ts';
import { axeViolations } from '../axe.ts';
import { launch } from '../chromium.ts';
import { playgroundUrl } from './serve-playground.ts';

const url = playgroundUrl();
const dist = new URL('../../../playground/dist/', import.meta.url);
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
/** The pages of the site, without those that redirect. */
const pages = () =>
  files().filter((path) => path.endsWith('.html') && !read(path).includes('http-equiv="refresh"'));
const read = (path: string) => readFileSync(new URL(encodeURI(path), dist), 'utf8');

// Both are tried with `TEST_SCALE`.
describe.each(isLong ? (['light', 'dark'] as const) : (['dark'] as const))(
  'in %s',
  (colorScheme) => {
    let window: BrowserContext;
    beforeAll(async () => {
      window = await browser.newContext({ colorScheme });
    });
    afterAll(() => window.close());

    const search = async (page: Page) => {
      await page.getByRole('searchbox').fill('water');
      await page.locator('.found').first().waitFor();
    };
    it.each([
      ['home', '/'],
      ['list', '/2/'],
      ['tag', '/tags/sea/'],
      ['article', tidesPage],
      ['article with code', codePage],
      ['article in Arabic', '/articles/حديقة-النجوم-18/'],
      ['search', '/search/', search],
      ['behind the scenes', '/behind-the-scenes/'],
      ['404', '/404.html'],
    ] as [string, string, ((page: Page) => Promise<void>)?][])(
      'axe finds no violation on the %s page',
      async (_, path, prepare) => {
        const page = await window.newPage();
        await page.goto(url + path);
        await prepare?.(page);
        expect(await axeViolations(page)).toEqual([]);
        await page.close();
      },
    );
  },
);

it('has valid HTML', async () => {
  const validator = new HtmlValidate({ root: true, extends: ['html-validate:standard'] });
  for (const path of pages()) {
    const { results } = await validator.validateString(read(path));
    const messages = results.flatMap(({ messages }) =>
      messages.map(({ ruleId, line, column, message }) => `${ruleId} ${line}:${column} ${message}`),
    );
    expect(messages, path).toEqual([]);
  }
});

it('has no broken internal link, except for those in articles', () => {
  const built = new Set(files());
  const ids = new Map<string, Set<string>>();
  const links: [from: string, to: URL][] = [];
  for (const path of pages()) {
    const here = new URL(`/${path.replace(/index\.html$/, '')}`, url);
    const elements = elementsOf(parseHtml(read(path)));
    ids.set(path, new Set(elements.flatMap((element) => attributeOf(element, 'id') ?? [])));
    // An article shows that its relative links are unchanged. Footnotes are the package's.
    const texts = elements.filter((element) => attributeOf(element, 'class')?.includes('body'));
    const inTexts = new Set(texts.flatMap((text) => elementsOf(text)));
    for (const element of elements.filter(({ tagName }) => /^(?:a|link)$/.test(tagName))) {
      const href = attributeOf(element, 'href') ?? '';
      const to = new URL(href, here);
      // The proxy serves the API, which is not part of the built site.
      const isPage = to.origin === url && !to.pathname.startsWith('/api/');
      if (isPage && (href.startsWith('#') || !inTexts.has(element))) links.push([path, to]);
    }
  }
  expect(links.length).toBeGreaterThan(200);
  const broken = links.filter(([, { pathname, hash }]) => {
    const file = `${decodeURI(pathname).slice(1)}${pathname.endsWith('/') ? 'index.html' : ''}`;
    const id = decodeURIComponent(hash.slice(1));
    return !built.has(file) || (id !== '' && !ids.get(file)?.has(id));
  });
  expect(broken.map(([from, to]) => `${from} → ${to.href}`)).toEqual([]);
});

it('has scripts only on pages that need them', () => {
  const withScript = pages().filter((path) =>
    /<script(?! type="application\/ld\+json")/.test(read(path)),
  );
  const withCode = pages().filter(
    (path) => path.startsWith('articles/') && /<pre\b/.test(read(path)),
  );
  expect(withScript.toSorted()).toEqual([...withCode, 'search/index.html'].toSorted());
});

describe('the search', () => {
  it('finds words in titles and texts with the keyboard alone, and reports how many', async () => {
    const page = await browser.newPage();
    await page.goto(`${url}/search/`);
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('tide bay');
    const results = page.locator('.found h2');
    await results.first().waitFor();
    expect(await results.first().textContent()).toBe('How tides work');
    expect(await page.locator('pagefind-summary').textContent()).toMatch(/^\d+ results?/);
    expect(await page.locator('.found mark').first().textContent()).toMatch(/tide|bay/i);
    // While results arrive, the one with the focus may be drawn again, and a key is lost.
    const open = async () => {
      await page.getByRole('searchbox').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      return page.waitForURL(url + tidesPage, { timeout: 10_000 });
    };
    await open().catch(open);
    await page.close();
  });

  it.each([
    ['cafe angstrom', 'Café, naïve & Ångström', 'en'],
    ['日本の庭', '日本の庭', 'ja'],
    ['СНЕГ', 'Ёлки и снег', 'ru'],
    ['النجوم', 'حديقة النجوم', 'ar'],
    ['angle brackets', 'Why `code`, "quotes" & <angle> brackets need escaping', 'en'],
  ])('finds %s, and marks the language of the result', async (query, title, lang) => {
    const page = await browser.newPage();
    await page.goto(`${url}/search/`);
    await page.getByRole('searchbox').fill(query);
    const first = page.locator('.found').first();
    await first.waitFor();
    expect(await first.locator('h2').textContent()).toBe(title);
    expect(await first.getAttribute('lang')).toBe(lang);
    await page.close();
  });
});

it('the API returns the JSON of all articles, and of the article of a page, to a browser', async () => {
  const page = await browser.newPage();
  await page.goto(url);
  await page.getByRole('link', { name: 'All articles as JSON' }).click();
  expect(JSON.parse((await page.locator('body').textContent()) ?? '').count).toBe(articles.length);
  await page.goto(url + tidesPage);
  await page.getByRole('link', { name: 'JSON', exact: true }).click();
  expect(JSON.parse((await page.locator('body').textContent()) ?? '')).toEqual(articles[0]);
  await page.close();
});

it('has the Markdown of each article at its address with .md', () => {
  const files = pages().filter((path) => path.startsWith('articles/'));
  expect(files).toHaveLength(articles.length);
  for (const { id, title, content } of articles) {
    const path = files.find((each) => new RegExp(`(^|[/-])${id}/index\\.html$`).test(each)) ?? '';
    const markdown = path.replace('/index.html', '.md');
    const text = read(markdown);
    expect(text.startsWith(`# ${title}\n`)).toBe(true);
    expect(text.split(`# ${title}\n`)).toHaveLength(2);
    expect(text).toContain(content);
    expect(decodeURI(read(path))).toContain(`type="text/markdown" href="/${markdown}"`);
  }
});

it('copies code, and reports it', async () => {
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
