import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, expect, it } from 'vitest';
import { checkAssetLinks } from '../../../src/integration/site-checks.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  write('_astro/there.webp');
});

function write(path: string, text = ''): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const check = (base = '/') =>
  checkAssetLinks(pathToFileURL(`${folder}/`), { base, assets: '_astro' });

const gone = '/_astro/gone.js';

it.each([
  `<link rel="stylesheet" href="${gone}">`,
  `<script type="module" src='${gone}'></script>`,
  `<img src=${gone}>`,
  `<img srcset="/_astro/there.webp 320w, ${gone} 640w">`,
  `<i style="background: url(${gone})"></i>`,
  `<a href="${gone}?v=1#top">A file</a>`,
  `<astro-island component-url="${gone}" renderer-url="${gone}"></astro-island>`,
  `<script type="module">import "${gone}"</script>`,
  `<style>body { background: url(${gone}) }</style>`,
])('fails for a page that links to a missing file: %s', (html) => {
  write('index.html', '<img src="/_astro/there.webp">');
  write('articles/tides/index.html', html);
  const message = expect.stringMatching(/articles.tides.index\.html \(_astro\/gone\.js\)/);
  expect(() => check()).toThrow(expect.objectContaining({ code: 'assets-missing', message }));
  write('_astro/gone.js');
  expect(() => check()).not.toThrow();
});

it('knows the base of the site, encoded names, and what is only text', () => {
  write('_astro/a b.webp');
  write('index.html', '<img src="/site/_astro/a%20b.webp"><code>/_astro/x.js</code> a/_astro/y.js');
  expect(() => check('/site')).not.toThrow();
  write('index.html', '<img src="/site/_astro/c.webp">');
  expect(() => check('/site/')).toThrow('_astro/c.webp');
});

// A site's own text and the text of its articles may mention any path.
it.each([
  `<p>See ${gone} and "${gone}" (${gone}), ${gone}.</p>`,
  `<code>import ${gone}</code><pre>src=${gone}</pre>`,
  `<img src="/_astro/there.webp" alt="${gone} > ${gone}" title='a ${gone}'>`,
  `<meta name="description" content="About ${gone}">`,
  `<script type="application/ld+json">{"description":"About ${gone}"}</script>`,
  `<!-- ${gone} -->`,
])('accepts a page whose text mentions a missing file: %s', (html) => {
  write('index.html', `<main>${html}<img src="/_astro/there.webp"></main>`);
  expect(() => check()).not.toThrow();
  write('index.html', `<main>${html}<img src="/_astro/gone.webp"></main>`);
  expect(() => check()).toThrow('_astro/gone.webp');
});

it.each(['%', '%zz', '%E0%A4%A', '%2F..', '%00'])(
  'names a path that cannot be decoded: %s',
  (name) => {
    write('index.html', `<a href="/_astro/${name}">A link of an article</a>`);
    expect(() => check()).toThrow(expect.objectContaining({ code: 'assets-missing' }));
  },
);
