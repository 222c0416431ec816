import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prefixIds } from '../../../src/html/ids.ts';
import {
  attributeOf,
  elementsOf,
  type Parent,
  parseHtml,
  toHtml,
} from '../../../src/html/parse-html.ts';
import { finish } from '../../helpers/finish.ts';

function prefixed(html: string, prefix = 'tides-'): string {
  const tree = parseHtml(html);
  prefixIds(tree, prefix);
  return toHtml(tree);
}

describe('a prefix of ids', () => {
  it.each<[html: string, expected?: string | undefined]>([
    ['<h2 id="a">A</h2><a href="#a">x</a>', '<h2 id="tides-a">A</h2><a href="#tides-a">x</a>'],
    [
      '<p id="über">x</p><a href="#%C3%BCber">x</a>',
      '<p id="tides-über">x</p><a href="#tides-%C3%BCber">x</a>',
    ],
    [
      '<sup><a href="#user-content-fn-1" id="user-content-fnref-1" aria-describedby="label">1</a></sup><h2 id="label">N</h2><ol><li id="user-content-fn-1">x</li></ol>',
      '<sup><a href="#tides-user-content-fn-1" id="tides-user-content-fnref-1" aria-describedby="tides-label">1</a></sup><h2 id="tides-label">N</h2><ol><li id="tides-user-content-fn-1">x</li></ol>',
    ],
    [
      '<svg><lineargradient id="g"></lineargradient><path fill="url(#g)"></path></svg>',
      '<svg><linearGradient id="tides-g"></linearGradient><path fill="url(#tides-g)"></path></svg>',
    ],
    [
      '<p id="a">x</p><p id="b" aria-labelledby="a c b">x</p>',
      '<p id="tides-a">x</p><p id="tides-b" aria-labelledby="tides-a c tides-b">x</p>',
    ],
    ...[
      ...['aria-labelledby', 'aria-describedby', 'aria-details', 'aria-controls', 'aria-owns'],
      ...['aria-flowto', 'aria-activedescendant', 'aria-errormessage', 'headers', 'for'],
    ].map((name): [string, string?] => [
      `<p id="a" ${name}="a b"></p>`,
      `<p id="tides-a" ${name}="tides-a b"></p>`,
    ]),
    ...['aria-label', 'data-for', 'aria-ownsx', 'title'].map((name): [string, string?] => [
      `<p id="a" ${name}="a"></p>`,
    ]),
    ...['url(#a)', 'url( &quot;#a&quot;)', "url('#a') red"].map((value): [string, string] => [
      `<p id="a"></p><svg><path fill="${value}"></path></svg>`,
      `<p id="tides-a"></p><svg><path fill="${value.replace('#', '#tides-')}"></path></svg>`,
    ]),
    ['<p id="a"></p><svg><path fill="red url(#a)"></path></svg>'],
    // The page around the article has these.
    ['<a href="#top">x</a><a href="/x#a">x</a><p id="a">x</p>', undefined],
  ])('is in %s', (html, expected = html.replace('id="', 'id="tides-')) => {
    expect(prefixed(html)).toBe(expected);
  });

  it('changes no text, and no reference between two elements', () => {
    const id = fc.constantFrom('a', 'b', 'ü', 'a b', '%41', 'user-content-fn-1');
    const element = fc.oneof(
      id.map((id) => `<p id="${id}">${id}</p>`),
      id.map((id) => `<a href="#${encodeURIComponent(id)}">${id}</a>`),
      id.map((id) => `<a href="#${id}">${id}</a>`),
    );
    fc.assert(
      fc.property(fc.array(element, { maxLength: 8 }), (elements) => {
        const before = parseHtml(elements.join(''));
        const after = parseHtml(prefixed(elements.join('')));
        expect(targetsIn(after)).toEqual(targetsIn(before));
      }),
    );
  });
});

/** Returns the position of the target of each link, as browsers find it. */
function targetsIn(tree: Parent): number[] {
  const elements = elementsOf(tree);
  const positionOf = (id: string) => elements.findIndex((each) => attributeOf(each, 'id') === id);
  return elements.flatMap((element) => {
    const fragment = attributeOf(element, 'href')?.slice(1);
    if (fragment === undefined) return [];
    const exact = positionOf(fragment);
    return exact === -1 ? positionOf(decodeURIComponent(fragment)) : exact;
  });
}

const valued = 'href src srcset poster data cite value action background';

it.each(valued.split(' '))(
  'a target with the attribute `%s` has the form of footnotes',
  async (name) => {
    const html = (start: string) =>
      `<a href="#${start}x">a</a><p ${name}="https://a.example/" id="${start}x">b</p>`;
    const sanitize = { attributes: { p: [name] } };
    expect((await finish(html(''), { sanitize })).html).toBe(html('user-content-'));
  },
);

it.each(['title', 'lang', 'align'])(
  'a target with the attribute `%s` keeps its id',
  async (name) => {
    const html = `<a href="#x">a</a><p id="x" ${name}="left">b</p>`;
    expect((await finish(html)).html).toBe(html);
  },
);

describe('a picture that the article links to', () => {
  const image = (id: string) => `<img src="https://a.example/x.png" alt=""${id}>`;

  it.each([true, 'strict'] as const)(
    'keeps its id in the form of footnotes, with `sanitize: %j`',
    async (sanitize) => {
      const given = `<a href="#map">x</a>${image(' id="map"')}<p aria-describedby="map">x</p>`;
      const { html, dropped } = await finish(given, { sanitize });
      expect(html).toBe(
        `<a href="#user-content-map">x</a>${image(' id="user-content-map"')}<p aria-describedby="user-content-map">x</p>`,
      );
      expect(dropped).toEqual([]);
    },
  );

  it('keeps it as a local file, too', async () => {
    const given = `<a href="#map">x</a>${image(' id="map"')}${image(' id="other"')}`;
    const { html, images, dropped } = await finish(given, { extractImages: true });
    expect(html).toBe('<a href="#user-content-map">x</a>');
    expect(images.map(({ html: each }) => each)).toEqual([
      image(' id="user-content-map"'),
      image(''),
    ]);
    expect(images.map(({ attributes }) => attributes.id)).toEqual(['user-content-map', undefined]);
    expect(dropped).toEqual(['id on img']);
  });

  it('leaves the target of a link to the first element with its id', async () => {
    const paragraph = '<p id="map">x</p>';
    const { html } = await finish(`<a href="#map">x</a>${paragraph}${image(' id="map"')}`);
    expect(html).toContain(`<a href="#map">x</a>${paragraph}`);
  });
});
