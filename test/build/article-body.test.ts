import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { readArticles } from '../../fixtures/articles.ts';
import { prefixIds } from '../../src/html/ids.ts';
import {
  attributeOf,
  type Element,
  elementsOf,
  maxRenderedParts,
  parseHtml,
  toHtml,
} from '../../src/html/parse-html.ts';
import { payloads } from '../browser/payloads.ts';
import { astroVersions } from '../helpers/runs.ts';
import { sameElements } from '../helpers/same-elements.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const legitimate = await readFile(new URL('../browser/legitimate.md', import.meta.url), 'utf8');
const plain = { title: 'x', cover_image: null };
const own = {
  ...plain,
  id: 'own',
  content:
    'See [**this**](https://a.example/?x=1&copy=2 "\\"Title\\"").\n\n![Ridges](/media/ridges.jpg)\n\n' +
    'https://www.video.example/watch?v=1&t=2\n\n' +
    '[Again](https://video.example/2) in a text.\n\n```js\n\n<b>&amp;</b> {x}\n```\n\n- [x] Done\n\n## Map\n\n[Look](#chart)[^1]\n\n' +
    '<img id="chart" src="/media/ridges.jpg" alt="" width="50%" style="float: left" lang="de" loading="eager">\n\n' +
    '[^1]: A note.',
};
const articles = [
  own,
  { ...plain, id: 'legitimate', content: legitimate },
  ...readArticles().map((article) => ({ ...article, cover_image: null })),
  ...payloads.map((payload) => ({ ...plain, title: payload.id, ...payload, cover_image: null })),
];

const page = `---
import { getCollection, render } from 'astro:content';
import { withBody } from 'astro-articles';
import { ArticleBody } from 'astro-articles/components';
import Link from '../components/Link.astro';
import Picture from '../components/Picture.astro';
import Video from '../components/Video.astro';
import { same } from '../same/index.ts';
export async function getStaticPaths() {
  const articles = await getCollection('articles');
  return articles.map((article) => ({ params: { slug: article.id }, props: { article } }));
}
const { article } = Astro.props;
const { Content } = await render(await withBody(article));
---
<div id="content"><Content /></div>
<ArticleBody article={article} as="section" class="prose" id="plain" lang="en" />
<ArticleBody article={article} id="same" components={same} title={article.data.slug} />
<ArticleBody article={article} id="own" components={{ a: Link, img: Picture }} embeds={{ 'video.example': Video }} />`;

const components = {
  'src/components/Link.astro': `---
    const { href, title } = Astro.props;
    ---
    <x-link data-href={href} title={title}><slot /></x-link>`,
  'src/components/Picture.astro': `<figure><img {...Astro.props} data-slot={Astro.slots.has('default')} /></figure>`,
  'src/components/Video.astro': `<lite-video src={Astro.props.href}><slot /></lite-video>`,
};

const service = await useService({ articles });
const sites = useSites();

