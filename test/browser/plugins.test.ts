import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../helpers/runs.ts';
import type { DevServer, Run, Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';
import { launch } from './chromium.ts';
import { loadImages } from './in-page.ts';

// Articles look exactly as the site's own Markdown files with the same text, with any plugins of the site.

/** How a site renders its Markdown: source text of astro.config. */
interface Setup {
  astro?: 6;
  imports?: string;
  /** Fields of `markdown`. */
  markdown?: string;
  integrations?: string;
  /** The page of an entry, and the collections besides those of the articles and of the site's own files. */
  page?: string;
  collections?: string;
  /** Parts of the HTML that show that the plugins ran. */
  signs: string[];
  /** Tried only with `TEST_SCALE`: in `astro dev`, or at all. */
  isRare?: 'dev' | true;
}

const shiki = `shikiConfig: {
  themes: { light: 'github-light', dark: 'github-dark' },
  transformers: [
    'NotationDiff', 'NotationHighlight', 'NotationFocus', 'NotationErrorLevel', 'NotationWordHighlight',
    'MetaHighlight',
  ].map((name) => transformers['transformer' + name]()),
}`;
const shikiImports = `import * as transformers from '@shikijs/transformers';`;
const shikiSigns = ['line diff remove', 'focused', 'highlighted error', 'highlighted-word'];

/** Plugins that many sites write themselves: containers become asides, and diagrams are left to the page. */
const unifiedImports = `
import remarkDirective from 'remark-directive';
import remarkMath from 'remark-math';
import rehypeAutolinkHeadings from 'rehype-autolink-headings';
import rehypeExternalLinks from 'rehype-external-links';
import rehypeKatex from 'rehype-katex';
import rehypeSlug from 'rehype-slug';
const visit = (node, use) => { use(node); for (const child of node.children ?? []) visit(child, use); };
const asides = () => (tree) => visit(tree, (node) => {
  const { name, attributes } = node;
  if (node.type === 'textDirective') node.data = { hName: 'span', hProperties: attributes };
  if (node.type !== 'containerDirective') return;
  node.data = { hName: 'aside', hProperties: { ...attributes, class: 'aside aside-' + name, 'aria-label': name } };
});
const diagrams = () => (tree) => visit(tree, (node) => {
  const [code] = node.children ?? [];
  if (node.tagName !== 'pre' || !code?.properties?.className?.includes('language-mermaid')) return;
  Object.assign(node, { properties: { className: ['mermaid'] }, children: code.children });
});`;
const unifiedPlugins = `
remarkPlugins: [remarkMath, remarkDirective, asides],
rehypePlugins: [
  rehypeKatex, diagrams, rehypeSlug, [rehypeAutolinkHeadings, { behavior: 'append' }],
  [rehypeExternalLinks, { rel: ['nofollow', 'noopener'], target: '_blank', content: { type: 'text', value: ' ↗' } }],
],`;
const noMermaid = `syntaxHighlight: { type: 'shiki', excludeLangs: ['mermaid', 'math'] }`;
const pluginSigns = [
  'class="katex-display"',
  '<aside class="aside aside-tip"',
  'target="_blank"',
  '<pre class="mermaid">graph TD',
  ...shikiSigns,
];

/** The same for Sätteri, as its own plugins. */
const satteriImports = `
import { satteri } from '@astrojs/markdown-satteri';
import katex from 'katex';
const classOf = (node) => String(node?.properties?.className ?? '');
const formula = (text, displayMode) => ({ type: 'raw', value: katex.renderToString(text, { displayMode }) });
const asides = {
  name: 'asides',
  textDirective: (node) => ({ ...node, data: { hName: 'span', hProperties: { ...node.attributes } } }),
  containerDirective: (node) => ({
    ...node,
    data: { hName: 'aside', hProperties: { class: 'aside aside-' + node.name, 'aria-label': node.name } },
  }),
};
const elements = {
  name: 'elements',
  element: [
    { filter: ['pre'], visit(node, context) {
      const [code] = node.children;
      if (classOf(code).includes('math-display')) return formula(context.textContent(node), true);
      if (classOf(code).includes('language-mermaid')) return { ...node, properties: { className: ['mermaid'] }, children: code.children };
    } },
    { filter: ['code'], visit(node, context) {
      if (classOf(node).includes('math-inline')) return formula(context.textContent(node), false);
    } },
    { filter: ['a'], visit(node, context) {
      if (!/^https?:/.test(node.properties.href ?? '')) return;
      context.setProperty(node, 'rel', 'nofollow noopener');
      context.setProperty(node, 'target', '_blank');
    } },
  ],
};`;

const codeSigns = [
  '<div class="expressive-code">',
  '<figcaption class="header"><span class="title">sum.js',
  'class="ec-line highlight ins"',
];

const pageOfEntries = `---
import { getCollection, render } from 'astro:content';
export async function getStaticPaths() {
  const entries = [...(await getCollection('articles')), ...(await getCollection('own'))];
  return entries.map((entry) => ({
    params: { from: entry.collection, id: entry.id },
    props: { entry },
  }));
}
const { Content, headings } = await render(Astro.props.entry);
`;
const plainPage = `${pageOfEntries}
import 'katex/dist/katex.min.css';
---
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Page</title>
    <style is:global>
      body { margin: auto; max-width: 42rem; font: 1rem/1.5 sans-serif; }
      img { max-width: 100%; }
      .aside { border-left: 4px solid teal; }
      .diff.add { background: #cfc; }
      .diff.remove { background: #fcc; }
      .highlighted, .highlighted-word { background: #ff9; }
      .has-focused .line:not(.focused) { opacity: 0.5; }
    </style>
  </head>
  <body>
    <nav>{headings.map(({ depth, slug, text }) => <a href={'#' + slug}>{depth} {text}</a>)}</nav>
    <main><Content /></main>
  </body>
</html>`;

const starlight = {
  imports: `import starlight from '@astrojs/starlight';`,
  integrations: `starlight({
    title: 'Site',
    pagefind: false,
    markdown: { processedDirs: ['./src/content/articles', './src/content/own'] },
  })`,
  page: `${pageOfEntries}
import StarlightPage from '@astrojs/starlight/components/StarlightPage.astro';
---
<StarlightPage frontmatter={{ title: 'Page' }} headings={headings}><Content /></StarlightPage>`,
  collections: `docs: defineCollection({ loader: articlesLoader({ entryId: 'slug' }), schema: docsSchema() }),`,
  signs: [
    '<aside aria-label="Careful" class="starlight-aside starlight-aside--note"',
    ...codeSigns,
  ],
};

const sites: Record<string, Setup> = {
  'Sätteri, as Astro 7 comes': { signs: ['class="astro-code', 'data-footnotes'] },
  'Sätteri with all its features, and plugins': {
    imports: satteriImports + shikiImports,
    markdown: `${noMermaid}, ${shiki}, processor: satteri({
      features: {
        math: true, directive: true, headingAttributes: true, superscript: true, subscript: true,
        wikilinks: true, definitionList: true, rawHtml: true,
      },
      mdastPlugins: [asides],
      hastPlugins: [elements],
    })`,
    signs: pluginSigns,
    isRare: true,
  },
  'unified with plugins': {
    imports: `import { unified } from '@astrojs/markdown-remark';${unifiedImports}${shikiImports}`,
    markdown: `${noMermaid}, ${shiki}, processor: unified({ ${unifiedPlugins} })`,
    signs: pluginSigns,
    isRare: 'dev',
  },
  'unified with plugins on Astro 6': {
    astro: 6,
    imports: unifiedImports + shikiImports,
    markdown: `${noMermaid}, ${shiki}, ${unifiedPlugins}`,
    signs: pluginSigns,
    isRare: true,
  },
  Starlight: starlight,
};

const tried = Object.entries(sites).filter(([, { isRare }]) => isLong || isRare !== true);

/** Texts of articles: what plugins change, and all that Markdown and HTML have. */
const texts = ['plugins', 'legitimate'];

const service = await useService({
  articles: texts.map((id) => ({
    ...{ id, title: 'T', cover_image: null },
    content: readFileSync(new URL(`${id}.md`, import.meta.url), 'utf8'),
  })),
});
// Media of articles are those of the service.
const files: Record<string, string> = Object.fromEntries(
  service.articles.map(({ id, content }) => [
    `src/content/own/${id}.md`,
    String(content).replaceAll('/media/', `${service.url}/media/`),
  ]),
);

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
  return () => browser.close();
});

