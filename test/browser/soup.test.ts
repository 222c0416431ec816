import * as fc from 'fast-check';
import type { Page } from 'puppeteer-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { violationsOf } from '../helpers/documented-lists.ts';
import { finish } from '../helpers/finish.ts';
import { isLong, runs } from '../helpers/runs.ts';
import { soup } from '../helpers/soup.ts';
import { parseAgain } from './in-page.ts';
import { start, triedEngines } from './visit.ts';

// Sanitizes articles of random HTML, and parses the result with browsers several times. No tree may contain
// anything that the documented lists do not name.

describe.each(triedEngines)('in %s', (engine) => {
  let page: Page;
  beforeAll(async () => {
    const browser = await start(engine);
    page = await browser.newPage();
    return () => browser.close();
  });

  test.each([true, 'strict'] as const)('sanitize: %j', async (sanitize) => {
    const seed = isLong ? Date.now() : 1;
    const articles = fc.sample(soup, { seed, ...runs(2_000) });
    const results = await Promise.all(
      articles.map(async (article) => (await finish(article, { sanitize })).html),
    );
    const trees = await page.evaluate(parseAgain, results);
    expect(trees).toHaveLength(3 * articles.length);
    const found = trees.flatMap((tree, index) => {
      const reasons = tree ? violationsOf(tree) : ['it closes its parent element'];
      return reasons.map((reason) => ({ reason, article: articles[Math.floor(index / 3)] }));
    });
    expect(found.slice(0, 3), `with the seed ${seed}`).toEqual([]);
  });
});
