import { expect, it } from 'vitest';
import { toFeedHtml } from '../../../src/feed/feed-html.ts';
import { htmlLimits } from '../../../src/html/parse-html.ts';

const page = new URL('https://site.example/articles/tides-1/');

it.each([
  ['<img src="/_astro/a.webp">', '<img src="https://site.example/_astro/a.webp">'],
  ['<a href="#fn-1">1</a>', `<a href="${page}#fn-1">1</a>`],
  ['<a href="../blue-2/">Blue</a>', '<a href="https://site.example/articles/blue-2/">Blue</a>'],
  [
    '<img srcset="/a.webp 400w, /b.webp 800w" src="https://cdn.example/a.webp">',
    '<img srcset="https://site.example/a.webp 400w, https://site.example/b.webp 800w" src="https://cdn.example/a.webp">',
  ],
  [
    '<img srcset="/a,1.webp 400w, /b.webp 1.5x">',
    '<img srcset="https://site.example/a,1.webp 400w, https://site.example/b.webp 1.5x" src="https://site.example/b.webp">',
  ],
  [
    '<picture><source srcset="/a.webp 2x"><img srcset="/b.webp"></picture>',
    '<picture><source srcset="https://site.example/a.webp 2x"><img srcset="https://site.example/b.webp" src="https://site.example/b.webp"></picture>',
  ],
])('makes all addresses of %s absolute, and gives each picture one', (html, expected) => {
  expect(toFeedHtml(html, page)).toBe(expected);
});

it('removes markup that is useful only on the page', () => {
  const html =
    '<h2 id="user-content-x" class="big" style="color:red">Sea</h2>' +
    '<pre class="astro-code" tabindex="0" data-language="js"><code><span class="line"><span style="--x:red">let</span> a;</span></code></pre>' +
    '<img src="https://a.example/x.png" alt="A sea" width="3" loading="lazy" decoding="async">';
  expect(toFeedHtml(html, page)).toBe(
    '<h2>Sea</h2><pre><code><span><span>let</span> a;</span></code></pre>' +
      '<img src="https://a.example/x.png" alt="A sea" width="3">',
  );
});

it('accepts HTML that has grown after its limits were checked', () => {
  const html = '<p><b></b></p>'.repeat(htmlLimits.parts / 2 + 1);
  // What is dropped lets it be read again.
  expect(toFeedHtml(`${html}<button>x</button>`, page)).toBe(`${html}x`);
});

it.each([
  ['<p><span lang="ar" class="x">نجم</span></p>', '<p><span lang="ar">نجم</span></p>'],
  ['<p dir="rtl" title="a" hidden role="note">a</p>', '<p dir="rtl" title="a">a</p>'],
  ['<p align="right"><time datetime="2026-03-02">a</time></p>', undefined],
  ['<table><tbody><tr><td valign="top">a</td></tr></tbody></table>', undefined],
  ['<blockquote cite="https://a.example/">a</blockquote>', undefined],
  ['<iframe src="https://video.example/1"></iframe>', undefined],
  ['a<button>b</button>', 'ab'],
  ['\n<p>a</p>\n', '<p>a</p>'],
])('keeps of %s what a reader of a feed can show', (html, kept = html) => {
  expect(toFeedHtml(html, page)).toBe(kept);
});
