import { readFileSync } from 'node:fs';
import { unified } from '@astrojs/markdown-remark';
import { satteri } from '@astrojs/markdown-satteri';
import { describe, expect, it } from 'vitest';
import { renderWith } from '../../../src/render/markdown-settings.ts';
import { createSiteRenderer, renderArticle } from '../../../src/render/render-article.ts';
import type { SanitizeOption } from '../../../src/shared/sanitize-option.ts';
import { finish } from '../../helpers/finish.ts';

// `sanitize: 'strict'`, for services whose authors are not known to the owner of the site.

const processorParts = new Set(['pre class=astro-code github-light', 'input']);
const clean = async (html: string, sanitize: SanitizeOption = 'strict') =>
  (await finish(html, { sanitize, processorParts })).html;

describe('HTML that Markdown and Astro generate', () => {
  it.each([
    '<h2 id="a-b">A</h2>',
    '<a id="part"></a><a href="#part">x</a>',
    '<span class="line"><span style="user-select: none">-</span></span>',
    '<pre class="astro-code github-light" style="background-color:#fff;--shiki-dark-bg:#24292e;overflow-x:auto" tabindex="0" data-language="js"><code><span class="line"><span style="color:#D73A49;--shiki-dark:#F97583">const</span></span></code></pre>',
    '<ul class="contains-task-list"><li class="task-list-item"><input type="checkbox" checked="" disabled=""> x</li></ul>',
    '<p>x<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="" aria-describedby="footnote-label">1</a></sup></p>',
    '<section data-footnotes="" class="footnotes"><h2 class="sr-only" id="footnote-label">Footnotes</h2><ol><li id="user-content-fn-1"><p>y <a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back" class="data-footnote-backref">↩</a></p></li></ol></section>',
    '<a href="mailto:a@b.example">m</a><a href="tel:+1">t</a>',
    '<a href="https://a.example" rel="nofollow noopener">x</a>',
    // Schemes are case-insensitive (RFC 3986, 3.1).
    '<a href="HTTPS://a.example/">x</a><a href="MailTo:a@b.example">x</a><a href="TEL:+1">x</a>',
    '<img src="HTTPS://a.example/x.png"><img src="DATA:image/png;base64,iVBORw0KGgo=">',
  ])('stays: %s', async (html) => {
    expect(await clean(html)).toBe(html);
    expect(await clean(html, true)).toBe(html);
  });
});

it('all that Markdown and its pipeline make stays, also with colours of code', async () => {
  const article = {
    ...{ id: '1', title: 'T' },
    content: readFileSync(new URL('../../browser/legitimate.md', import.meta.url), 'utf8'),
  };
  const processor = renderWith({ processor: satteri() });
  // Shiki leaves the rest of a line plain after half a second, so each text is rendered once.
  const cache = new Map<string, ReturnType<typeof processor>>();
  const renderer = createSiteRenderer((text, name) => {
    const rendered = cache.get(text) ?? processor(text, name);
    cache.set(text, rendered);
    return rendered;
  });
  const render = async (sanitize: SanitizeOption) =>
    (await renderer(article, { base: new URL('https://a.example/'), sanitize })).html.join('');
  const html = await render(false);
  const signs =
    'style="color:# id="a-heading" id="überschrift-二" id="user-content-fn-1" data-footnote-backref type="checkbox" ' +
    'text-align <figcaption <track <ruby start="9"';
  for (const sign of signs.split(' ')) expect(html).toContain(sign);
  for (const sanitize of [true, 'strict'] as const) expect(await render(sanitize)).toBe(html);
});

describe('of HTML that could cover the page, or is more than a text', () => {
  it.each([
    ['<input name="a"><input type="text">x', 'x'],
    ['<svg><a href="#x">x</a></svg><math><mi>x</mi></math>y', 'y'],
    ['<div style="position:fixed;inset:0;color:red">x</div>', '<div style="color:red">x</div>'],
    [
      '<pre class="astro-code fixed"><span class="line token inset-0">x</span></pre>',
      '<pre class="astro-code"><span class="line">x</span></pre>',
    ],
    ['<div class="token footnotes">x</div>', '<div class="footnotes">x</div>'],
    ['<my-chart data-set="a">c</my-chart><center>d</center>', 'cd'],
  ])("'strict' keeps of %s only %j", async (html, kept) => expect(await clean(html)).toBe(kept));
});

