import * as fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runs } from '../helpers/runs.ts';
import { soup } from '../helpers/soup.ts';
import { finish } from '../unit/render/finish.ts';
import { launch } from './chromium.ts';
import { findViolations } from './policy-checker.ts';

// Sanitizes articles of random HTML, and parses the result with Chromium several times. No tree may contain
// anything that the policy forbids.

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await launch();
  page = await browser.newPage();
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto('https://site.example/');
});
afterAll(() => browser?.close());

test.each([true, 'strict'] as const)(
  'sanitize: %j',
  async (sanitize) => {
    const seed = Date.now();
    const articles = fc.sample(soup, { seed, ...runs(2_000) });
    const results = await Promise.all(
      articles.map(async (article) => (await finish(article, { sanitize })).html),
    );
    const violations = await page.evaluate(findViolations, results);
    const shown = violations
      .slice(0, 3)
      .map((violation) => ({ article: articles[violation.index], ...violation }));
    expect(shown, `with the seed ${seed}`).toEqual([]);
  },
  180_000,
);

test('the policy checker reports each kind of violation', async () => {
  const samples = [
    '<script>1</script>',
    '<p onclick=x>',
    '<a href="java&#9;script:x">',
    '<img src="data:image/svg+xml,x">',
    '<svg><foreignObject><p>x</p></foreignObject></svg>',
    '<svg><use href="#x"/></svg>',
    '<p style="position:fixed">',
    '<p style="background:url(//a.example)">',
    '<iframe>',
    '<img id=x src=y>',
    '<permission></permission>',
    '<p _=x>',
    '<p data-turbo-method=delete>',
    '<p data-x=1>',
    '<a rel="me lightbox">',
    '<img hspace=9>',
  ];
  const violations = await page.evaluate(findViolations, samples);
  expect([...new Set(violations.map(({ index }) => index))]).toEqual(
    samples.map((_, index) => index),
  );
});
