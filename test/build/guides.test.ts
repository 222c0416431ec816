import { beforeAll, describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { deadLinks } from '../helpers/crawl.ts';
import {
  createBlog,
  createGuide,
  createStarlight,
  guideFiles,
} from '../helpers/documented-site.ts';
import { filesOf, tableBelow } from '../helpers/readme.ts';
import type { Site } from '../helpers/site.ts';
import { temporaryServer } from '../helpers/temporary.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

// Guides that have a site of their own, as a reader would paste them.

const { keep } = useSites();
const text = { content: 'Text.', cover_image: null };

async function build(site: Site, env: Record<string, string>) {
  await site.build(env);
  await site.check(env);
}

const published = { site: 'https://www.example.com', base: '/repo' };

/** Sets `base` in astro.config, as for a project site of GitHub Pages. */
function withBase(files: Record<string, string>): Record<string, string> {
  const { 'astro.config.mjs': config = '' } = files;
  const start = 'defineConfig({\n';
  expect(config).toContain(start);
  return { ...files, 'astro.config.mjs': config.replace(start, `${start}  base: '/repo',\n`) };
}

const valuesIn = (html: string, pattern: RegExp) =>
  Array.from(html.matchAll(pattern), ([, ...values]) => values.join(' '));

const languages = 'docs/guides/languages.md';

/** Returns a text with the link to another language that the table of the guide has for a page. */
function linkFrom(page: string): string {
  const row = tableBelow(languages, 'Link from one language to another').find(
    ([from]) => from === `\`${page}\``,
  );
  const link = row?.[2]?.replaceAll('`', '');
  expect(link).toMatch(/^\.\.\//);
  return `[The other language](${link}).`;
}

describe('the site of the guide about languages', async () => {
  const german = { ...text, language: 'de' };
  const service = await useService({
    articles: [
      {
        ...german,
        ...{ id: 'gezeiten', title: 'Gezeiten', translation_of: 'tides', tags: ['See'] },
        content: linkFrom('/de/articles/gezeiten/'),
      },
      { ...german, id: 'nur-deutsch', title: 'Nur deutsch', tags: ['See', 'Sea'] },
      {
        ...text,
        ...{ id: 'tides', title: 'Tides', language: 'en', tags: ['Sea'] },
        content: linkFrom('/articles/tides/'),
      },
      { ...text, id: 'plain', title: 'No language' },
    ],
  });
  let site: Site;

  beforeAll(async () => {
    const tags = 'src/tags.ts';
    const files = guideFiles([languages]);
    files[tags] = filesOf('docs/guides/lists.md')[tags] ?? '';
    site = await keep(createGuide(withBase(files)));
    await build(site, service.env);
  });

  it.each([
    ['en', 'index.html', ['/repo/de/', '/repo/articles/tides/', '/repo/articles/plain/']],
    [
      'de',
      'de/index.html',
      ['/repo/', '/repo/de/articles/gezeiten/', '/repo/de/articles/nur-deutsch/'],
    ],
  ])(
    'lists the articles in %s below a link to the other language, in a page with that language',
    async (language, path, links) => {
      const html = await site.read(`dist/${path}`);
      expect(html).toContain(`<html lang="${language}"`);
      expect(valuesIn(html, /<a href="([^"]*)"/g)).toEqual(links);
    },
  );

  it('has tags and a feed in each language, with links to the pages in it', async () => {
    const linksIn = async (path: string) =>
      valuesIn(await site.read(`dist/${path}`), /<a href="([^"]*)"/g);
    expect(await linksIn('tags/sea/index.html')).toEqual(['/repo/articles/tides/']);
    const paths = ['/repo/de/articles/gezeiten/', '/repo/de/articles/nur-deutsch/'];
    expect(await linksIn('de/tags/see/index.html')).toEqual(paths);
    expect(await linksIn('de/tags/sea/index.html')).toEqual(paths.slice(1));
    expect(await site.list('dist/tags')).toEqual(['sea/index.html']);
    const feed = await site.read('dist/de/rss.xml');
    const urls = paths.map((path) => published.site + path);
    expect(valuesIn(feed, /<item>.*?<link>([^<]*)/g)).toEqual(urls);
    expect(await site.read('dist/rss.xml')).toContain(`${published.site}/repo/articles/tides/`);
  });

  it('names the translations of an article, and only the page itself where there is none', async () => {
    const both = [
      'de https://www.example.com/repo/de/articles/gezeiten/',
      'en https://www.example.com/repo/articles/tides/',
    ];
    const alternates = /<link rel="alternate" hreflang="([^"]*)" href="([^"]*)"/g;
    const links = /<a href="([^"]*)" hreflang="([^"]*)"/g;
    const tides = await site.read('dist/articles/tides/index.html');
    const gezeiten = await site.read('dist/de/articles/gezeiten/index.html');
    expect(valuesIn(tides, alternates)).toEqual(both);
    expect(valuesIn(gezeiten, alternates)).toEqual(both);
    expect(valuesIn(tides, links)).toEqual(['/repo/de/articles/gezeiten/ de']);
    expect(gezeiten).toContain('"inLanguage":"de"');
    const alone = await site.read('dist/de/articles/nur-deutsch/index.html');
    expect(valuesIn(alone, alternates)).toEqual([
      'de https://www.example.com/repo/de/articles/nur-deutsch/',
    ]);
    expect(valuesIn(alone, links)).toEqual([]);
    const dead = await deadLinks(site, published);
    // Pagefind writes its files later.
    expect(dead.filter((link) => !link.includes('/repo/pagefind/'))).toEqual([]);
  });
});

it('authors are a collection, whose pages and articles link to each other', async () => {
  const authors = [
    { id: 7, name: 'Ada Lovelace', bio: 'Writes about *engines*.', photo: '/media/tides.jpg' },
    { id: 8, name: 'Grace Hopper', bio: '', photo: null },
  ];
  const service = await useService({
    articles: [
      { ...text, id: 'tides', title: 'Tides', author: 7 },
      { ...text, id: 'orphan', title: 'Orphan', author: 9 },
      { ...text, id: 'plain', title: 'No author' },
    ],
  });
  const { url } = await temporaryServer(async ({ url: path = '', headers }, response) => {
    const [, rest] = path.split('/authors/');
    if (rest === undefined) {
      const key = String(headers['x-project-api-key']);
      const given = await fetch(service.url + path, { headers: { 'X-PROJECT-API-KEY': key } });
      response.writeHead(given.status, Object.fromEntries(given.headers));
      return response.end(Buffer.from(await given.arrayBuffer()));
    }
    expect(headers['x-project-api-key']).toBe(service.apiKey);
    response.writeHead(200, { 'content-type': 'application/json' });
    const part = new URL(path, url).searchParams;
    const offset = Number(part.get('offset'));
    const page = authors.slice(offset, offset + Number(part.get('limit')));
    const author = authors.find(({ id }) => rest === `${id}/`);
    return response.end(JSON.stringify(author ?? { results: page, count: authors.length }));
  });
  const home = 'src/pages/index.astro';
  const files = {
    ...guideFiles(['docs/guides/relations.md']),
    [home]: filesOf('README.md')[home] ?? '',
  };
  const site = await keep(createGuide(withBase(files)));
  await build(site, { ...service.env, ARTICLES_BASE_URL: url });
  const ada = await site.read('dist/authors/ada-lovelace-7/index.html');
  expect(ada).toContain('<em>engines</em>');
  expect(ada).toMatch(/<img [^>]*srcset="/);
  expect(valuesIn(ada, /<li><a href="([^"]*)"/g)).toEqual(['/repo/articles/tides/']);
  const grace = await site.read('dist/authors/grace-hopper-8/index.html');
  expect(grace.match(/Grace Hopper<\/h1>/g)).toHaveLength(1);
  const byline = /By <a href="([^"]*)">([^<]*)/g;
  const article = (id: string) => site.read(`dist/articles/${id}/index.html`);
  expect(valuesIn(await article('tides'), byline)).toEqual([
    '/repo/authors/ada-lovelace-7/ Ada Lovelace',
  ]);
  for (const id of ['orphan', 'plain']) expect(valuesIn(await article(id), byline)).toEqual([]);
  expect(await deadLinks(site, published)).toEqual([]);
});

