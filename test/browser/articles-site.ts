import type { FixtureService } from '../../fixtures/service.ts';
import { sameElements } from '../helpers/same-elements.ts';
import { createSite, type Site } from '../helpers/site.ts';

/** The number of articles on a page that shows several. */
export const groupSize = 16;

/** How a site renders its Markdown. */
export interface SiteSetup {
  /** Source text at the start of astro.config. */
  imports?: string;
  /** Source text: fields of `markdown` in astro.config. */
  markdown?: string;
  /** Source text: integrations before this package. */
  integrations?: string;
  sanitize?: true | 'strict';
}

/**
 * Builds a site with a page for each article: below `/safe/` sanitized, and below `/open/` with `sanitize: false`.
 * Each page below `/plain/` shows several sanitized articles, and those below `/drawn/` do with a component for
 * each element. Refused articles have no page.
 */
export async function buildSite(
  service: FixtureService,
  { imports = '', markdown = '', integrations = '', sanitize = true }: SiteSetup = {},
): Promise<Site> {
  // With the default, articles may use the classes of the site, like the site's own Markdown.
  const style = sanitize === 'strict' ? '.cover { position: fixed; inset: 0 }' : '';
  const options = `{ images: { covers: 'remote' }, rows: 'whole', failOn: ['service'], sanitize: ${JSON.stringify(sanitize)} }`;
  const site = await createSite({
    files: {
      ...files,
      ...sameElements,
      'src/pages/[...path].astro': files['src/pages/[...path].astro'].replace('SITE_STYLE', style),
      'astro.config.mjs': `
        import { defineConfig } from 'astro/config';
        import articles from 'astro-articles';
        ${imports}
        export default defineConfig({
          integrations: [${integrations ? `${integrations}, ` : ''}articles(${options})],
          markdown: { ${markdown} },
        });`,
    },
  });
  const { status, output } = await site.astro(['build'], service.env);
  if (status !== 0) throw new Error(output);
  return site;
}

const files = {
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
        <style is:global>SITE_STYLE</style>
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
