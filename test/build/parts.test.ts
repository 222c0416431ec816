import { beforeAll, describe, expect, it } from 'vitest';
import {
  attributeOf,
  type Element,
  elementsOf,
  parseHtml,
  textOf,
} from '../../src/html/parse-html.ts';
import { unescapeXml } from '../helpers/crawl.ts';
import { astroVersions } from '../helpers/runs.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const hostile = '</script><script>alert(1)</script> <!-- "quotes" & \u0008\u2028 ]]>';
const articles = [
  {
    id: 1,
    title: 'Tides',
    content:
      'The sea.\n\n![Ridges](/media/ridges.jpg)\n\n[Below](#end) and [another](/other).\n\n## End',
    cover_image: '/media/tides.jpg',
  },
  { id: 2, title: hostile, content: `Words: ${hostile}`, cover_image: null },
  { id: 3, title: '\u0008', content: '\u0001', cover_image: null },
];
const origin = 'https://site.example';
const page = `---
import { getCollection, render } from 'astro:content';
import { withBody } from 'astro-articles';
import { ArticleCover, ArticleHead } from 'astro-articles/components';
export async function getStaticPaths() {
  const articles = await getCollection('articles');
  return articles.map((article) => ({ params: { slug: article.data.slug }, props: { article } }));
}
const { article } = Astro.props;
const { Content } = await render(await withBody(article));
const dates = article.data.title === 'Tides' && {
  published: '2026-03-02',
  updated: new Date('2026-03-03T10:00:00+01:00'),
  author: ['Ada', '</script>'],
  tags: ['sea', '"moon"'],
};
---
<html lang="en">
  <head><meta charset="utf-8" /><ArticleHead article={article} siteName="My site" {...dates} /></head>
  <body>
    <h1>{article.data.title}</h1>
    <ArticleCover article={article} sizes="60rem" priority />
    <Content />
  </body>
</html>`;
const covers = `---
import { getCollection } from 'astro:content';
import { ArticleCover } from 'astro-articles/components';
import drawing from '../drawing.svg';
const articles = (await getCollection('articles')).sort((a, b) => a.data.position - b.data.position);
const remote = { data: { cover_image: 'https://cdn.example/"a.jpg' } };
---
{articles.map((article) => (
  <section>
    <ArticleCover article={article} ratio={1} widths={[300, 100]} sizes="10rem" class="pic">No cover</ArticleCover>
  </section>
))}
<aside>
  <ArticleCover article={remote} ratio={2} widths={[600]} />
  <ArticleCover article={remote} alt="A dune" style="float: left" />
  <ArticleCover article={{ data: { cover_image: drawing } }} />
  <ArticleCover article={articles.find(({ data }) => data.cover_image)} />
</aside>`;

const feed = `
import rss from '@astrojs/rss';
import { getCollection } from 'astro:content';
import { feedItems } from 'astro-articles/feed';
export const GET = async ({ site }) => rss({
  title: 'Feed', description: 'Articles', site,
  items: await feedItems(await getCollection('articles'), {
    site,
    path: ({ data }) => '/articles/' + data.slug + '/',
    date: ({ data }) => data.title === 'Tides' ? '2026-03-02' : undefined,
    author: ({ data }) => data.title === 'Tides' ? ['Ada \\b& Grace'] : undefined,
    categories: ['sea', '<moon>'],
  }),
});`;

const heads = `
import { experimental_AstroContainer as AstroContainer } from 'astro/container';
import { ArticleHead } from 'astro-articles/components';
const data = { title: 'Dunes', description: '', cover_image: 'https://cdn.example/a.jpg' };
const own = {
  title: 'Dunes of the north', image: '/og.png', author: 'Ada', published: null, tags: null,
  jsonLd: { headline: 'Own', inLanguage: 'de' },
};
export const GET = async () => {
  const container = await AstroContainer.create();
  const request = new Request('https://other.example/dunes/');
  const heads = [own, { image: new URL('https://cdn.example/og.png') }, {}].map((props) =>
    container.renderToString(ArticleHead, { props: { article: { data }, ...props }, request }));
  return Response.json(await Promise.all(heads));
};`;

