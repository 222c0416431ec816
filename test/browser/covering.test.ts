import * as fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runs } from '../helpers/runs.ts';
import { finish } from '../unit/render/finish.ts';
import { launch } from './chromium.ts';

// Articles of random styles are shown in the middle of a page. What is next to them must stay uncovered.

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await launch();
  page = await browser.newPage({ viewport: { width: 600, height: 600 } });
  await page.setContent(`<!doctype html>
    <style>
      body { margin: 0; display: grid; grid-template: 100px 300px 200px / 150px 300px 150px; }
      body > * { min-width: 0; min-height: 0; }
      main { grid-area: 2 / 2; }
      .cover { position: fixed; inset: 0; z-index: 50; }
      .corner { position: absolute; top: -9999px; width: 99999px; height: 99999px; }
    </style>
    <nav style="grid-area: 1 / 1 / 2 / 4"></nav><aside style="grid-area: 2 / 1"></aside>
    <main><h1>Title</h1><div id="article"></div><p>After</p></main>
    <aside style="grid-area: 2 / 3"></aside><footer style="grid-area: 3 / 1 / 4 / 4"></footer>`);
});
afterAll(() => browser?.close());

const length = fc.oneof(
  fc.constantFrom(
    '-900px',
    '-20em',
    '9999px',
    '50em',
    '-100%',
    '500%',
    '0',
    '-40vw',
    '99vh',
    'calc(100px - 60em)',
  ),
);
const declaration = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        ...'margin margin-top margin-left top left right bottom font-size width height text-indent padding'.split(
          ' ',
        ),
        ...'line-height letter-spacing text-underline-offset border-width vertical-align min-width'.split(
          ' ',
        ),
      ),
      length,
    )
    .map(([property, value]) => `${property}:${value}`),
  fc.constantFrom(
    'position:relative',
    'position:absolute',
    'position:fixed',
    'position:sticky;top:0',
    'float:right',
    'display:inline-block',
    'display:contents',
    'overflow:visible',
    'z-index:99',
    'transform:scale(40)',
    'text-shadow:0 -900px red',
    'border-image:linear-gradient(red,red) 1/1/900px',
    'columns:3;column-gap:-900px',
    'border:500px solid red',
  ),
);
const style = fc.array(declaration, { minLength: 1, maxLength: 4 }).map((list) => list.join(';'));
const tags = fc.constantFrom(
  'div',
  'p',
  'a href="https://a.example/"',
  'h1',
  'table',
  'ul',
  'big',
  'span',
);
const element: fc.Arbitrary<string> = fc
  .tuple(tags, style, tags, style)
  .map(([outer, around, inner, own]) => {
    const [end, innerEnd] = [outer.split(' ')[0], inner.split(' ')[0]];
    return `<${outer} style="${around}"><${inner} style="${own}">a link over the page</${innerEnd}></${end}>`;
  });
const shapes = [
  `<div style="position:relative">${['top', 'bottom'].map((y) => `<a href="/x" style="position:absolute;${y}:0;left:0;width:2000px;height:2000px">x</a>`).join('')}</div>`,
  '<div class="cover">x</div>',
  '<p>x</p><a href="/x" class="corner">x</a>',
  '<div style="margin-top:-5000px;height:6000px;position:relative">x</div>',
  '<img hspace="3000" vspace="3000" alt="x" src="https://a.example/x.png">',
  '<table border="3000"><tr><td>x</td></tr></table>',
  '<math><mstyle scriptlevel="-20"><mi>x</mi></mstyle></math>',
  '<svg width="9999" height="9999" style="margin:-900px"><rect width="9999" height="9999"/></svg>',
  '<svg overflow="visible"><text x="-900" y="-900" font-size="2000">x</text></svg>',
];

/** Shows an article, and returns whether it is at one of many points around its place. */
function isCovered({ html, contain }: { html: string; contain: string }): boolean {
  const article = document.querySelector('#article');
  if (!(article instanceof HTMLElement)) throw new Error('The page is not complete.');
  article.style.contain = contain;
  article.innerHTML = '';
  // Where the article begins does not depend on its content.
  const { top: start } = article.getBoundingClientRect();
  article.innerHTML = html;
  const { left, right, bottom, top } = article.getBoundingClientRect();
  let covered = false;
  for (let x = 5; x < 600; x += 20) {
    for (let y = 5; y < 600; y += 20) {
      const isInside =
        x >= left - 1 && x <= right + 1 && y >= Math.max(top, start) - 1 && y <= bottom + 1;
      const found = isInside ? null : document.elementFromPoint(x, y);
      if (found && article.contains(found)) covered = true;
    }
  }
  article.innerHTML = '';
  return covered;
}

test('an article in an element with `contain: paint` covers nothing around it', async () => {
  const seed = Date.now();
  const articles = [...shapes, ...fc.sample(element, { seed, ...runs(300) })];
  const covering: string[] = [];
  let open = 0;
  for (const article of articles) {
    const { html } = await finish(article);
    if (await page.evaluate(isCovered, { html, contain: 'paint' })) covering.push(article);
    if (await page.evaluate(isCovered, { html, contain: 'none' })) open += 1;
  }
  expect(covering, `with the seed ${seed}`).toEqual([]);
  // Without it, some cover what is around them, so the check sees it.
  expect(open).toBeGreaterThan(10);
}, 120_000);
