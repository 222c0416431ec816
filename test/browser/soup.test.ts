import * as fc from 'fast-check';
import type { Page } from 'puppeteer-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { runs } from '../helpers/runs.ts';
import { soup } from '../helpers/soup.ts';
import { finish } from '../unit/render/finish.ts';
import { findViolations } from './policy-checker.ts';
import { type Engine, engines, start } from './visit.ts';

// Sanitizes articles of random HTML, and parses the result with browsers several times. No tree may contain
// anything that the policy forbids.

describe.each(Object.keys(engines) as Engine[])('in %s', (engine) => {
  let page: Page;
  beforeAll(async () => {
    const browser = await start(engine);
    page = await browser.newPage();
    return () => browser.close();
  });

  test.each([true, 'strict'] as const)('sanitize: %j', async (sanitize) => {
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
  });

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
    expect([...new Set(violations.map(({ index }) => index))]).toEqual([...samples.keys()]);
  });
});
