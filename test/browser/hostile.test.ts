import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../helpers/runs.ts';
import { sameElements } from '../helpers/same-elements.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';
import { type Payload, payloads } from './payloads.ts';
import { openTab, start, triedEngines, visit } from './visit.ts';

/** The number of articles on a page that shows several. */
const groupSize = 16;

/** How a site renders its Markdown: source text of astro.config. */
interface Setup {
  imports?: string;
  /** Fields of `markdown`. */
  markdown?: string;
  integrations?: string;
  sanitize?: true | 'strict';
}

const worst = 'with directives for any element, KaTeX with `trust`, and slugs';
/** Sites by their Markdown pipeline, which turns text into elements in different ways. */
const setups: Record<string, Setup> = {
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
    integrations: 'expressiveCode(), ',
  },
};

it('there are more than 600 different payloads', () => {
  const texts = payloads.map(({ id: _, ...payload }) => JSON.stringify(payload));
  expect(new Set(texts).size).toBe(payloads.length);
  expect(payloads.length).toBeGreaterThan(600);
});

// Each site takes a minute. `TEST_SCALE` includes those that turn less text into elements, too.
const selected = Object.entries(setups).filter(([name]) => isLong || name === worst);

const service = await useService({
  articles: payloads.map((payload) => ({ title: payload.id, cover_image: null, ...payload })),
});

describe.each(selected)('hostile articles on a site %s', (name, setup) => {
  const sites = useSites();
  let site: Site;
  /** The payloads that are not refused. */
  let shown: Payload[];
  let groups: Payload[][];

  beforeAll(async () => {
    site = await sites.create({ files: filesOf(setup) });
    await site.build(service.env);
    const pages = new Set(await site.list('dist/safe'));
    shown = payloads.filter(({ id }) => pages.has(`${id}/index.html`));
    const starts = shown.map((_, index) => index).filter((index) => index % groupSize === 0);
    groups = starts.map((start) => shown.slice(start, start + groupSize));
  });

  it('are shown, except for the few that are refused', () => {
    expect(payloads.length - shown.length).toBeLessThan(10);
  });

  describe.each(triedEngines)('in %s', (engine) => {
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
      // The first ones are enough to show that the test notices scripts. `TEST_SCALE` opens all.
      const tried = isLong ? shown : shown.slice(0, 24);
      const signs = Object.values(await visitAll(tried.map(({ id }) => `/open/${id}/`)));
      const ran = signs.filter((found) => found.includes('alert ran'));
      expect(ran.length).toBeGreaterThan(isLong ? 300 : 10);
    });

    it('do not run script, navigate, send requests, cover the page or break its layout', async () => {
      // Payloads with the same id affect one another on a shared page.
      const alone = shown.filter(({ id }) => id.startsWith('clobbering'));
      const kinds = ['plain', 'drawn'];
      const signs = await visitAll([
        ...groups.flatMap((_, index) => kinds.map((kind) => `/${kind}/${index}/`)),
        ...alone.map(({ id }) => `/safe/${id}/`),
      ]);
      const suspects = groups.filter((_, index) => signs[`/plain/${index}/`]).flat();
      const found = await visitAll(suspects.map(({ id }) => `/safe/${id}/`));
      expect({ ...signs, ...found }).toEqual({});
    });
  });
});

/**
 * Returns the files of a site with a page for each article: below `/safe/` sanitized, and below `/open/` with
 * `sanitize: false`. Each page below `/plain/` shows several sanitized articles, and those below `/drawn/` do with a
 * component for each element. Refused articles have no page.
 */
