import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import sharp from 'sharp';
import { beforeAll, expect, it } from 'vitest';
import { list } from '../helpers/list.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';
import { openTab, origin, start } from './visit.ts';

const ink = 'background:red;color:red;z-index:2147483647;';
/** Styles of a box that covers what is around an article, if nothing clips it. */
const styles = [
  ...['absolute', 'fixed'].flatMap((position) =>
    list(`
  width:3000px;height:3000px;top:0;left:0 width:3000px;height:3000px;top:-1500px;left:-1500px inset:-120px
  top:-120px;right:-120px;width:90px;height:90px bottom:-120px;left:-120px;width:90px;height:90px
  top:-120px;left:0;width:100vw;height:100vh inset:0;transform:scale(20)`).map(
      (style) => `position:${position};${style}`,
    ),
  ),
  ...list(`
  scale(9) translate(-300px,-200px) translateY(200px) rotate(70deg)·scale(4) skew(60deg)
  perspective(100px)·translateZ(60px) matrix(5,0,0,5,-100,-100)`).map(
    (transform) => `height:40px;transform:${transform}`,
  ),
  ...list(`
  width:3000px;height:3000px;position:relative;top:-1500px;left:-1500px width:3000px;height:3000px;margin:-1500px
  width:3000px;height:3000px;position:sticky;top:-1500px;left:-1500px margin-top:-120px;height:90px
  margin:0·-120px;height:20px margin-left:-120px;height:20px;width:50px margin-bottom:-120px;height:200px
  float:left;margin-left:-120px;width:90px;height:400px float:right;margin-right:-120px;width:90px;height:400px
  height:20px;translate:-200px·-100px height:20px;scale:6 box-shadow:0·0·0·9999px·red
  box-shadow:-300px·-200px·0·100px·red outline:900px·solid·red outline:5px·solid·red;outline-offset:200px
  filter:drop-shadow(-250px·-100px·0·red) text-shadow:-300px·0·0·red,0·-150px·0·red;font-size:60px
  text-indent:-300px;white-space:nowrap font-size:400px;line-height:0 white-space:nowrap;letter-spacing:200px
  vertical-align:300px;display:inline-block;margin-top:-300px
  border-image:linear-gradient(red,red)·1/1/200px;border:1px·solid·red
  clip-path:none;-webkit-box-reflect:left·50px;height:30px height:20px;width:3000px
  position:absolute;anchor-name:--a;inset:auto·100%·100%·auto;width:300px;height:300px`),
].map((style) => ink + style);
const articles = styles.map((style, id) => ({
  id,
  title: 'x',
  cover_image: null,
  content: `Some text before.\n\n<div style="${style}"><a href="https://evil.example/">cover cover cover</a></div>\n\nSome text after.`,
}));

const service = await useService({ articles });
const sites = useSites();
let site: Site;
let browser: Browser;

beforeAll(async () => {
  site = await sites.create({
    options: "{ rows: 'whole', sanitize: false }",
    files: {
      'src/pages/entries.json.ts': 'export const GET = () => new Response();',
      // Shows the article that the fragment names, with a page around it.
      'src/pages/[...slug].astro': `---
        import { getCollection } from 'astro:content';
        import { ArticleBody } from 'astro-articles/components';
        export const getStaticPaths = () => [{ params: { slug: undefined } }];
        const entries = await getCollection('articles');
        ---
        <!doctype html>
        <style is:global>
          body { margin: 0; font: 16px/1.5 sans-serif; }
          section:not(:target) { display: none; }
          header, footer { height: 120px; background: #def; }
          main { display: grid; grid-template-columns: 150px 300px 150px; min-height: 200px; align-items: start; }
          .bare .body { opacity: 0 !important; }
          .open .body { overflow: visible !important; contain: none !important; }
        </style>
        {entries.map((article) => (
          <section id={article.id}>
            <header><a href="/">Home</a></header>
            <main><nav>Left</nav><ArticleBody {article} class="body" /><nav>Right</nav></main>
            <footer><a href="/">Foot</a></footer>
          </section>
        ))}`,
    },
  });
  [browser] = await Promise.all([start('Chromium'), site.build(service.env)]);
  return () => browser.close();
});

const viewport = { width: 600, height: 560 };

/** Shows each article, and returns the ids of those that paint, are clicked or scroll outside of their element. */
async function covering({ clip }: { clip: boolean }): Promise<number[]> {
  const page = await openTab(browser, join(site.root, 'dist'));
  await page.setViewport(viewport);
  await page.goto(`${origin}/`);
  await page.evaluate((isOpen) => document.body.classList.toggle('open', isOpen), !clip);
  const ids: number[] = [];
  for (const { id } of articles) {
    await page.goto(`${origin}/#${id}`);
    if (await coversOutside(page)) ids.push(id);
  }
  return ids;
}

async function coversOutside(page: Page): Promise<boolean> {
  const painted = await pixels(page);
  const { rect, isOutside } = await page.evaluate(inspect);
  await page.evaluate(() => document.body.classList.add('bare'));
  const bare = await pixels(page);
  await page.evaluate(() => document.body.classList.remove('bare'));
  for (let y = 0; y < viewport.height; y += 1) {
    for (let x = 0; x < viewport.width; x += 1) {
      const isInside =
        x >= Math.floor(rect.left) &&
        x < Math.ceil(rect.right) &&
        y >= Math.floor(rect.top) &&
        y < Math.ceil(rect.bottom);
      const at = (y * viewport.width + x) * 3;
      if (!isInside && painted.compare(bare, at, at + 3, at, at + 3) !== 0) return true;
    }
  }
  return isOutside;
}

async function pixels(page: Page): Promise<Buffer> {
  const image = await page.screenshot({ optimizeForSpeed: true });
  return sharp(image).removeAlpha().raw().toBuffer();
}

/** Runs in the page: finds a point outside of the article that the article is clicked at, or a page that scrolls sideways. */
function inspect() {
  const body = document.querySelector('section:target .body');
  if (!body) throw new Error('The layout of the page is missing.');
  const { left, right, top, bottom } = body.getBoundingClientRect();
  let isOutside = document.documentElement.scrollWidth > innerWidth;
  // The element itself is where the page has it: its margins do not move it over the header.
  isOutside ||= left !== 150 || right !== 450 || top !== 120;
  for (let y = 2; y < innerHeight; y += 9) {
    for (let x = 2; x < innerWidth; x += 9) {
      const isInside = x >= left && x <= right && y >= top && y <= bottom;
      if (!isInside && body.contains(document.elementFromPoint(x, y))) isOutside = true;
    }
  }
  return { rect: { left, right, top, bottom }, isOutside };
}

it('there are enough shapes that cover the page when nothing clips them', async () => {
  expect((await covering({ clip: false })).length).toBeGreaterThanOrEqual(30);
});

it('nothing of an article is painted or clicked outside of <ArticleBody>, also without sanitizing', async () => {
  expect(await covering({ clip: true })).toEqual([]);
});