describe('the guides about local files and Starlight', async () => {
  const guide = 'docs/guides/local-files.md';
  const articles = makeArticles(2, { cover: 'tides.jpg' }).map((article, index) => ({
    ...article,
    id: ['first', 'second'][index] ?? '',
    title: `Article ${index}`,
    content: `Text of article ${index}.\n\n## A heading`,
    date: ['2026-03-01', '2026-03-03'][index],
  }));
  const service = await useService({ articles });
  const linksIn = (html: string) => valuesIn(html, /href="\/(?:blog\/)?([^"]*)\/"/g);
  const layout = 'src/layouts/Page.astro';
  const blog = { ...filesOf(guide), [layout]: filesOf('README.md')[layout] ?? '' };

  it('a blog lists and shows articles, Markdown files and MDX files', async () => {
    const site = await keep(
      createGuide({
        ...blog,
        'astro.config.mjs': `
          import { defineConfig } from 'astro/config';
          import mdx from '@astrojs/mdx';
          import articles from 'astro-articles';
          export default defineConfig({ integrations: [articles(), mdx()] });`,
        'src/blog/2026/later.mdx':
          '---\ntitle: Later\ndate: 2026-03-04\n---\n\nIn {2 * 21} days.\n',
      }),
    );
    await build(site, service.env);
    const list = await site.read('dist/blog/index.html');
    expect(linksIn(list)).toEqual(['2026/later', 'second', 'about-us', 'first']);
    expect(await site.read('dist/blog/about-us/index.html')).toContain('We write about the sea.');
    expect(await site.read('dist/blog/2026/later/index.html')).toContain('In 42 days.');
    const article = await site.read('dist/blog/first/index.html');
    expect(article).toContain('Text of article 0.');
    expect(article).toMatch(/<img [^>]*srcset="/);
  });

  it('a blog of files lists articles, too, each with its date and cover, also in the feed', async () => {
    service.change('first', { published_at: '2026-03-01' });
    service.change('second', { published_at: '2026-03-03' });
    const post = (title: string, date: string, more = '') =>
      `---\ntitle: ${title}\ndescription: About it\npubDate: ${date}\n${more}---\n\nText of ${title}.\n`;
    const posts = 'src/content/blog';
    const site = await keep(
      createBlog({
        [`${posts}/2026/old.md`]: post('An old file', 'Mar 02 2026', 'heroImage: ../dot.svg\n'),
        [`${posts}/new.md`]: post('A new file', 'Mar 04 2026'),
        [`${posts}/box.mdx`]: post('A box', 'Mar 05 2026'),
        [`${posts}/dot.svg`]:
          '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><path d="M0 0h20v10z"/></svg>',
      }),
    );
    await build(site, service.env);
    const ids = ['box', 'new', 'second', '2026/old', 'first'];
    const list = await site.read('dist/blog/index.html');
    expect(linksIn(list)).toEqual(ids);
    expect(valuesIn(list, /datetime="(\d+-\d+-\d+)/g)).toEqual(
      [5, 4, 3, 2, 1].map((day) => `2026-03-0${day}`),
    );
    expect(list.match(/<img /g)).toHaveLength(3);
    const page = await site.read('dist/blog/first/index.html');
    expect(page).toContain('Text of article 0.');
    expect(page).toMatch(/<meta name="description" content="[^"]/);
    const items = (await site.read('dist/rss.xml')).split('<item>').slice(1);
    expect(items.map((item) => /<link>.*\/blog\/(.*)\/<\/link>/.exec(item)?.[1])).toEqual(
      ids.slice(1),
    );
    expect(items.map((item) => item.includes('&lt;img '))).toEqual([false, true, true, true]);
    expect(items[3]).toMatch(/<pubDate>Sun, 01 Mar 2026 .*Text of article 0\./);
  });

  it('Starlight shows articles and its own pages in the sidebar', async () => {
    const ownPage = '---\ntitle: Own page\n---\n\nOwn text.\n';
    const site = await keep(createStarlight({ 'src/content/docs/own/page.md': ownPage }));
    const config = await site.read('astro.config.mjs');
    const edit = "editLink: { baseUrl: 'https://git.example/edit/' }, lastUpdated: true";
    await site.write('astro.config.mjs', config.replace("'My docs'", `'My docs', ${edit}`));
    await build(site, service.env);
    for (const path of ['index.html', 'first/index.html', 'own/page/index.html']) {
      const html = await site.read(`dist/${path}`);
      const [sidebar = ''] = /<nav class="sidebar[\s\S]*?<\/nav>/.exec(html) ?? [];
      expect(linksIn(sidebar)).toEqual(expect.arrayContaining(['first', 'second', 'own/page']));
      expect(sidebar).toContain('News');
    }
    const article = await site.read('dist/first/index.html');
    expect(article).toContain('Text of article 0.');
    expect(article).toContain('id="a-heading"');
    // What Starlight derives from the path of a file is right or absent.
    expect(await site.read('dist/own/page/index.html')).toContain('https://git.example/edit/src/');
    expect(article).not.toMatch(/git\.example|Last updated/);
  });

  it('astro dev shows each change of a file and of an article, in any order', async () => {
    const fileWith = (words: string) => `---\ntitle: A file\ndate: 2026-03-05\n---\n\n${words}\n`;
    const site = await keep(
      createGuide({
        ...blog,
        'astro.config.mjs': filesOf('README.md')['astro.config.mjs'] ?? '',
        'src/blog/changing.md': fileWith('First words.'),
      }),
    );
    const server = await site.dev(service.env);
    const page = async (id: string) => (await fetch(`${server.url}/blog/${id}/`)).text();
    expect(await page('changing')).toContain('First words.');
    for (const words of ['Second words.', 'Third words.']) {
      service.change('first', { content: words });
      const response = await fetch(`${server.url}/_articles/refresh`, { method: 'POST' });
      expect(response.status).toBe(200);
      expect(await page('first')).toContain(words);
      expect(await page('changing')).toContain(' words.');
      await site.write('src/blog/changing.md', fileWith(words));
      await expect.poll(() => page('changing'), { timeout: 20_000 }).toContain(words);
      expect(await page('first')).toContain(words);
    }
    // Two watchers would load each change twice. One may load a file that it has seen half written.
    expect(server.output().match(/Reloaded data from/g)?.length).toBeLessThan(4);
  });
});
