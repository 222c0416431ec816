import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../helpers/runs.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';
import { buildSite, groupSize, type SiteSetup } from './articles-site.ts';
import { type Payload, payloads } from './payloads.ts';
import { type Engine, engines, openTab, runIn, start, visit } from './visit.ts';

const worst = 'with directives for any element, KaTeX with `trust`, and slugs';
/** Sites by their Markdown pipeline, which turns text into elements in different ways. */
const setups: Record<string, SiteSetup> = {
  'with the defaults of Astro': {},
  'with the defaults of Astro and `sanitize: "strict"`': { sanitize: 'strict' },
  [worst]: {
    imports: `
      import { unified } from '@astrojs/markdown-remark';
      import remarkDirective from 'remark-directive';
      import remarkMath from 'remark-math';
      import rehypeAutolinkHeadings from 'rehype-autolink-headings';
      import rehypeKatex from 'rehype-katex';
      import rehypeSlug from 'rehype-slug';
      const visit = (node, use) => { use(node); for (const child of node.children ?? []) visit(child, use); };
      const directives = () => (tree) => visit(tree, (node) => {
        if (/Directive$/.test(node.type)) node.data = { hName: node.name, hProperties: node.attributes };
      });
      const raw = () => (tree) => visit(tree, (node) => {
        if (node.type === 'code' && node.lang === 'html') Object.assign(node, { type: 'html' });
      });`,
    markdown: `processor: unified({
      remarkPlugins: [remarkDirective, directives, remarkMath, raw],
      rehypePlugins: [[rehypeKatex, { trust: true, strict: false }], rehypeSlug, rehypeAutolinkHeadings],
    })`,
  },
  'with expressive-code': {
    imports: `import expressiveCode from 'astro-expressive-code';`,
    integrations: 'expressiveCode()',
  },
};

it('there are more than 600 different payloads', () => {
  const texts = payloads.map(({ id: _, ...payload }) => JSON.stringify(payload));
  expect(new Set(texts).size).toBe(payloads.length);
  expect(payloads.length).toBeGreaterThan(600);
});

// Each site takes a minute. `TEST_SCALE` includes those that turn less text into elements, too.
const isLong = runs(1).numRuns > 1;
const selected = Object.entries(setups).filter(([name]) => isLong || name === worst);

const service = await useService({
  articles: payloads.map((payload) => ({ title: payload.id, cover_image: null, ...payload })),
});

describe.each(selected)('hostile articles on a site %s', (name, setup) => {
  const { keep } = useSites();
  let site: Site;
  /** The payloads that are not refused. */
  let shown: Payload[];
  let groups: Payload[][];

  beforeAll(async () => {
    site = await keep(buildSite(service, setup));
    const pages = new Set(await site.list('dist/safe'));
    shown = payloads.filter(({ id }) => pages.has(`${id}/index.html`));
    const starts = shown.map((_, index) => index).filter((index) => index % groupSize === 0);
    groups = starts.map((start) => shown.slice(start, start + groupSize));
  });

  it('are shown, except for the few that are refused', () => {
    expect(payloads.length - shown.length).toBeLessThan(10);
  });

  describe.each(Object.keys(engines) as Engine[])('in %s', (engine) => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await start(engine);
      return () => browser.close();
    });

    /** Calls `work` for each item of a list, with three tabs in parallel. */
    async function withTabs<T>(list: readonly T[], work: (page: Page, item: T) => Promise<void>) {
      const waiting = [...list];
      const next = async () => {
        const page = await openTab(browser, join(site.root, 'dist'));
        for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
          await work(page, item);
        }
      };
      await Promise.all([next(), next(), next()]);
    }

    /** Returns what must not happen, by the path of the page. */
    async function visitAll(paths: readonly string[]): Promise<Record<string, string[]>> {
      const signsByPath: Record<string, string[]> = {};
      await withTabs(paths, async (page, path) => {
        const signs = await visit(page, path);
        if (signs.length > 0) signsByPath[path] = signs;
      });
      return signsByPath;
    }

    it.runIf(name === worst)('run script without sanitizing', async () => {
      const ran = new Set<string>();
      // The first ones are enough to show that the test notices scripts. `TEST_SCALE` opens all.
      const tried = isLong ? groups : groups.slice(0, 10);
      await withTabs(tried, async (page, group) => {
        const paths = group.map(({ id }) => `/open/${id}/`);
        for (const path of await runIn(page, paths)) ran.add(path);
      });
      expect(ran.size).toBeGreaterThan(isLong ? 300 : 75);
    });

    it('do not run script, navigate, send requests, cover the page or break its layout', async () => {
      // Payloads with the same id affect one another on a shared page.
      const alone = shown.filter(({ id }) => id.startsWith('clobbering'));
      const signs = await visitAll([
        ...groups.flatMap((_, index) => [`/plain/${index}/`, `/drawn/${index}/`]),
        ...alone.map(({ id }) => `/safe/${id}/`),
      ]);
      const suspects = groups.filter((_, index) => signs[`/plain/${index}/`]).flat();
      const found = await visitAll(suspects.map(({ id }) => `/safe/${id}/`));
      expect({ ...signs, ...found }).toEqual({});
    });
  });
});