describe('a style keeps the declarations that neither load nor position anything', () => {
  const gradients = (count: number) => `background:${'linear-gradient(red,red),'.repeat(count)}red`;
  it.each([
    ['color:red;font-size:300%;margin:-1em;position:relative;top:-3em', undefined],
    ['position: static !important', undefined],
    ['aspect-ratio:16 / 9;width:100%', undefined],
    ['width:calc((1em + 2px) * 2);background:linear-gradient(red, #000)', undefined],
    ['position:absolute;top:0;color:red;--p:fixed', 'top:0;color:red;--p:fixed'],
    ['columns:2;column-count:2;column-gap:1em', 'column-gap:1em'],
    ['text-shadow:1px 1px red;text-align:right', 'text-align:right'],
    ['stroke-dasharray:.01;stroke-dashoffset:1;stroke-width:2', 'stroke-width:2'],
    ['text-decoration:wavy underline 9px;text-decoration:underline', 'text-decoration:underline'],
    ['--p:grid;display:var(--p)', undefined],
    ['display:url(x);display:flex', 'display:flex'],
    [gradients(8), undefined],
    [`${gradients(100)};color:red`, ''],
    [`${gradients(11)};color:red`, 'color:red'],
    ['color:red;'.repeat(300), ''],
  ])('%s', async (style, kept = style) => {
    const expected = kept ? `<p style="${kept}">x</p>` : '<p>x</p>';
    expect(await clean(`<p style="${style}">x</p>`, true)).toBe(expected);
  });
});

// Some script libraries write them as HTML.
describe('an attribute whose value contains a tag', () => {
  it('is reported as such, and stays if the site lists it', async () => {
    const html = '<img alt="&lt;b&gt;" title="&lt;b&gt;" class="<b>" src="https://a.example/?<b>">';
    const rest = '<img class="<b>" src="https://a.example/?<b>">';
    const names = ['alt with a tag on img', 'title with a tag on img'];
    const parsed = async (sanitize: SanitizeOption) => {
      const { html: kept, dropped } = await finish(html, { sanitize });
      return [kept.replaceAll('&lt;', '<').replaceAll('&gt;', '>'), dropped];
    };
    expect(await parsed(true)).toEqual([rest, names]);
    expect(await parsed('strict')).toEqual([
      rest.replace(' class="<b>"', ''),
      [...names, 'class on img'],
    ]);
    const attributes = { '*': ['title'], img: ['alt'] };
    expect(await parsed({ attributes })).toEqual([
      html.replaceAll('&lt;', '<').replaceAll('&gt;', '>'),
      [],
    ]);
  });

  it.each([
    ['<abbr title="&lt;img src=x onerror=alert(1)&gt;">x</abbr>', '<abbr>x</abbr>'],
    ['<img src="https://a.example/x.png" alt="&lt;B&gt;">', '<img src="https://a.example/x.png">'],
    ['<p aria-label="&lt;/p&gt;">x</p>', '<p>x</p>'],
    ['<p title="&lt;!--">x</p>', '<p>x</p>'],
    ['<abbr title="a &lt; b">x</abbr>', '<abbr title="a &lt; b">x</abbr>'],
  ])('is removed: %s', async (html, cleaned) => {
    expect(await clean(html)).toBe(cleaned);
    expect(await clean(html, true)).toBe(cleaned);
  });
});

describe('an attribute of a formula, a drawing or a text', () => {
  const formula = (level: string) =>
    `<math><mstyle scriptlevel="${level}"><mi>x</mi></mstyle></math>`;
  const drawing = (fill: string) =>
    `<svg viewBox="0 0 1 1"><path fill="${fill}" d="M0 0"></path></svg>`;
  const text = (index: string) => `<p tabindex="${index}">x</p>`;

  it.each([
    ...['0', '2', '9'].map(formula),
    ...['red', 'url(#g)', "url( '#g' ) red", 'rgb(1, 2, 3)'].map(drawing),
    ...['0', '-1'].map(text),
  ])('stays: %s', async (html) => expect(await clean(html, true)).toBe(html));

  it.each([
    ...['-1', '+1', '-9', '12', '', 'a'].map(formula),
    ...['url(https://a.example/x)', 'URL (#g', 'url(#g)url(x)', '\\75rl(#g)', 'url(#g\\)'].map(
      drawing,
    ),
    ...['image-set(x)', 'paint(x)', 'element(#a)', 'cross-fade(x)', 'src(x)'].map(drawing),
    ...['1', '99', '-2', '0 '].map(text),
  ])('is removed: %s', async (html) => {
    const rest = html.replace(/ (?:scriptlevel|fill|tabindex)="[^"]*"/, '');
    expect(await clean(html, true)).toBe(rest);
  });
});

