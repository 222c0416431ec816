import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkAssetLinks } from '../../../src/integration/site-checks.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'output-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text = ''): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const check = (base = '/') =>
  checkAssetLinks(pathToFileURL(`${folder}/`), { base, assets: '_astro' });

const links = (path: string): string[] => [
  `<link rel="stylesheet" href="${path}">`,
  `<script type="module" src='${path}'></script>`,
  `<img src=${path}>`,
  `<img srcset="/_astro/there.webp 320w, ${path} 640w">`,
  `<i style="background: url(${path})"></i>`,
  `<a href="${path}?v=1#top">A file</a>`,
];

it.each(links('/_astro/gone.webp'))('fails for a page that links to a missing file: %s', (html) => {
  write('_astro/there.webp');
  write('index.html', '<img src="/_astro/there.webp">');
  write('articles/tides/index.html', html);
  expect(() => check()).toThrow(
    expect.objectContaining({
      code: 'assets-missing',
      message: expect.stringMatching(/articles.tides.index\.html \(_astro\/gone\.webp\)/),
    }),
  );
  write('_astro/gone.webp');
  expect(() => check()).not.toThrow();
});

it('knows the base of the site, encoded names, and what is only text', () => {
  write('_astro/a b.webp');
  write('index.html', '<img src="/site/_astro/a%20b.webp"><code>/_astro/x.js</code> a/_astro/y.js');
  expect(() => check('/site')).not.toThrow();
  write('index.html', '<img src="/site/_astro/c.webp">');
  expect(() => check('/site/')).toThrow('_astro/c.webp');
});
