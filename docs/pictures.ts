import { cp } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { readArticles } from '../fixtures/articles.ts';
import { startService } from '../fixtures/service.ts';
import { launch } from '../test/browser/chromium.ts';
import { createGuide, guideFiles } from '../test/helpers/documented-site.ts';
import { createSite, type Site } from '../test/helpers/site.ts';

// npm run pictures                builds the sites of guides, and takes pictures of their pages on a desk and a phone
// npm run pictures -- covers      those pictures only

/** The size of each view, in pixels. */
const views = [
  { width: 1080, height: 760 },
  { width: 360, height: 760 },
];
const gap = 24;

type Scheme = 'light' | 'dark';

interface Picture {
  create(): Promise<Site>;
  /** The path of the page in each view: one for both, or one each. */
  paths: string[];
  schemes?: Scheme[];
}

const folder = fileURLToPath(new URL('public/images/', import.meta.url));
const template = fileURLToPath(new URL('../templates/blog/', import.meta.url));

const examples = new URL('../fixtures/examples/', import.meta.url);
const articles = readArticles(examples).map((article, index) => ({
  ...article,
  tags: [index % 2 === 0 ? 'sea' : 'sky', 'weather'],
  date: `2026-03-0${9 - index}`,
}));

const guide = (...names: string[]) =>
  createGuide(guideFiles(names.map((name) => `docs/guides/${name}.md`)));

const pictures: Record<string, Picture> = {
  template: {
    async create() {
      const site = await createSite({ files: {} });
      await cp(template, site.root, { recursive: true });
      return site;
    },
    paths: ['/', '/articles/welcome/'],
    schemes: ['light', 'dark'],
  },
  covers: { create: () => guide('covers'), paths: ['/covers/'] },
  'article-page': {
    create: () => guide('lists', 'article-page', 'feed'),
    paths: ['/articles/a-field-guide-to-clouds-24/'],
  },
};

const { positionals } = parseArgs({ allowPositionals: true });
const names = positionals.length > 0 ? positionals : Object.keys(pictures);
const service = await startService({ articles, mediaFolder: examples });
const browser = await launch();
try {
  for (const name of names) await take(name);
} finally {
  await browser.close();
  await service.close();
}

async function take(name: string): Promise<void> {
  const picture = pictures[name];
  if (!picture) throw new Error(`Unknown picture. Known: ${Object.keys(pictures).join(', ')}.`);
  const { create, paths, schemes = ['light'] } = picture;
  const site = await create();
  try {
    await site.build(name === 'template' ? {} : service.env);
    const { url } = await site.preview();
    for (const scheme of schemes) {
      const shots: Buffer[] = [];
      for (const [index, viewport] of views.entries()) {
        const page = new URL(paths[index] ?? paths[0] ?? '', url);
        shots.push(await photograph(browser, { url: page.href, viewport, scheme }));
      }
      const file = schemes.length > 1 ? `${name}-${scheme}.webp` : `${name}.webp`;
      await sharp(await sideBySide(shots))
        .webp({ quality: 80 })
        .toFile(`${folder}${file}`);
      process.stdout.write(`${file}\n`);
    }
  } finally {
    await site.remove();
  }
}

interface Shot {
  url: string;
  viewport: { width: number; height: number };
  scheme: Scheme;
}

async function photograph(browser: Browser, { url, viewport, scheme }: Shot) {
  const context = await browser.newContext({ viewport, colorScheme: scheme });
  const page = await context.newPage();
  const response = await page.goto(url, { waitUntil: 'networkidle' });
  if (!response?.ok()) throw new Error(`${url} responds ${response?.status()}`);
  const image = await page.screenshot({ animations: 'disabled' });
  await context.close();
  return image;
}

/** Draws the views next to each other, each with a border that shows on white and on black. */
async function sideBySide(shots: Buffer[]): Promise<Buffer> {
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