describe.each(astroVersions)('<ArticleBody> on Astro %i', (astro) => {
  let site: Site;
  /** The elements of each article's page, by their ids. */
  let pages: Map<string, Map<string, Element>>;

  beforeAll(async () => {
    site = await sites.create({
      astro,
      options:
        "{ bodies: 'mirror', images: { body: 'local' }, rows: 'whole', failOn: ['service'] }",
      files: {
        ...sameElements,
        ...components,
        'src/pages/[...slug].astro': page,
      },
    });
    await site.build(service.env);
    const files = (await site.list('dist')).filter((file) => file.endsWith('/index.html'));
    pages = new Map();
    for (const file of files) {
      pages.set(file.replace('/index.html', ''), partsOf(await site.read(`dist/${file}`)));
    }
  });

  function part(id: string, name: string): Element {
    const element = pages.get(id)?.get(name);
    if (!element) throw new Error(`The page of ${id} has no element ${name}.`);
    return element;
  }

  it('draws every article as `<Content />` does, in an element of its own', () => {
    expect(pages.size).toBeGreaterThan(600);
    for (const id of pages.keys()) {
      expect(toHtml(part(id, 'plain')), id).toBe(toHtml(part(id, 'content')));
    }
    const { tagName, attrs } = part('own', 'plain');
    const { class: classes, ...others } = Object.fromEntries(
      attrs.map(({ name, value }) => [name, value]),
    );
    expect(tagName).toBe('section');
    expect(classes).toMatch(/^article-body prose\b/);
    expect(others).toMatchObject({ id: 'plain', lang: 'en' });
  });

  it('draws every article the same with a component for each element that draws it again, and the slug before each id of a second body', () => {
    const different = [...pages.keys()].filter((id) => {
      const same = part(id, 'same');
      const expected = parseHtml(toHtml(part(id, 'content')), maxRenderedParts);
      prefixIds(expected, `${attributeOf(same, 'title')}-`);
      return toHtml(same) !== toHtml(expected);
    });
    expect(different).toEqual([]);
    const bodies = ['plain', 'same', 'own'].map((name) => toHtml(part('own', name)));
    const [first, second, third] = bodies.map((html) =>
      Array.from(html.matchAll(/ id="([^"]*)"/g), ([, id = '']) => id),
    );
    expect(first?.toSorted()).toEqual([
      'footnote-label',
      'map',
      'user-content-chart',
      'user-content-fn-1',
      'user-content-fnref-1',
    ]);
    expect(second).toEqual(first?.map((id) => `own-${id}`));
    // The site's own component for links draws no ids.
    expect(third).toEqual(first?.filter((id) => !id.includes('fnref')).map((id) => `own-2-${id}`));
    expect(bodies[1]).toContain('href="#own-user-content-chart"');
    expect(bodies[1]).toContain('aria-describedby="own-footnote-label"');
  });

  it('renders elements and embeds with components of the site, and everything else unchanged', () => {
    const html = toHtml(part('own', 'own'));
    expect(html).toContain(
      'See <x-link data-href="https://a.example/?x=1&amp;copy=2" title="&quot;Title&quot;"><strong>this</strong></x-link>.',
    );
    expect(html).toContain(
      '<lite-video src="https://www.video.example/watch?v=1&amp;t=2">https://www.video.example/watch?v=1&amp;t=2</lite-video>',
    );
    expect(html).toContain(
      '<p><x-link data-href="https://video.example/2">Again</x-link> in a text.</p>',
    );
    expect(html).toContain('{x}');
  });

  it('passes the optimised images of Astro to components', async () => {
    const [, attributes = ''] =
      /<figure><img ([^>]*)><\/figure>/.exec(toHtml(part('own', 'own'))) ?? [];
    expect(attributes).toMatch(/width="\d+"/);
    expect(attributes).toContain('alt="Ridges"');
    expect(attributes).not.toContain('data-slot="true"');
    const [, src] = /src="\/([^"]+)"/.exec(attributes) ?? [];
    expect(await site.list('dist')).toContain(src);
  });
});

describe('<ArticleBody>', () => {
  it('renders live entries on demand, and articles in MDX pages', async () => {
    const site = await sites.create({
      files: {
        ...components,
        'astro.config.mjs': `
          import { defineConfig } from 'astro/config';
          import mdx from '@astrojs/mdx';
          import node from '@astrojs/node';
          import articles from 'astro-articles';
          export default defineConfig({
            adapter: node({ mode: 'standalone' }),
            integrations: [articles(), mdx()],
          });`,
        'src/live.config.ts': `
          import { defineLiveCollection } from 'astro:content';
          import { getSecret } from 'astro:env/server';
          import { liveArticlesLoader } from 'astro-articles/live';
          export const collections = { live: defineLiveCollection({ loader: liveArticlesLoader({
            baseUrl: getSecret('ARTICLES_BASE_URL'), apiKey: getSecret('ARTICLES_API_KEY') }) }) };`,
        'src/pages/live/[id].astro': `---
          import { getLiveEntry } from 'astro:content';
          import { ArticleBody } from 'astro-articles/components';
          import Link from '../../components/Link.astro';
          import Video from '../../components/Video.astro';
          export const prerender = false;
          const { entry } = await getLiveEntry('live', { id: Astro.params.id });
          ---
          <ArticleBody article={entry} id="own" components={{ a: Link }} embeds={{ 'video.example': Video }} />`,
        'src/pages/mdx.mdx': [
          "import { getEntry } from 'astro:content';",
          "import { ArticleBody } from 'astro-articles/components';",
          "import Link from '../components/Link.astro';",
          "import Video from '../components/Video.astro';",
          "export const article = await getEntry('articles', 'own');",
          '',
          '# In MDX',
          '',
          `<ArticleBody article={article} id="own" components={{ a: Link }} embeds={{ 'video.example': Video }} />`,
        ].join('\n'),
      },
    });
    service.replace([own]);
    await site.build(service.env);
    const { url } = await site.serve(service.env);
    for (const path of ['/live/own', '/mdx/']) {
      const html = await (await fetch(url + path)).text();
      const body = partsOf(html).get('own');
      expect(body && toHtml(body), path).toContain(
        '<lite-video src="https://www.video.example/watch',
      );
      expect(html).toMatch(/<x-link[^>]*><strong>this<\/strong><\/x-link>/);
    }
  });
});

/** Returns the first element of a page with each id, as a browser reads them. */
function partsOf(html: string): Map<string, Element> {
  const elements = elementsOf(parseHtml(html)).toReversed();
  return new Map(elements.map((element) => [attributeOf(element, 'id') ?? '', element]));
}