describe.each(tried)('with %s', (_, setup) => {
  const sites = useSites();
  let site: Site;
  let build: Run;

  beforeAll(async () => {
    site = await sites.create({
      ...(setup.astro ? { astro: setup.astro } : {}),
      files: { ...filesOf(setup), ...files },
    });
    // Starlight has a page with this address.
    await rm(join(site.root, 'src/pages/[...slug].astro'));
    build = await site.astro(['build'], service.env);
  });

  it('nothing of an article is dropped', () => {
    expect(build.output).not.toContain('HTML that is not allowed was dropped');
    expect(build.status, build.output).toBe(0);
  });

  it('an article looks like the site’s own Markdown in the build', async () => {
    await compare(await site.preview(), setup.signs, texts);
  });

  it.runIf(setup.collections)('an article looks like one of Starlight’s own pages', async () => {
    const html = await site.read('dist/plugins/index.html');
    for (const sign of setup.signs) expect(html).toContain(sign);
  });

  it.runIf(isLong)('an article looks like the site’s own Markdown in astro dev', async () => {
    const server = await site.dev(service.env);
    // The first visit may prepare scripts and load the page again.
    const page = await browser.newPage();
    await page.goto(`${server.url}/own/plugins/`, { waitUntil: 'networkidle', timeout: 0 });
    await page.close();
    await compare(server, setup.signs, isLong ? texts : ['plugins']);
  });
});

