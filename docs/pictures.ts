import { cp, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { readArticles } from '../fixtures/articles.ts';
import { startService } from '../fixtures/service.ts';
import { launch } from '../test/browser/chromium.ts';
import { startPlayground } from '../test/browser/playground/serve-playground.ts';
import {
  createGuide,
  createQuickStart,
  createStarlight,
  guideFiles,
} from '../test/helpers/documented-site.ts';
import { createSite, type Site } from '../test/helpers/site.ts';
import { filmSite } from './moving-picture.ts';

// npm run pictures                builds sites, and takes all pictures of the documentation, on a desktop and a phone
// npm run pictures -- covers      those pictures only; `moving` is the moving one

interface View {
  width: number;
  height: number;
}

/** A desktop and a phone, in pixels. */
const desktopAndPhone: View[] = [
  { width: 1080, height: 760 },
  { width: 360, height: 760 },
];
const gap = 24;

type Scheme = 'light' | 'dark';

interface Picture {
  /** Serves the site, and returns its URL. */
  serve(): Promise<string>;
  /** The path of the page in each view: one for all, or one each. */
  paths: string[];
  /** @default a desktop and a phone */
  views?: View[];
  schemes?: Scheme[];
  /** The name of the file that social networks show for links to the documentation, made from this picture. */
  card?: string;
  /** Called before the picture is taken. */
  prepare?(page: Page): Promise<void>;
}

const folder = fileURLToPath(new URL('public/images/', import.meta.url));
const template = fileURLToPath(new URL('../templates/blog/', import.meta.url));

const examples = new URL('../fixtures/examples/', import.meta.url);
const articles = readArticles(examples).map((article, index) => ({
  ...article,
  tags: [index % 2 === 0 ? 'sea' : 'sky', 'weather'],
  date: `2026-03-0${9 - index}`,
}));

/** Functions that stop what a picture has started, the last one first. */
const ends: (() => Promise<unknown>)[] = [];

/** Returns a new site, which is removed after the picture. */
async function temporary(creating: Promise<Site>): Promise<Site> {
  const site = await creating;
  ends.push(() => site.remove());
  return site;
}

async function createTemplate(): Promise<Site> {
  const site = await createSite({ files: {} });
  await cp(template, site.root, { recursive: true });
  return site;
}

/** Builds a new site and serves it. Returns its URL. */
async function preview(creating: Promise<Site>, env: Record<string, string> = service.env) {
  const site = await temporary(creating);
  await site.build(env);
  return (await site.preview()).url;
}

const guide = (...names: string[]) =>
  preview(createGuide(guideFiles([...names, 'recipes'].map((name) => `docs/guides/${name}.md`))));

const pictures: Record<string, Picture> = {
  playground: {
    async serve() {
      const { url, stop } = await startPlayground();
      ends.push(stop);
      return url;
    },
    paths: ['/', '/articles/binary-search-told-slowly-17/#the-promise'],
    schemes: ['light', 'dark'],
    card: 'social-card.jpg',
  },
  template: {
    serve: () => preview(createTemplate(), {}),
    paths: ['/', '/articles/welcome/'],
    schemes: ['light', 'dark'],
  },
  'quick-start': {
    serve: () => preview(createQuickStart()),
    paths: ['/', '/articles/how-tides-work-26/'],
  },
  covers: { serve: () => guide('covers'), paths: ['/covers/'] },
  'article-page': {
    serve: () => guide('lists', 'article-page', 'feed'),
    paths: ['/articles/a-field-guide-to-clouds-24/'],
  },
  starlight: {
    serve: () => preview(createStarlight({})),
    paths: ['/how-tides-work-26/'],
  },
  toolbar: {
    async serve() {
      const { env, change, close } = await startService({ articles, mediaFolder: examples });
      ends.push(close);
      change(17, { cover_image: '/media/missing.webp' });
      const site = await temporary(createTemplate());
      // A later poll would report that nothing has changed.
      const config = await site.read('astro.config.mjs');
      await site.write('astro.config.mjs', config.replace('refresh: 2_000,', ''));
      const { url } = await site.dev(env);
      change(24, { tags: ['sky'] });
      await fetch(new URL('/_articles/refresh', url), { method: 'POST' });
      return url;
    },
    paths: ['/articles/how-tides-work-26/'],
    views: [{ width: 1080, height: 760 }],
    async prepare(page) {
      const button = page.locator('button[data-app-id="astro-articles"]');
      await button.click();
      await page.locator('astro-dev-toolbar-window:visible').waitFor();
      await page.waitForTimeout(1_000);
    },
  },
};

const { positionals } = parseArgs({ allowPositionals: true });
const names = positionals.length > 0 ? positionals : [...Object.keys(pictures), 'moving'];
const service = await startService({ articles, mediaFolder: examples });
const browser = await launch();
try {
  for (const name of names) await (name === 'moving' ? takeMoving() : take(name));
} finally {
  await browser.close();
  await service.close();
}

async function takeMoving(): Promise<void> {
  const site = await createTemplate();
  try {
    await writeFile(`${folder}moving.webp`, await filmSite(browser, site));
    process.stdout.write('moving.webp\n');
  } finally {
    await site.remove();
  }
}

async function take(name: string): Promise<void> {
  const picture = pictures[name];
  if (!picture) throw new Error(`Unknown picture. Known: ${Object.keys(pictures).join(', ')}.`);
  const { serve, paths, views = desktopAndPhone, schemes = ['light'], card, prepare } = picture;
  try {
    const url = await serve();
    for (const scheme of schemes) {
      const shots: Buffer[] = [];
      for (const [index, viewport] of views.entries()) {
        const page = new URL(paths[index] ?? paths[0] ?? '', url);
        shots.push(await photograph({ url: page.href, viewport, scheme, prepare }));
      }
      const file = schemes.length > 1 ? `${name}-${scheme}.webp` : `${name}.webp`;
      const whole = await sideBySide(shots, views);
      await writeFile(`${folder}${file}`, await smallest(whole));
      if (card && scheme === 'light') await writeFile(`${folder}${card}`, await cardOf(whole));
      process.stdout.write(`${file}\n`);
    }
  } finally {
    for (const end of ends.splice(0).toReversed()) await end();
  }
}

interface Shot {
  url: string;
  viewport: View;
  scheme: Scheme;
  prepare: Picture['prepare'];
}

async function photograph({ url, viewport, scheme, prepare }: Shot): Promise<Buffer> {
  const context = await browser.newContext({ viewport, colorScheme: scheme });
  const page = await context.newPage();
  const response = await page.goto(url, { waitUntil: 'networkidle' });
  if (!response?.ok()) throw new Error(`${url} responds ${response?.status()}`);
  await prepare?.(page);
  const image = await page.screenshot({ animations: 'disabled' });
  await context.close();
  return image;
}

/** Draws the views next to each other, each with a border that shows on white and on black. */
async function sideBySide(shots: Buffer[], views: readonly View[]): Promise<Buffer> {
  const border = 1;
  const framed = await Promise.all(
    shots.map((shot) =>
      sharp(shot)
        .extend({ top: border, bottom: border, left: border, right: border, background: '#888' })
        .png()
        .toBuffer(),
    ),
  );
  const left = (index: number) =>
    views.slice(0, index).reduce((sum, { width }) => sum + width + 2 * border + gap, 0);
  const height = Math.max(...views.map((view) => view.height)) + 2 * border;
  const width = left(views.length) - gap;
  return sharp({ create: { width, height, channels: 4, background: 'transparent' } })
    .composite(framed.map((input, index) => ({ input, left: left(index), top: 0 })))
    .png()
    .toBuffer();
}

/** Compresses a picture with and without loss, which is smaller for pages of text, and returns the smaller file. */
async function smallest(picture: Buffer): Promise<Buffer> {
  const [lossy, lossless] = await Promise.all([
    sharp(picture).webp({ quality: 80 }).toBuffer(),
    sharp(picture).webp({ lossless: true, effort: 6 }).toBuffer(),
  ]);
  return lossy.length < lossless.length ? lossy : lossless;
}

/** Returns a picture in the shape that social networks show, with a margin. */
function cardOf(picture: Buffer): Promise<Buffer> {
  const background = '#e2e6e4';
  const size = { width: 1140, height: 570 };
  const margin = { top: 30, bottom: 30, left: 30, right: 30 };
  return sharp(picture)
    .resize({ ...size, fit: 'cover', position: 'top' })
    .extend({ ...margin, background })
    .flatten({ background })
    .jpeg({ quality: 75, mozjpeg: true })
    .toBuffer();
}
