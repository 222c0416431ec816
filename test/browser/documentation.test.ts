import { dirname } from 'node:path/posix';
import pLimit from 'p-limit';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArticles } from '../../fixtures/articles.ts';
import { createDocumentedSite } from '../helpers/documented-site.ts';
import { isLong } from '../helpers/runs.ts';
import type { DevServer, Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';
import { axeViolations } from './axe.ts';
import { launch } from './chromium.ts';
import { loadImages } from './in-page.ts';

// Each page that the documentation shows is complete and good-looking, as a reader would paste it.

const word = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
const columns = (cell: string) => `|${` ${cell} |`.repeat(9)}`;
/** All that is wider than a phone. */
const wide = {
  id: 'wide',
  title: `All that is wide, ${word}`,
  cover_image: '/media/tides.jpg',
  content: `${word} and https://example.com/${'a-long-address-'.repeat(9)}

## ${word}

${columns('heading')}
${columns('---')}
${columns('something')}
${columns(`\`${word}\``)}

\`\`\`js
const line = ${JSON.stringify('long '.repeat(50))};
\`\`\`

    ${'indented code '.repeat(20)}

Inline \`${'code'.repeat(40)}\`, and a picture:

![A wide picture](/media/tides.jpg)

<img src="/media/tides.jpg" alt="The same" width="1600" height="900" />

<figure><img src="/media/snow.jpg" alt="Snow" width="1200" /><figcaption>${word}</figcaption></figure>

<video controls width="1280" height="720" preload="none"></video>

- ${word}
  1. ${word}

> ${word}
`,
};

const service = await useService({ articles: [wide, ...readArticles()] });
const { keep } = useSites();
let browser: Browser;
let site: Site;
/** The addresses of pages that are built: all lists, and some articles of each kind. */
let built: string[];

beforeAll(async () => {
  [browser, site] = await Promise.all([launch(), keep(createDocumentedSite())]);
  await site.build(service.env);
  const files = (await site.list('dist/client')).filter((path) => path.endsWith('.html'));
  // The search has its index only after Pagefind, and none in dev.
  const shownFiles = files.filter((path) => path !== 'search/index.html');
  built = shownFiles.map((path) => `/${path.replace(/index\.html$/, '')}`);
  return () => browser.close();
});

/** Articles with all that is wide, with code, without a cover, in Arabic, and with images. */
const shown = /[-/](?:wide|4|1|18|6)\/$/;
/** In dev, where pages take longer, only what is wide, and code. */
const shownInDev = /[-/](?:wide|4)\/$/;
const isArticle = (path: string) => /^\/(?:articles|stories)\/./.test(path);

it('has a page of each kind', () => {
  for (const path of ['/', '/archive/', '/archive/3/', '/covers/']) expect(built).toContain(path);
  for (const folder of ['articles', 'stories'])
    expect(built.filter((path) => path.startsWith(`/${folder}/`) && shown.test(path))).toHaveLength(
      5,
    );
});

/** Returns the first two lists of each folder, because they have the same parts, or all with `TEST_SCALE`. */
function selectLists(paths: readonly string[]): string[] {
  if (isLong) return [...paths];
  const folderOf = (path: string) => (dirname(path) === '/' ? path : dirname(path));
  return [...Map.groupBy(paths, folderOf).values()].flatMap((lists) => lists.slice(0, 2));
}

/** The pages that are rendered when a reader opens them, and their status. */
const live: Record<string, number> = {
  '/live': 200,
  '/live/wide': 200,
  '/live/4': 200,
  '/live/1': 200,
  '/live/none': 404,
};

describe.each(isLong ? (['preview', 'dev'] as const) : (['preview'] as const))(
  'in astro %s',
  (command) => {
    let server: DevServer;
    let context: BrowserContext;

    beforeAll(async () => {
      server = command === 'dev' ? await site.dev(service.env) : await site.preview(service.env);
      context = await browser.newContext({ viewport: { width: 390, height: 844 } });
      await context.route(
        ({ hostname }) => !/^(?:localhost|127\.0\.0\.1)$/.test(hostname),
        (route) => route.abort(),
      );
      // In dev, the first visit may prepare scripts and load the page again.
      const page = await context.newPage();
      await page.goto(server.url, { waitUntil: 'networkidle' });
      await page.close();
    });
    afterAll(async () => {
      await context?.close();
      await server?.stop();
    });

    it('each page is whole on a phone', async () => {
      const found: Record<string, string[]> = {};
      const ids = command === 'dev' ? shownInDev : shown;
      const articles = built.filter((path) => isArticle(path) && ids.test(path));
      const lists = selectLists(built.filter((path) => !isArticle(path)));
      const paths = [...articles, ...lists, ...Object.keys(live)];
      // Most of the time, a page waits for its network.
      await pLimit(3).map([...paths.entries()], async ([index, path]) => {
        const problems = await problemsOf(context, {
          url: server.url + path,
          status: live[path] ?? 200,
          // Pages of one kind have the same colours, so the colour schemes alternate between pages.
          colorSchemes: isLong ? ['light', 'dark'] : [index % 2 ? 'light' : 'dark'],
        });
        if (problems.length > 0) found[path] = problems;
      });
      expect(found).toEqual({});
    });
  },
);

async function problemsOf(
  context: BrowserContext,
  {
    url,
    status,
    colorSchemes,
  }: { url: string; status: number; colorSchemes: readonly ('light' | 'dark')[] },
): Promise<string[]> {
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    const isPage = message.location().url === url;
    if (message.type() === 'error' && !isPage) problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  const response = await page.goto(url, { waitUntil: 'networkidle' });
  if (response?.status() !== status) problems.push(`status ${response?.status()}`);
  const html = await (await fetch(url)).text();
  if (!/^[\s\S]{0,900}<meta charset="utf-8"/i.test(html)) problems.push('declares no charset');
  for (const address of await page.evaluate(loadImages)) problems.push(`broken image ${address}`);
  problems.push(...(await page.evaluate(inspect)));
  for (const colorScheme of colorSchemes) {
    await page.emulateMedia({ colorScheme });
    for (const [rule, ...nodes] of await axeViolations(page))
      problems.push(`axe, ${colorScheme}: ${rule} ${nodes.join(' ')}`);
  }
  await page.close();
  return problems;
}

/** Runs in the page. */
function inspect(): string[] {
  const problems: string[] = [];
  if (document.characterSet !== 'UTF-8') problems.push(`charset ${document.characterSet}`);
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) problems.push(`is ${scrollWidth} px wide`);
  return problems;
}
