import { describe, expect, it } from 'vitest';
import { finish } from '../../helpers/finish.ts';

const clean = async (html: string) => (await finish(html)).html;
const drawing = (fill: string) => `<svg><path${fill && ` fill="${fill}"`}></path></svg>`;
const formula = (level: string) =>
  `<math><mstyle${level && ` scriptlevel="${level}"`}></mstyle></math>`;
const link = (target: string) => `<a href="/a"${target && ` target="${target}"`}>a</a>`;
const place = (index: string) => `<p${index && ` tabindex="${index}"`}>a</p>`;
const named = (title: string) => `<p${title && ` title="${title}"`}>a</p>`;

describe('an attribute', () => {
  it.each([
    ...['_blank', '_SELF', '_parent', '_top'].map(link),
    ...['0', '-1'].map(place),
    '<a href="/a" rel="NoFollow me">a</a>',
    ...['0', '9'].map(formula),
    ...['a < b', '<3', 'a>b', '&amp;lt;b'].map((title) => named(title.replaceAll('<', '&lt;'))),
    ...['url(#a)', 'url( &quot;#a&quot;)', "url('#a' )", 'red', 'src', 'URL(#a) red'].map(drawing),
    ...['url(#)', "url('#')", 'url(#a) url(#b)'].map(drawing),
    ...['data:image/png,x', '//a.example/x'].map((url) => `<img src="${url}">`),
  ])('of a value that is harmless stays: %s', async (html) => {
    expect((await finish(html)).dropped).toEqual([]);
  });

  it.each([
    ['<img srcset="file:///a.png 2x">', '<img>'],
    ...['x_blank', '_blankx', '_new', 'blank', '_blan\u212a'].map((value) => [
      link(value),
      link(''),
    ]),
    ...['1', '-10', '00', '-2', ' 0'].map((value) => [place(value), place('')]),
    ...['-1', '+1', '10', 'x1'].map((value) => [formula(value), formula('')]),
    ...['&lt;b', '&lt;B>', '&lt;!x', '&lt;/x', '&lt;?x', 'a &lt;b>'].map((value) => [
      named(value),
      named(''),
    ]),
    ...['url(x)', 'url(&quot;#a)', "url('#a&quot;)", 'url(#a) url(x)', 'URL (x)', '\\75rl(x)']
      .concat("url(#a'b)", 'url(#a&quot;b)', 'url(#a(b)', 'url(#a\\b)', "url('#a&quot;b')")
      .concat("url('#a(b')", "url('#a\\b')", "url('#a'b')", "url('#a)')")
      .concat('src(x)', 'image(x)', 'image-set (x)', 'cross-fade(x)', 'element(#x)', 'paint(x)')
      .map((value) => [drawing(value), drawing('')]),
  ])('of a value that is not harmless is dropped: %s', async (html = '', expected = '') => {
    expect(await clean(html)).toBe(expected);
  });
});