describe('an allow-list of the site', () => {
  it('never allows script', async () => {
    const attributes = { form: ['action'], button: ['formaction'], object: ['data'] };
    const script = 'javascript:alert(1)';
    const html = `<form action="${script}"><button formaction="${script}">x</button></form><object data="${script}">`;
    const cleaned = await clean(html, { tags: Object.keys(attributes), attributes });
    expect(cleaned).toBe('<button>x</button>');
  });

  it('filters styles, also those that it lists', async () => {
    const style = 'position:fixed !important;background:url(https://a.example/b);color:red';
    const cleaned = await clean(`<p style="${style}">x</p>`, { attributes: { '*': ['style'] } });
    expect(cleaned).toBe('<p style="color:red">x</p>');
  });

  it.each([
    ['<div class="fixed" style="color:red">x</div>', { '*': ['class', 'style'] }],
    [
      '<iframe src="https://video.example/1" frameborder="0"></iframe>',
      { iframe: ['frameborder'] },
    ],
    ['<my-chart data-set="a" class="x">c</my-chart>', { 'my-chart': ['data-set'] }],
    ['<svg zoomAndPan="magnify"><g></g></svg>', { svg: ['zoomandpan'] }],
  ])('adds elements and attributes: %s', async (html, attributes) => {
    const allowList = { tags: ['my-chart'], iframes: ['video.example'], attributes };
    expect(await clean(html, allowList)).toBe(html);
  });
});

it('headings and the targets of links keep their ids, and other elements lose only theirs', async () => {
  const anchors = '<a href="#%C3%BCber"></a><p id="über">x</p><h2 id="part">x</h2>';
  expect(await clean(anchors)).toBe(anchors);
  expect(await clean(anchors, true)).toBe(anchors);
  expect(await clean('<p id="a" lang="de">x</p>', true)).toBe('<p lang="de">x</p>');
});

describe('the text of an image mark of Astro is sanitized like other attributes', () => {
  const marked = (properties: unknown) =>
    `<img __ASTRO_IMAGE_="${JSON.stringify(properties).replaceAll('"', '&quot;')}">`;

  it.each([
    { src: ['data:image/svg+xml,<svg onload=alert(1)>'] },
    { src: { toString: 'x' } },
    { src: 'javascript:alert(1)' },
    { src: 'data:image/svg+xml;base64,PHN2Zz4=' },
    { srcset: ['data:text/html,x 1x'] },
    { onerror: 'alert(1)', onError: 'alert(1)' },
    [['src', 'x']],
  ])('%j', async (properties) => {
    expect(await clean(marked(properties))).toBe('<img>');
    expect(await clean(marked(properties), true)).toBe('<img>');
  });
});

it('lets the links of a drawing lead to its own parts only', async () => {
  const drawing = (link: string) =>
    `<svg><a${link}><image href="https://a.example/x.png"></image></a></svg>`;
  expect(await clean(drawing(' href="#a"'), true)).toBe(drawing(' href="#a"'));
  expect(await clean(drawing(' href="https://a.example/"'), true)).toBe(drawing(''));
});

it('drops the outline of a drawing that takes a browser minutes to paint', async () => {
  const path = (length: number) => `<svg><path d="${'M0 0L9 9'.repeat(length / 8)}"></path></svg>`;
  expect(await clean(path(10_000), true)).toBe(path(10_000));
  expect(await clean(path(10_008), true)).toBe('<svg><path></path></svg>');
});

it.each([
  [
    true,
    '<iframe src="https://video.example/1"></iframe><form></form>',
    'iframe video.example, <form>',
  ],
  [
    true,
    '<p data-foo data-turbo onclick>x</p><a data-foo rel="up">',
    'data-foo on p, data-turbo on p, onclick on p, data-foo on a, rel on a',
  ],
  [true, '<p id="a" lang="de">x</p><iframe src="https://["></iframe>', 'iframe, id on p'],
  [true, '<p style="" class=""><img srcset="" style=" "><a target="">x</a></p>', ''],
  [
    true,
    '<a href="javascript:x">x</a><a href="ftp://a.example/">x</a><img src="file:///x" srcset="a.png, data:x 2x">',
    'href with javascript on a, href with ftp on a, src with file on img, srcset with data on img',
  ],
  [true, '<a href=" ">x</a><a href="java\tscript:x">x</a>', 'href on a, href with javascript on a'],
  [
    true,
    '<svg><a href="https://a.example/"></a><use href="x.svg#a"></use><script></script></svg>',
    'href with https on a, <use> in a drawing, <script> in a drawing',
  ],
  ['strict', '<p data-foo="1" align="left">x</p>', 'data-foo on p'],
  ['strict', '<p class="footnotes x" style="color:red;top:0">x</p>', 'class on p, style on p'],
] as const)('with %j, a load names what was dropped: %s', async (sanitize, html, names) => {
  expect((await finish(html, { sanitize })).dropped.join(', ')).toBe(names);
});

it('names at most 500 parts of what was dropped, and says so, and none with a very long name', async () => {
  expect((await finish(`<${'x'.repeat(99)}>`)).dropped).toEqual([`<${'x'.repeat(99)}>`]);
  expect((await finish(`<${'x'.repeat(150)}>`)).dropped).toEqual(['others']);
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => `<x${at}></x${at}>`).join('');
  const { dropped } = await finish(many(500));
  expect(dropped).toEqual(Array.from({ length: 500 }, (_, at) => `<x${at}>`));
  expect((await finish(many(520))).dropped).toEqual([...dropped, 'others']);
});