const items = `
import { feedItems } from 'astro-articles/feed';
const entryOf = (id, data) => ({ id, data, rendered: { html: '<p>Text</p>' } });
const cover_image = 'https://cdn.example/a.jpg?a=1&b="2"';
const entries = [
  entryOf('1', { title: ' ', cover_image }),
  entryOf('2', { title: 'Dunes', slug: 'dunes', description: null, cover_image: null }),
];
export const GET = async ({ site }) => {
  const path = ({ id }) => '/' + id + '/';
  const categories = ({ id }) => ['sea', id];
  return Response.json([
    await feedItems(entries, { site, path, author: 'Ada', categories }),
    await feedItems(entries, { site, path, author: ['Ada', 'Grace'], categories: 'sea', covers: false }),
  ]);
};`;

const service = await useService({ articles });

describe.each(astroVersions)('components and feed, on Astro %i', (astro) => {
  const sites = useSites();
  let site: Site;

  beforeAll(async () => {
    site = await sites.create({
      astro,
      options: "{ bodies: 'mirror', images: { body: 'local' } }",
      config: `site: '${origin}'`,
      files: {
        'src/pages/articles/[slug].astro': page,
        'src/pages/covers.astro': covers,
        'src/pages/rss.xml.ts': feed,
        'src/pages/heads.json.ts': heads,
        'src/pages/items.json.ts': items,
        'src/drawing.svg':
          '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20" viewBox="0 0 30 20"></svg>',
      },
    });
    await site.build(service.env);
  });

  async function pageOf(id: number): Promise<Element[]> {
    const files = await site.list('dist/articles');
    const file = files.find((each) => each.includes(`-${id}/`));
    return elementsOf(parseHtml(await site.read(`dist/articles/${file}`)));
  }

  /** Whether the build contains the file of an absolute URL. */
  async function isBuilt(address: string): Promise<boolean> {
    const files = await site.list('dist');
    return address.startsWith(`${origin}/`) && files.includes(address.slice(origin.length + 1));
  }

  it('ArticleHead writes the metadata of an article that the page passes, and nothing else', async () => {
    const page = await pageOf(1);
    const link = `${origin}/articles/tides-1/`;
    expect(textOfFirst(page, 'title')).toBe('Tides');
    expect(find(page, 'link', { rel: 'canonical' })?.href).toBe(link);
    expect(find(page, 'meta', { name: 'description' })?.content).toBe('The sea.');
    const image = find(page, 'meta', { property: 'og:image' })?.content ?? '';
    expect(await isBuilt(image)).toBe(true);
    const openGraph = page
      .map(propertiesOf)
      .flatMap(({ property, content }) => (property ? [[property, content]] : []));
    expect(openGraph).toEqual([
      ['og:type', 'article'],
      ['og:title', 'Tides'],
      ['og:description', 'The sea.'],
      ['og:url', link],
      ['og:site_name', 'My site'],
      ['og:image', image],
      ['og:image:width', '1200'],
      ['og:image:height', '630'],
      ['article:published_time', '2026-03-02T00:00:00.000Z'],
      ['article:modified_time', '2026-03-03T09:00:00.000Z'],
      ['article:tag', 'sea'],
      ['article:tag', '"moon"'],
    ]);
    expect(jsonLdOf(page)).toEqual({
      '@context': 'https://schema.org',
      '@type': 'Article',
      headline: 'Tides',
      description: 'The sea.',
      image,
      url: link,
      wordCount: 6,
      datePublished: '2026-03-02T00:00:00.000Z',
      dateModified: '2026-03-03T09:00:00.000Z',
      author: [
        { '@type': 'Person', name: 'Ada' },
        { '@type': 'Person', name: '</script>' },
      ],
      keywords: 'sea, "moon"',
    });
  });

  it('ArticleHead escapes a hostile title, and needs no cover', async () => {
    const page = await pageOf(2);
    const scripts = page.filter(({ tagName }) => tagName === 'script');
    expect(scripts.map((script) => attributeOf(script, 'type'))).toEqual(['application/ld+json']);
    const data = jsonLdOf(page);
    expect(data.headline).toBe(hostile);
    expect(Object.keys(data)).not.toContain('image');
    expect(textOfFirst(page, 'title')).toBe(hostile);
    expect(find(page, 'meta', { property: 'og:title' })?.content).toBe(hostile);
    expect(find(page, 'meta', { property: 'og:image' })).toBeUndefined();
    expect(find(page, 'img', {})).toBeUndefined();
  });

  it('ArticleHead has the title, the picture and the fields that the page passes instead', async () => {
    const [own = [], withUrl = [], withCover = []] = JSON.parse(
      await site.read('dist/heads.json'),
    ).map((html: string) => elementsOf(parseHtml(html)));
    expect(textOfFirst(own, 'title')).toBe('Dunes of the north');
    expect(find(own, 'meta', { property: 'og:title' })?.content).toBe('Dunes');
    expect(jsonLdOf(own)).toEqual({
      '@context': 'https://schema.org',
      '@type': 'Article',
      headline: 'Own',
      image: `${origin}/og.png`,
      url: `${origin}/dunes/`,
      author: [{ '@type': 'Person', name: 'Ada' }],
      inLanguage: 'de',
    });
    for (const [head, image] of [
      [own, `${origin}/og.png`],
      [withUrl, 'https://cdn.example/og.png'],
      [withCover, 'https://cdn.example/a.jpg'],
    ] as const) {
      expect(find(head, 'meta', { property: 'og:image' })?.content).toBe(image);
      expect(find(head, 'meta', { name: 'twitter:card' })?.content).toBe('summary_large_image');
      for (const property of ['og:image:width', 'og:description', 'article:published_time'])
        expect(find(head, 'meta', { property }), property).toBeUndefined();
      expect(find(head, 'meta', { name: 'description' })).toBeUndefined();
    }
  });

  it('ArticleCover loads the cover eagerly and in several widths', async () => {
    const cover = find(await pageOf(1), 'img', {});
    expect(cover).toMatchObject({
      loading: 'eager',
      decoding: 'sync',
      fetchpriority: 'high',
      alt: '',
      width: '1280',
      height: '720',
    });
    expect(String(cover?.srcset).match(/ \d+w/g)).toEqual([' 400w', ' 800w', ' 1200w', ' 1280w']);
  });

  it('ArticleCover crops a cover, loads it lazily, and shows a fallback without a cover', async () => {
    const html = await site.read('dist/covers/index.html');
    const images = elementsOf(parseHtml(html)).filter(({ tagName }) => tagName === 'img');
    const [local, remote, whole, drawing, plain] = images.map(propertiesOf);
    expect(local).toMatchObject({
      loading: 'lazy',
      class: 'pic',
      width: '300',
      height: '300',
      sizes: '10rem',
    });
    expect(String(local?.srcset).match(/ \d+w/g)).toEqual([' 100w', ' 300w']);
    expect(remote).toMatchObject({
      src: 'https://cdn.example/"a.jpg',
      width: '600',
      height: '300',
    });
    expect(whole).toEqual({
      src: 'https://cdn.example/"a.jpg',
      alt: 'A dune',
      style: 'float: left',
      loading: 'lazy',
      decoding: 'async',
    });
    expect(drawing).toMatchObject({ alt: '', width: '30', height: '20' });
    expect(drawing).not.toHaveProperty('srcset');
    expect(plain).toMatchObject({ sizes: '100vw', width: '1280', height: '720', loading: 'lazy' });
    expect(String(plain?.srcset).match(/ \d+w/g)).toEqual([' 400w', ' 800w', ' 1200w', ' 1280w']);
    expect(plain).not.toHaveProperty('fetchpriority');
    expect(html.split('No cover')).toHaveLength(3);
  });

  it('feedItems() returns whole articles with absolute URLs and the images of the site', async () => {
    const feed = await site.read('dist/rss.xml');
    expect(feed).not.toMatch(/__ASTRO_IMAGE_|[\b]/);
    const [, tides = ''] =
      /<content:encoded>(.*?)<\/content:encoded>/s.exec(feed.slice(feed.indexOf('<title>Tides'))) ??
      [];
    const content = elementsOf(parseHtml(unescapeXml(tides)));
    const images = content.filter(({ tagName }) => tagName === 'img');
    expect(images.map((image) => attributeOf(image, 'alt'))).toEqual(['', 'Ridges']);
    expect(images[0] && propertiesOf(images[0])).toMatchObject({ width: '1200', height: '675' });
    for (const image of images) expect(await isBuilt(attributeOf(image, 'src') ?? '')).toBe(true);
    const links = content.flatMap((element) => attributeOf(element, 'href') ?? []);
    expect(links).toEqual([`${origin}/articles/tides-1/#end`, `${origin}/other`]);
    expect(content.some(({ tagName }) => tagName === 'h2')).toBe(true);
  });

  it('feedItems() writes the dates, authors and categories that the feed passes', async () => {
    for (const item of (await site.read('dist/rss.xml')).split('<item>').slice(1)) {
      expect(item).toContain('<category>sea</category><category>&lt;moon&gt;</category>');
      const found = item.match(/<(pubDate|author)>.*?<\/\1>/g) ?? [];
      const isTides = item.includes('<title>Tides</title>');
      const written =
        '<pubDate>Mon, 02 Mar 2026 00:00:00 GMT</pubDate><author>Ada &amp; Grace</author>';
      expect(found.join('')).toBe(isTides ? written : '');
    }
  });

  it('feedItems() takes names for all articles or for each, and leaves out covers if the feed says so', async () => {
    const link = (id: number) => `${origin}/${id}/`;
    const plain = { description: '', content: '<p>Text</p>' };
    const cover = '<p><img src="https://cdn.example/a.jpg?a=1&amp;b=&quot;2&quot;" alt=""></p>';
    const [first, second] = [
      { ...plain, title: '1', link: link(1) },
      { ...plain, title: 'Dunes', link: link(2) },
    ];
    const all = { author: 'Ada, Grace', categories: ['sea'] };
    expect(JSON.parse(await site.read('dist/items.json'))).toEqual([
      [
        { ...first, content: `${cover}<p>Text</p>`, author: 'Ada', categories: ['sea', '1'] },
        { ...second, author: 'Ada', categories: ['sea', '2'] },
      ],
      [
        { ...first, ...all },
        { ...second, ...all },
      ],
    ]);
  });

  it('feedItems() uses the slug as the title, if XML cannot contain any character of the title', async () => {
    const items = (await site.read('dist/rss.xml')).split('<item>').slice(1);
    expect(items).toHaveLength(articles.length);
    for (const item of items) expect(item).toMatch(/<title>[^<\s]/);
    const slug = (await site.list('dist/articles')).find((file) => /(?:^|-)3\//.test(file));
    const [own] = items.filter((item) => item.includes(`/articles/${slug?.split('/')[0]}/`));
    expect(own).toContain(`<title>${slug?.split('/')[0]}</title>`);
  });

  // Astro 6 differs in nothing of this.
  it.runIf(astro === 7)(
    'feedItems() and ArticleHead fail without `site`, with a hint',
    async () => {
      const config = await site.read('astro.config.mjs');
      await site.write('astro.config.mjs', config.replace(`site: '${origin}'`, ''));
      await expect(site.build(service.env)).rejects.toThrow('needs `site` in astro.config');
    },
  );
});

const propertiesOf = ({ attrs }: Element): Record<string, string | undefined> =>
  Object.fromEntries(attrs.map(({ name, value }) => [name, value]));

function find(elements: readonly Element[], tagName: string, properties: Record<string, string>) {
  const isWanted = (element: Element) =>
    Object.entries(properties).every(([name, value]) => attributeOf(element, name) === value);
  const found = elements.find((element) => element.tagName === tagName && isWanted(element));
  return found && propertiesOf(found);
}

function textOfFirst(elements: readonly Element[], tagName: string): string {
  const element = elements.find((each) => each.tagName === tagName);
  return element ? textOf(element) : '';
}

function jsonLdOf(elements: readonly Element[]): Record<string, unknown> {
  return JSON.parse(textOfFirst(elements, 'script'));
}
