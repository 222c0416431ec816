import { beforeAll, expect, it } from 'vitest';
import { deadLinks } from '../helpers/crawl.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

// The URL of a page, wherever it is written.

const origin = 'https://www.example.com';
const some = [
  ['directory', 'never', '/repo/'],
  ['file', 'always', '/'],
];
const all = ['directory', 'file', 'preserve'].flatMap((format) =>
  ['always', 'never', 'ignore'].flatMap((trailingSlash) =>
    ['/', '/repo'].map((base) => [format, trailingSlash, base]),
  ),
);

const text = { content: 'Text, and [more](#more).', cover_image: null };
const service = await useService({
  articles: [
    { ...text, id: 'a1', title: 'Prices' },
    { ...text, id: 'b2', title: 'Tides' },
  ],
});
const sites = useSites();
let site: Site;

beforeAll(async () => {
  site = await sites.create({
    files: {
      'astro.config.mjs': `
        import sitemap from '@astrojs/sitemap';
        import { defineConfig } from 'astro/config';
        import articles from 'astro-articles';
        const [format, trailingSlash, base] = JSON.parse(process.env.COMBINATION);
        export default defineConfig({
          site: '${origin}',
          trailingSlash,
          base,
          build: { format },
          integrations: [articles(), sitemap()],
        });`,
      'src/pages/[...slug].astro': '---\nexport const getStaticPaths = () => [];\n---\n',
      'src/pages/index.astro': `---
        import { getArticles, pagePath } from 'astro-articles';
        ---
        {(await getArticles('articles')).map(({ data }) => <a href={pagePath('articles/' + data.slug)}>{data.title}</a>)}`,
      'src/pages/articles/[slug].astro': `---
        import { getArticles, pagePath } from 'astro-articles';
        import { ArticleBody, ArticleHead } from 'astro-articles/components';
        export async function getStaticPaths() {
          const articles = await getArticles('articles');
          return articles.map((article) => ({ params: { slug: article.data.slug }, props: { article } }));
        }
        const { article } = Astro.props;
        const path = pagePath(\`/articles/\${article.data.slug}/\`);
        const alternates = {
          en: path,
          'en-GB': path.replace(/\\/?$/, '/'),
          'en-US': new URL(path.replace(/\\/$/, ''), Astro.site),
          de: 'https://de.example.com/a',
        };
        ---
        <head><ArticleHead article={article} alternates={alternates} /></head>
        <ArticleBody article={article} />`,
      'src/pages/rss.xml.ts': `
        import rss from '@astrojs/rss';
        import { getArticles, pagePath } from 'astro-articles';
        import { feedItems } from 'astro-articles/feed';
        export const GET = async ({ site }) => rss({
          title: 'Feed', description: 'Articles', site: new URL(pagePath(''), site),
          items: await feedItems(await getArticles('articles'), {
            site,
            path: ({ data }) => pagePath('articles/' + data.slug),
          }),
        });`,
    },
  });
  await site.build({ ...service.env, COMBINATION: JSON.stringify(all[0]) });
  service.change('a1', { title: 'Costs' });
});

const first = (text: string, pattern: RegExp) => pattern.exec(text)?.[1];

it.each(process.env.ALL_COMBINATIONS ? all : some)(
  'is the same one with build.format "%s", trailingSlash "%s" and base "%s", and each link leads to a page',
  async (format, trailingSlash, base) => {
    const COMBINATION = JSON.stringify([format, trailingSlash, base]);
    await site.build({ ...service.env, COMBINATION, NETLIFY: 'true' });
    const pageOf = (slug: string) => {
      const file = format === 'directory' ? `${slug}/index.html` : `${slug}.html`;
      return site.read(`dist/articles/${file}`);
    };
    const page = await pageOf('costs-a1');
    const home = await site.read('dist/index.html');
    const canonical = first(page, /<link rel="canonical" href="([^"]*)"/) ?? '';
    const feed = (await site.read('dist/rss.xml')).split('<item>');
    const item = feed.find((item) => item.includes('<title>Costs<')) ?? '';
    const rule = first(await site.read('dist/_redirects'), /articles\/prices-a1 (\S*)/) ?? '';
    expect(await site.read('dist/sitemap-0.xml')).toContain(`<loc>${canonical}</loc>`);
    expect({
      openGraph: first(page, /<meta property="og:url" content="([^"]*)"/),
      jsonLd: first(page, /"url":"([^"]*)"/),
      link: new URL(first(home, /href="([^"]*)">Costs/) ?? '', origin).href,
      alternate: first(page, /hreflang="en" href="([^"]*)"/),
      withSlash: first(page, /hreflang="en-GB" href="([^"]*)"/),
      withoutSlash: first(page, /hreflang="en-US" href="([^"]*)"/),
      other: first(page, /hreflang="de" href="([^"]*)"/),
      feed: first(item, /<link>([^<]*)</),
      inFeed: first(item, /href=&quot;([^#]*)#/),
      redirect: first(await pageOf('prices-a1'), /rel="canonical" href="([^"]*)"/),
      rule: new URL(rule, origin).href,
    }).toEqual({
      openGraph: canonical,
      jsonLd: canonical,
      link: canonical,
      alternate: canonical,
      withSlash: canonical,
      withoutSlash: canonical,
      other: 'https://de.example.com/a',
      feed: canonical,
      inFeed: canonical,
      redirect: canonical,
      rule: canonical,
    });
    expect(await deadLinks(site, { site: origin, base })).toEqual([]);
  },
);