it('keeps what the processor of the site writes for any document, and no more', async () => {
  const own =
    '<style>pre{}</style><copy-code><p data-code="1" data-turbo="a" hidden="a" onclick="a">x</p></copy-code>';
  const render = async (text: string) => ({ html: own + (text.includes('##') ? '' : text) });
  const content =
    '<style>p{}</style><p contenteditable="b">y</p><other-code>z</other-code>' +
    '<p data-code="2" data-turbo="b">y</p><b data-code="1" data-turbo="a">y</b>';
  const { html } = await createSiteRenderer(render)(
    { id: '1', title: 'T', content },
    { base: new URL('https://app.example.com/'), sanitize: 'strict' },
  );
  expect(html.join('')).toBe(
    '<style>pre{}</style><copy-code><p data-code="1" data-turbo="a" hidden="a">x</p></copy-code>' +
      '<p>y</p>z<p data-code="2">y</p><b>y</b>',
  );
});

it("Word's settings are dropped with their content", async () => {
  const settings = '<xml><w:View>Normal</w:View><w:Zoom>0</w:Zoom></xml>';
  for (const option of [true, 'strict'] as const)
    expect(await clean(`<p>a</p>${settings}<p>b</p>`, option)).toBe('<p>a</p><p>b</p>');
});

it('keeps the whole style that the processor of the site writes', async () => {
  const styled = '<b style="position:absolute;top:0">a</b>';
  const render = async (text: string) => ({ html: text.includes('##') ? styled : text });
  const { html } = await createSiteRenderer(render)(
    { id: '1', title: 'T', content: styled },
    { base: new URL('https://app.example.com/'), sanitize: true },
  );
  expect(html.join('')).toBe(styled);
});

describe('the text behind an element that is closed as in JSX', () => {
  const text = '<p>The text</p>';

  it.each(
    'iframe script style title textarea xmp noembed noframes video audio canvas object template noscript select datalist dialog meter progress'
      .split(' ')
      .flatMap((tag) => [
        `<${tag}/>`,
        `<${tag} />`,
        `<${tag} src="https://video.example/1" frameBorder="0" allowFullScreen />`,
        `<${tag.toUpperCase()} style={{ width: "100%" }}\n  title='x'/>`,
        `<${tag} src=https://video.example/1 />`,
        `<${tag} src="https://video.example/1" allowFullScreen/>`,
        `<${tag} src="x" /></${tag}>`,
        `<${tag} title="a > b, '<i/>'" />`,
      ]),
  )('stays: %s', async (html) => {
    const allowed = { iframes: ['video.example'], tags: [] };
    for (const option of [true, allowed, 'strict'] as const) {
      const cleaned = await clean(`<p>a</p>${html}${text}`, option);
      expect(cleaned).toMatch(/^<p>a<\/p>(?:<(\w+)[^>]*><\/\1>)?<p>The text<\/p>$/);
    }
  });

  it('stays, and a slash at the end of an unquoted URL is a part of it', async () => {
    const html = '<iframe src=https://video.example/></iframe>';
    const kept = '<iframe src="https://video.example/"></iframe>';
    expect(await clean(html + text, { iframes: ['video.example'] })).toBe(kept + text);
  });

  it.each([
    ['unified()', unified()],
    ['satteri()', satteri()],
  ])('stays and is Markdown with %s', async (_, processor) => {
    const render = renderWith({ processor });
    const elements = 'iframe script video style progress'
      .split(' ')
      .flatMap((tag) => [
        `<${tag} src="/a" />`,
        `<${tag}\n  src="/a"\n  title="b"\n/>`,
        `<div><${tag} src="/a"/></div>`,
      ]);
    for (const element of elements) {
      const article = { id: '1', title: 'T', content: `${element}\n\n## A *heading*\n\nText` };
      const base = new URL('https://a.example/');
      const { html } = await renderArticle(article, { base, sanitize: true, render });
      const rest = /<h2 id="a-heading">A <em>heading<\/em><\/h2>\s*<p>Text<\/p>\s*$/;
      expect(html.join('').replace(/<video.*<\/video>/s, ''), element).toMatch(rest);
    }
  });

  it('stays, and tags in the values of attributes are unchanged', async () => {
    const html = `<img alt="The <video/> 'element'" src="https://a.example/a.png"><p title='<iframe src="x" />'>It's</p>`;
    expect(await clean(html, false)).toBe(
      `<img alt="The &lt;video/&gt; 'element'" src="https://a.example/a.png"><p title="&lt;iframe src=&quot;x&quot; /&gt;">It's</p>`,
    );
  });
});