function filesOf({ imports = '', markdown = '', integrations = '', sanitize = true }: Setup) {
  const options = `{ images: { covers: 'remote' }, rows: 'whole', failOn: ['service'], sanitize: ${JSON.stringify(sanitize)} }`;
  // With the default, articles may use the classes of the site, like the site's own Markdown.
  const style = sanitize === 'strict' ? '.cover { position: fixed; inset: 0 }' : '';
  return {
    ...sameElements,
    'astro.config.mjs': `
        import { defineConfig } from 'astro/config';
        import articles from 'astro-articles';
        ${imports}
        export default defineConfig({
          integrations: [${integrations}articles(${options})],
          markdown: { ${markdown} },
        });`,
    'src/content.config.ts': `
    import { defineCollection } from 'astro:content';
    import { z } from 'astro/zod';
    import { articleSchema, articlesLoader } from 'astro-articles';
    const schema = (context) => articleSchema(context).extend({ cover_image: z.string().nullable() });
    export const collections = {
      safe: defineCollection({ loader: articlesLoader(), schema }),
      open: defineCollection({ loader: articlesLoader({ sanitize: false }), schema }),
    };`,
    'src/pages/entries.json.ts': 'export const GET = () => new Response();',
    'src/components/Article.astro': `---
    import { render } from 'astro:content';
    import { ArticleBody } from 'astro-articles/components';
    import { same } from '../same/index.ts';
    const { entry, isDrawn } = Astro.props;
    const { title, cover_image } = entry.data;
    const { Content, headings } = await render(entry);
    ---
    <section>
      <h1>{title}</h1>
      {cover_image && <a href={cover_image}><img src={cover_image} alt="" /></a>}
      <nav>{headings.map(({ slug, text }) => <a href={'#' + slug}>{text}</a>)}</nav>
      {/* Without the component, the page clips an article as the component does. */}
      {isDrawn
        ? <ArticleBody as="article" article={entry} components={same} />
        : <article style="contain: paint"><Content /></article>}
      <p class="after">After</p>
    </section>`,
    'src/pages/[...path].astro': `---
    import { getCollection } from 'astro:content';
    import Article from '../components/Article.astro';
    export async function getStaticPaths() {
      const inOrder = (entries) => entries.sort((a, b) => b.data.position - a.data.position);
      const safe = inOrder(await getCollection('safe'));
      const open = await getCollection('open');
      const alone = [...safe, ...open].map((entry) => ({
        params: { path: entry.collection + '/' + entry.id },
        props: { entries: [entry] },
      }));
      const starts = safe.map((_, index) => index).filter((index) => index % ${groupSize} === 0);
      const groups = starts.flatMap((start, index) => ['plain', 'drawn'].map((kind) => ({
        params: { path: kind + '/' + index },
        props: { entries: safe.slice(start, start + ${groupSize}), isDrawn: kind === 'drawn' },
      })));
      return [...alone, ...groups];
    }
    const { entries, isDrawn } = Astro.props;
    const { title, description, slug } = entries[0].data;
    ---
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{title}</title>
        <meta name="description" content={description} />
        <style is:global>${style}</style>
      </head>
      <body>
        <header><a id="home" href="/">Home</a> <span title={title}>{slug}</span></header>
        <main>{entries.map((entry) => <Article {entry} {isDrawn} />)}</main>
        <script is:inline>
          // As many sites do: load a script that a global variable configures, and use properties of the document.
          const wanted = window.siteConfig && (window.siteConfig.url || window.siteConfig);
          if (wanted) document.head.append(Object.assign(document.createElement('script'), { src: wanted }));
          const { cookie, body, head, forms, scripts, currentScript, title } = document;
          const { querySelector, getElementById, createElement } = document;
          const isWhole = typeof cookie === 'string' && typeof title === 'string'
            && body instanceof HTMLBodyElement && head instanceof HTMLHeadElement
            && forms instanceof HTMLCollection && scripts instanceof HTMLCollection
            && currentScript instanceof HTMLScriptElement
            && [querySelector, getElementById, createElement].every((each) => typeof each === 'function');
          if (!isWhole) alert('clobbered');
        </script>
      </body>
    </html>`,
  };
}
