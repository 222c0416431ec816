import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { filesIn, timelessIndex } from '../helpers/mirror-folder.ts';
import { useSite } from '../helpers/use-site.ts';

// Everyone who can read a repository can hash guesses, and compare them with a mirror in it.

const site = useSite({ articles: () => makeArticles(3, { words: [5, 10] }) });
const folder = () => join(site.root, 'mirror');

/** Loads a site whose Markdown plugin gets a variable. Returns the files of the mirror, and what the load says. */
async function loadWith(brand: string, options: ArticlesOptions, isNew = true) {
  await mkdir(join(site.root, 'plugins'), { recursive: true });
  await writeFile(join(site.root, 'plugins/mark.mjs'), 'export default process.env.T_BRAND;');
  const mirrors = options.mirrorDir ? folder() : join(site.root, 'cache/astro-articles');
  if (isNew) await rm(mirrors, { recursive: true, force: true });
  const transformer = { name: `mark ${brand}`, pre() {} };
  const markdown = { shikiConfig: { transformers: [transformer] } };
  const { failure, log } = await site.load(options, { markdown, env: { T_BRAND: brand } });
  expect(failure).toBeUndefined();
  const files = [...(await filesIn(mirrors))].map(([name, text]) => [
    name,
    name.endsWith('index.json') ? timelessIndex(text) : text,
  ]);
  return { files, log };
}

it('is the same for all values of variables, and says so in the first load', async () => {
  const options = {
    mirrorDir: './mirror',
    fetch: (url: string, init: RequestInit) => fetch(url, init),
  };
  const north = await loadWith('north', options);
  expect(north.files.length).toBeGreaterThan(1);
  expect(north.log).toContain('The values of T_BRAND do not count for renderings');
  const south = await loadWith('south', options);
  expect(south.files).toEqual(north.files);
  const again = await loadWith('east', options, false);
  expect(again.log).not.toMatch(/T_BRAND| again/);
});

it('counts them where only Astro’s cache has the mirror', async () => {
  const north = await loadWith('north', {});
  const south = await loadWith('south', {});
  expect(south.files).not.toEqual(north.files);
  expect(north.log + south.log).not.toContain('T_BRAND');
  expect((await loadWith('east', {}, false)).log).toContain('All 3 articles were rendered again');
});
