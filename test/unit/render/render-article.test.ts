import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createSiteRenderer, renderArticle } from '../../../src/render/render-article.ts';
import * as helper from '../../helpers/finish.ts';
import { soup } from '../../helpers/soup.ts';

const base = new URL('https://app.example.com/sub/');
const finish = (html: string, title = 'How tides work', more = {}) =>
  helper.finish(html, { title, base, sanitize: false, ...more });

it.each(['\r\n', '\r'])('lines that end with %j are rendered as other lines', async (end) => {
  const render = vi.fn(async (markdown: string) => ({ html: markdown }));
  const content = ['a', '', '```js', 'b', '```'].join(end);
  const article = { id: '1', title: 'T', content };
  await renderArticle(article, { render, base, sanitize: true });
  expect(render).toHaveBeenCalledWith('a\n\n```js\nb\n```', expect.anything());
});

describe('a first heading that repeats the title', () => {
  it.each([
    ['How tides work', '\n<h1 class="b" id="a">How tides work</h1><p>x</p>'],
    ['`code` & <angle>', '<h1 id="a"><code>code</code> &#x26; &lt;angle></h1><p>x</p>'],
  ])('%j is left out', async (title, html) => {
    const other = '<h2 id="b">Others</h2>';
    const { metadata, ...finished } = await finish(html + other, title, {
      slugs: ['a', 'b'],
      sanitize: true,
    });
    expect(finished.html.trim()).toBe(`<p>x</p>${other}`);
    expect(metadata?.headings.map(({ slug }) => slug)).toEqual(['b']);
  });

  it.each(['<a class="anchor" href="#a"><svg></svg></a>', '<a href="#a">#</a>'])(
    'is left out with its own link: %s',
    async (link) => {
      const html = `<h1 id="a">${link}How tides work</h1><p>x</p>`;
      expect((await finish(html)).html).toBe('<p>x</p>');
    },
  );
});

describe.each([true, 'strict'] as const)(
  'with `sanitize: %j`, the list of headings',
  (sanitize) => {
    it('names a heading exactly if the text has it', async () => {
      const around = fc.array(soup, { minLength: 2, maxLength: 2 });
      let shown = 0;
      await fc.assert(
        fc.asyncProperty(around, async ([before, after]) => {
          const given = `${before}<h2 id="part">Part</h2>${after}`;
          const { html, metadata } = await finish(given, 'T', { sanitize, slugs: ['part'] });
          const isThere = /<h2[^<>]* id="part"/.test(html);
          expect(metadata.headings.map(({ slug }) => slug)).toEqual(isThere ? ['part'] : []);
          if (isThere) shown += 1;
        }),
        { numRuns: 300 },
      );
      expect(shown).toBeGreaterThan(0);
      expect(shown).toBeLessThan(300);
    });

    it('keeps the id that a plugin has moved to the element around a heading', async () => {
      const given = '<div id="part"><h2>Part</h2></div><div id="other">x</div>';
      const { html, metadata } = await finish(given, 'T', { sanitize, slugs: ['part'] });
      expect(html).toContain(' id="part"');
      expect(html).not.toContain('other');
      expect(metadata.headings).toHaveLength(1);
    });
  },
);

describe('the images that are extracted', () => {
  const address = (name: string) => `https://a.example/${name}.png`;
  const attributes = { alt: 'An image', title: 'T', class: 'wide', width: 200 };
  const image = (name: string) =>
    `<img src="${address(name)}" alt="An image" title="T" class="wide" width="200">`;
  it.each([
    [
      'of a heading that repeats the title, too',
      `<h1>${image('1')}T</h1><p>${image('2')}</p>`,
      ['1', '2'],
      '<h1>T</h1><p></p>',
    ],
    [
      'in their order around another heading',
      `<header>${image('1')}<h1>T</h1></header><p>${image('2')}</p>`,
      ['1', '2'],
      '<header><h1>T</h1></header><p></p>',
    ],
    [
      'of no picture and no video',
      `<picture>${image('1')}</picture><video src="https://a.example/a.mp4"></video>`,
      [],
      `<picture>${image('1')}</picture><video src="https://a.example/a.mp4"></video>`,
    ],
  ])('are those %s', async (_, given, names, rest) => {
    const { images, html } = await finish(given, 'T', { extractImages: true });
    expect(images).toMatchObject(names.map((name) => ({ url: address(name), attributes })));
    expect(html).toBe(rest);
  });
});

