import type { FixtureService } from '../../fixtures/service.ts';
import { sameElements } from '../helpers/same-elements.ts';
import { createSite, type Site } from '../helpers/site.ts';

/** The number of articles on one page below `/group/`. */
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
  /** Whether `<ArticleBody>` draws the articles, with a component for each element. @default false */
  components?: boolean;
}

/**
 * Builds a site with a page for each article: below `/safe/` sanitized, and below `/open/` with
 * `sanitize: false`. Each page below `/group/` shows several sanitized articles. Refused articles have no page.
 */
export async function buildSite(
  service: FixtureService,
  {
    imports = '',
    markdown = '',
    integrations = '',
    sanitize = true,
    components = false,
  }: SiteSetup = {},
): Promise<Site> {
  // With the default, articles may use the classes of the site, like the site's own Markdown.
  const style = sanitize === 'strict' ? '.cover { position: fixed; inset: 0 }' : '';
  const options = `{ images: { covers: 'remote' }, rows: 'whole', failOn: ['service'], sanitize: ${JSON.stringify(sanitize)} }`;
  const site = await createSite({
    files: {
      ...files,
      ...(components ? { ...sameElements, 'src/components/Article.astro': withComponents } : {}),
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

/** Without a component, pages clip an article as `<ArticleBody>` does. */
const drawn = '<article style="contain: paint"><Content /></article>';

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
    const { entry } = Astro.props;
    const { title, cover_image } = entry.data;
    const { Content, headings } = await render(entry);
    ---
    <section>
      <h1>{title}</h1>
      {cover_image && <a href={cover_image}><img src={cover_image} alt="" /></a>}
      <nav>{headings.map(({ slug, text }) => <a href={'#' + slug}>{text}</a>)}</nav>
      ${drawn}
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
      const groups = starts.map((start, index) => ({
        params: { path: 'group/' + index },
        props: { entries: safe.slice(start, start + ${groupSize}) },
      }));
      return [...alone, ...groups];
    }
    const { entries } = Astro.props;
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
        <main>{entries.map((entry) => <Article entry={entry} />)}</main>
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

const withComponents = files['src/components/Article.astro']
  .replace(
    '---',
    "---\nimport { ArticleBody } from 'astro-articles/components';\nimport { same } from '../same/index.ts';",
  )
  .replace(drawn, '<ArticleBody as="article" article={entry} components={same} />');
