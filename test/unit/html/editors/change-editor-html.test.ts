import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from '../../../helpers/finish.ts';
import { misreading } from '../../../helpers/nested-html.ts';
import { runs } from '../../../helpers/runs.ts';

const url = 'https://www.youtube.com/embed/1';
const image = `<img data-src="${url}" src="data:,">`;
/** HTML that habits change, with `@` in the place of further content. */
const pieces = [
  `${image}<noscript><img src="${url}"></noscript>`,
  `<iframe data-src="${url}"></iframe>`,
  `<noscript>${image}@</noscript>`,
  `<oembed url="${url}"></oembed>`,
  `<object data="/a.pdf"><a href="/a.pdf">@</a></object>`,
  '<a name="b">@</a><a href="#b">@</a>',
  '<p><br>&nbsp;</p>@',
  '<p>@&nbsp;</p>',
  '<span class="kg-audio-player">@</span>',
  '<table><tr><td>@</td></tr>@</table>',
  '<ul><li>@</li></ul>',
  '<pre>\n@</pre>',
  '<button>@</button>',
  'x',
];
const { html } = fc.letrec<{ html: string }>((tie) => ({
  html: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constant('x'),
    fc
      .tuple(fc.constantFrom(...pieces), tie('html'), tie('html'))
      .map(([piece, one, other]) => piece.replace('@', () => one).replaceAll('@', () => other)),
  ),
}));
/** Matches HTML that no habit has changed. */
const unchanged = /data-src|kg-audio-player|oembed|&nbsp;<\/p><p|name="b"/;

/** Which ids are kept depends on the list of headings, which is that of the first pass. */
const withoutIds = (text: string) => text.replaceAll(/ id="[^"]*"/g, '');

test('HTML of editors in any order is written as a browser reads it, and is the same after another pass', async () => {
  let changed = 0;
  await fc.assert(
    fc.asyncProperty(html, async (given) => {
      const sanitize = { iframes: ['www.youtube.com'] };
      const { html: written, dropped } = await finish(given, { format: 'html', sanitize });
      expect(misreading(written), written).toBeUndefined();
      expect(withoutIds((await finish(written, { sanitize })).html)).toBe(withoutIds(written));
      expect(dropped.filter((part) => /data-src|name on/.test(part))).toEqual([]);
      if (unchanged.test(given) && !unchanged.test(written)) changed += 1;
    }),
    runs(400),
  );
  expect(changed).toBeGreaterThan(30);
});

test.each([
  ['<p>a</p><p><br></p><p>b</p>', '<p>a</p><p><BR></p><p>b</p>'],
  ['<p>a</p><p>&#xa0;</p><p>b</p>', '<p>a</p><p>&#XA0;</p><p>b</p>'],
  ['<h2><a id="x"></a>A</h2><p>b</p>', '<H2><a id="x"></a>A</h2><p>b</p>'],
  ['<p><a name="x">a</a><a href="#x">b</a></p>', '<p><a NAME="x">a</a><a href="#x">b</a></p>'],
  ['<oembed url="https://a.example/"></oembed>', '<OEMBED url="https://a.example/"></oembed>'],
  ['<ol><li data-list="bullet">a</li></ol>', '<ol><li DATA-LIST="bullet">a</li></ol>'],
  ['<img src="spacer.gif" data-src="/b.png">', '<IMG SRC="spacer.gif" DATA-SRC="/b.png">'],
])('changes the HTML of an editor in small and in capital letters: %s', async (small, capital) => {
  const { html } = await finish(small, { format: 'html' });
  expect((await finish(capital, { format: 'html' })).html).toBe(html);
  expect(html).not.toBe(small);
});
