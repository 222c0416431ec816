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

// A site's own text and the text of its articles may mention any path.
const mentions = (text: string): string[] => [
  `<p>See ${text} and "${text}" (${text}), ${text}.</p>`,
  `<code>import ${text}</code><pre>src=${text}</pre>`,
  `<img src="/_astro/there.webp" alt="${text} > ${text}" title='a ${text}'>`,
  `<meta name="description" content="About ${text}">`,
  `<script type="application/ld+json">{"description":"About ${text}"}</script>`,
  `<!-- ${text} -->`,
];

it.each(mentions('/_astro/gone.js'))(
  'accepts a page whose text mentions a missing file: %s',
  (html) => {
    write('_astro/there.webp');
    write('index.html', `<main>${html}<img src="/_astro/there.webp"></main>`);
    expect(() => check()).not.toThrow();
    write('index.html', `<main>${html}<img src="/_astro/gone.webp"></main>`);
    expect(() => check()).toThrow('_astro/gone.webp');
  },
);

it.each([
  '<astro-island component-url="/_astro/gone.js" renderer-url="/_astro/gone.js"></astro-island>',
  '<script type="module">import "/_astro/gone.js"</script>',
  '<style>body { background: url(/_astro/gone.js) }</style>',
])('fails for islands, inlined scripts and styles that use a missing file: %s', (html) => {
  write('index.html', html);
  expect(() => check()).toThrow('_astro/gone.js');
});

it.each(['%', '%zz', '%E0%A4%A', '%2F..', '%00'])(
  'names a path that cannot be decoded: %s',
  (name) => {
    write('index.html', `<a href="/_astro/${name}">A link of an article</a>`);
    expect(() => check()).toThrow(expect.objectContaining({ code: 'assets-missing' }));
  },
);