it.each([
  [['Footnotes'], '1'],
  [[' Tides '], 'Tides'],
  [['', ' ', 'Tides', 'Moon'], 'Tides'],
  [[' '], '1'],
])('an article without a title, with the headings %j, has the title %j', async (texts, title) => {
  const headings = texts.map((text, index) => ({
    ...{ depth: 2, text },
    slug: text === 'Footnotes' ? 'footnote-label' : `heading-${index}`,
  }));
  const rendered = await renderArticle(
    { id: '1', title: ' ', content: 'x' },
    { base, sanitize: true, render: async () => ({ html: 'x', metadata: { headings } }) },
  );
  expect(rendered.title).toBe(title);
});

describe('addresses', () => {
  it.each([
    ['<a href="/about">x</a>', '<a href="/about">x</a>'],
    ['<img src="../x.png">', '<img src="https://app.example.com/x.png">'],
    [
      '<img srcset="a.png 1x, /b.png 2x" src="c.png">',
      '<img srcset="https://app.example.com/sub/a.png 1x, https://app.example.com/b.png 2x" src="https://app.example.com/sub/c.png">',
    ],
  ])('%s becomes %s', async (html, finished) => expect((await finish(html)).html).toBe(finished));

  it('of links become absolute with `links: "service"`, too', async () => {
    const links = '<a href="/about">x</a><a href="#note">y</a>';
    expect((await finish(links, 'T', { links: 'service' })).html).toBe(
      '<a href="https://app.example.com/about">x</a><a href="#note">y</a>',
    );
  });

  it('in image marks of Astro become absolute, and the marks are removed', async () => {
    const mark = JSON.stringify({ src: './x.png', alt: 'a "b"', index: 0 }).replaceAll(
      '"',
      '&quot;',
    );
    expect((await finish(`<img __ASTRO_IMAGE_="${mark}">`)).html).toBe(
      '<img src="https://app.example.com/sub/x.png" alt="a &quot;b&quot;">',
    );
  });
});

it.each([
  [{}, 'how-tides-work-1'],
  [{ slug: 'tides' }, 'tides'],
])(
  'renders Markdown without a mark of its bytes, with the fields %j as the file %s',
  async (...row) => {
    const [extra, name] = row;
    const render = vi.fn(async () => ({ html: 'x' }));
    const article = { id: '1', title: 'How tides work', content: '\uFEFF# A', extra };
    await renderArticle(article, { base, sanitize: true, render });
    expect(render).toHaveBeenCalledExactlyOnceWith('# A', name);
  },
);

it('renders no Markdown for articles of HTML', async () => {
  const render = vi.fn();
  const article = { id: '1', title: 'T', content: '<p>A</p>' };
  const settings = { base, sanitize: true, format: 'html' } as const;
  expect((await createSiteRenderer(render)(article, settings)).html).toEqual(['<p>A</p>']);
  expect(render).not.toHaveBeenCalled();
});

it.each([false, true])('keeps drawings and formulas with `sanitize: %s`', async (sanitize) => {
  const html =
    '<svg viewBox="0 0 1 1"><path d="M0 0"></path></svg><math display="block"><mi>x</mi></math>';
  expect((await finish(html, 'T', { sanitize })).html).toBe(html);
});

it('uses the first paragraph with words as the description', async () => {
  const { description, words } = await finish(
    '<h2>Head</h2><p><img src="x"></p><p>The <em>moon</em> pulls<sup><a href="#1">1</a></sup>.</p>' +
      '<pre><code>not a word</code></pre><p>More<i aria-hidden="true"> or not</i>.</p>',
  );
  expect(description).toBe('The moon pulls.');
  expect(words).toBe(5);
});
