import { type LaunchedChrome, launch } from 'chrome-launcher';
import lighthouse from 'lighthouse';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chromiumFlags, chromiumPath } from '../chromium.ts';
import { playgroundUrl } from './serve-playground.ts';

const url = playgroundUrl();
const categories = ['performance', 'accessibility', 'best-practices', 'seo'];
const attempts = 5;

let chrome: LaunchedChrome;

beforeAll(async () => {
  chrome = await launch({
    chromePath: chromiumPath,
    chromeFlags: ['--headless=new', ...chromiumFlags],
    logLevel: 'error',
  });
});
afterAll(() => chrome?.kill());

it.each([
  ['home', '/'],
  ['article', '/articles/how-tides-work-26/'],
  ['search', '/search/'],
])('Lighthouse scores 100 on the %s page', { timeout: 300_000 }, async (_, path) => {
  let scores = await scoresOf(path);
  // A busy machine lowers the performance score, so the best of five runs counts.
  for (let run = 1; run < attempts && !isPerfect(scores); run++) scores = await scoresOf(path);
  expect(scores).toEqual(Object.fromEntries(categories.map((category) => [category, []])));
});

/** Returns the failed audits by category; the list is empty for a score of 100. */
async function scoresOf(path: string): Promise<Record<string, string[]>> {
  const result = await lighthouse(url + path, { port: chrome.port, onlyCategories: categories });
  if (!result) throw new Error('Lighthouse returned no result.');
  const { lhr } = result;
  if (lhr.runtimeError) throw new Error(lhr.runtimeError.message);
  return Object.fromEntries(
    Object.entries(lhr.categories).map(([category, { score, auditRefs }]) => {
      if (score === 1) return [category, []];
      const failed = auditRefs
        .filter(({ id, weight }) => weight > 0 && (lhr.audits[id]?.score ?? 1) < 1)
        .map(({ id }) => `${id}: ${lhr.audits[id]?.displayValue ?? lhr.audits[id]?.title}`);
      return [category, [`score ${score}`, ...failed]];
    }),
  );
}

function isPerfect(scores: Record<string, string[]>): boolean {
  return Object.values(scores).every((failed) => failed.length === 0);
}
