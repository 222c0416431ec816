import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  htmlLimits,
  isElement,
  type Parent,
  parseHtml,
  toHtml,
} from '../../../src/html/parse-html.ts';
import { type HtmlPart, splitHtml } from '../../../src/html/split-html.ts';
import { runs } from '../../helpers/runs.ts';

/** Draws each component as the element that it takes the place of; its name is that of the element. */
function draw(parts: readonly HtmlPart<string>[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : drawElement(part))).join('');
}

function drawElement(part: Exclude<HtmlPart<string>, string>): string {
  const attributes = Object.entries(part.attributes).map(
    ([name, value]) => ` ${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`,
  );
  const start = `<${part.component}${attributes.join('')}>`;
  return part.children ? `${start}${draw(part.children)}</${part.component}>` : start;
}

/** What a browser reads: HTML after being parsed. */
const parsed = (html: string) => toHtml(parseHtml(html));

const names =
  'a b blockquote br code details em h2 hr img input li ol p pre s span table td tr tbody ul video'.split(
    ' ',
  );
const everything = Object.fromEntries(names.map((name) => [name, name]));
const text = fc.constantFrom(
  ...['x', '\n', '\n\nx', ' ', '&amp;lt;', '<', '"', '{x}', '\u00a0', '</p>'],
);
const attribute = fc.constantFrom(
  ...'class="a b"|title="&quot;&amp;<>"|href="https://a.example/?a=1&amp;copy=2"|alt=""|data-x'.split(
    '|',
  ),
  ...['constructor=1', '__proto__=1'],
);
const { html } = fc.letrec<{ html: string; element: string }>((tie) => ({
  html: fc.array(fc.oneof(text, tie('element')), { maxLength: 4 }).map((parts) => parts.join('')),
  element: fc
    .tuple(
      fc.constantFrom(...names, 'div', 'svg', 'math', 'foreignobject', 'template', 'iframe'),
      fc.array(attribute, { maxLength: 2 }),
      tie('html'),
    )
    .map(([name, attributes, inner]) => `<${[name, ...attributes].join(' ')}>${inner}</${name}>`),
}));

describe('splitHtml()', () => {
  it('changes nothing when each component draws its element again', () => {
    let replaced = 0;
    const some = fc.subarray(names).map((list) => Object.fromEntries(list.map((n) => [n, n])));
    fc.assert(
      fc.property(html, some, (given, components) => {
        const once = parsed(given);
        // A tree that HTML cannot express, such as a link in a link, is another one after being parsed.
        fc.pre(parsed(once) === once && !once.includes('__proto__'));
        const parts = splitHtml(once, { components });
        replaced += parts.filter((part) => typeof part !== 'string').length;
        expect(parsed(draw(parts))).toBe(parsed(once));
      }),
      runs(500),
    );
    expect(replaced).toBeGreaterThan(30);
  });

  it('replaces all elements with that name, except for those in SVG, MathML and templates', () => {
    let counted = 0;
    const count = (parts: readonly HtmlPart<string>[]): number =>
      parts.reduce(
        (sum, part) => (typeof part === 'string' ? sum : sum + 1 + count(part.children ?? [])),
        0,
      );
    const expected = (parent: Parent): number =>
      parent.childNodes.filter(isElement).reduce((sum, element) => {
        const isForeign = !element.namespaceURI.endsWith('xhtml') || element.tagName === 'template';
        const own = names.includes(element.tagName) ? 1 : 0;
        return isForeign ? sum : sum + own + expected(element);
      }, 0);
    fc.assert(
      fc.property(html, (given) => {
        const parts = splitHtml(given, { components: everything });
        counted += count(parts);
        expect(count(parts)).toBe(expected(parseHtml(given)));
      }),
      runs(300),
    );
    expect(counted).toBeGreaterThan(30);
  });

  it('takes only components that the site names itself', () => {
    expect(splitHtml('<constructor>x</constructor>', { components: {} })).toEqual([
      '<constructor>x</constructor>',
    ]);
  });

  it('passes plain attributes only, and a boolean one with its name', () => {
    const html =
      '<input checked client:load server:defer set:html="<b>" class:list="a" @click="b" value="">';
    expect(splitHtml(html, { components: { input: 'I' } })).toEqual([
      { component: 'I', attributes: { checked: 'checked', value: '' }, children: undefined },
    ]);
  });

  it.each([
    ...['allowfullscreen', 'autoplay', 'checked', 'controls', 'default', 'disabled', 'loop'],
    ...['muted', 'open', 'playsinline', 'reversed'],
  ])('passes the boolean attribute %s of an article with its name', (name) => {
    expect(splitHtml(`<p ${name}></p>`, { components: { p: 'P' } })).toMatchObject([
      { attributes: { [name]: name } },
    ]);
  });

  it('accepts HTML that has grown after its limits were checked', () => {
    const html = '<p id="a"></p>'.repeat(htmlLimits.parts / 2 + 1);
    expect(splitHtml(html, {})).toEqual([html]);
  });

  it('escapes the text of an element that contains text without escapes', () => {
    const html = '<iframe src="x"><img src=x onerror=alert(1)></iframe>';
    const [part] = splitHtml(html, { components: { iframe: 'I', img: 'G' } });
    expect(part).toMatchObject({ children: ['&lt;img src=x onerror=alert(1)&gt;'] });
  });
});

describe('embeds', () => {
  const embeds = { 'video.example': 'V', 'www.wide.example': 'W' };
  const isEmbed = (html: string) => typeof splitHtml(html, { embeds })[0] !== 'string';

  it('take the place of a paragraph with nothing but a link to their host', () => {
    const html =
      '<p>\n<a href="https://www.video.example/1?a=b&amp;c" rel="x">See <b>it</b></a> </p>';
    expect(splitHtml(html, { embeds, components: { a: 'A', b: 'B', p: 'P' } })).toEqual([
      {
        component: 'V',
        attributes: { href: 'https://www.video.example/1?a=b&c' },
        children: ['See ', { component: 'B', attributes: {}, children: ['it'] }],
      },
    ]);
  });

  it('take the place of a figure with a link, and not of a picture that is a link', () => {
    const figure = (text: string) =>
      `<figure class="media"><a href="https://video.example/1">${text}</a></figure>`;
    expect(isEmbed(figure('https://video.example/1'))).toBe(true);
    expect(isEmbed(figure('<img src="https://a.example/a.png">'))).toBe(false);
  });

  it.each([
    ['http://VIDEO.example/x', true],
    ['https://www.video.example', true],
    ['https://www.wide.example/', true],
    ['https://user@video.example/', true],
    ['https://video.example.evil.example/', false],
    ['https://video.example@evil.example/', false],
    ['https://m.video.example/', false],
    ['https://wide.example/', false],
    ['https://video.example:8443/', false],
    ['https://constructor/', false],
    ['//video.example/', false],
    ['ftp://video.example/', false],
    ['javascript:video.example', false],
    ['', false],
  ])('match %s: %s', (href, isMatch) => {
    expect(isEmbed(`<p><a href="${href}">x</a></p>`)).toBe(isMatch);
  });

  it.each([
    '<p>See <a href="https://video.example/">x</a></p>',
    '<p><a href="https://video.example/">x</a><a href="https://video.example/">y</a></p>',
    '<p><b><a href="https://video.example/">x</a></b></p>',
    '<h2><a href="https://video.example/">x</a></h2>',
    '<p><a>x</a></p>',
    '<p></p>',
  ])('do not replace %s', (html) => {
    expect(splitHtml(html, { embeds })).toEqual([html]);
  });
});