function filesOf({
  imports = '',
  markdown = '',
  integrations = '',
  page = plainPage,
  collections = '',
}: Setup): Record<string, string> {
  return {
    'astro.config.mjs': `
      import { defineConfig } from 'astro/config';
      import articles from 'astro-articles';
      ${imports}
      export default defineConfig({
        integrations: [
          ${integrations ? `${integrations}, ` : ''}
          articles({ sanitize: { attributes: { div: ['data-columns'] } } }),
        ],
        devToolbar: { enabled: false },
        markdown: { ${markdown} },
      });`,
    'src/content.config.ts': `
      import { defineCollection } from 'astro:content';
      import { glob } from 'astro/loaders';
      import { articlesLoader } from 'astro-articles';
      ${collections ? `import { docsSchema } from '@astrojs/starlight/schema';` : ''}
      export const collections = {
        articles: defineCollection({ loader: articlesLoader() }),
        own: defineCollection({ loader: glob({ pattern: '*.md', base: './src/content/own' }) }),
        ${collections}
      };`,
    'src/pages/[from]/[id].astro': page,
    // Vite processes the code of packages that depend on Astro if they are named here.
    'package.json': JSON.stringify({ type: 'module', dependencies: { '@astrojs/starlight': '*' } }),
  };
}

/** Opens both pages of each text, and expects the same document and the same pixels. */
async function compare(
  server: DevServer,
  signs: readonly string[],
  ids: readonly string[],
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 800, height: 600 } });
  await context.route(
    ({ hostname }) => !/^(?:localhost|127\.0\.0\.1)$/.test(hostname),
    (route) => route.abort(),
  );
  // One page after the other: Chromium does less for pages in the background.
  const page = await context.newPage();
  for (const id of ids) {
    const own = await look(page, `${server.url}/own/${id}/`);
    const article = await look(page, `${server.url}/articles/${id}/`);
    if (id === 'plugins') for (const sign of signs) expect(own.html).toContain(sign);
    expect(article.html).toBe(own.html);
    expect(article.pixels.equals(own.pixels), `pixels of ${id}`).toBe(true);
  }
  await context.close();
  await server.stop();
}

async function look(page: Page, address: string): Promise<{ html: string; pixels: Buffer }> {
  await page.goto(address, { waitUntil: 'networkidle' });
  // Expressive Code changes wide code after 250 ms, as soon as the page is idle.
  await page.evaluate(
    () => new Promise((resolve) => setTimeout(() => requestIdleCallback(resolve), 300)),
  );
  const html = await page.evaluate(() => document.body.outerHTML);
  await page.evaluate(loadImages);
  // The controls of films and sounds change while these load.
  const mask = [page.locator('video, audio')];
  return { html, pixels: await page.screenshot({ fullPage: true, animations: 'disabled', mask }) };
}
