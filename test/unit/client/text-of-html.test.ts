import { expect, it } from 'vitest';
import { textOfHtml } from '../../../src/client/index.ts';
import { processorTime } from '../../helpers/processor-time.ts';

it.each([
  ['Salt &#038; pepper', 'Salt & pepper'],
  ['A <em>new</em> year', 'A new year'],
  ['Vec&lt;T&gt; and &amp;lt;', 'Vec<T> and &lt;'],
  ['It&#8217;s &quot;3 < 4&quot;, isn&rsquo;t it&hellip;', 'It’s "3 < 4", isn’t it…'],
  ['One<br />Two<BR>Three', 'One Two Three'],
  ['  <span lang="en">Tides</span>\n of <!-- no --> May<?x?><!x>', 'Tides of May'],
  ['a < b > c, 2<3, a <b', 'a < b > c, 2<3, a <b'],
  ['a<b<i>c</i>', 'a<bc'],
  ['Prix&nbsp;: 5&nbsp;€', 'Prix\u00a0: 5\u00a0€'],
  ['&am<b></b>p; AT&T', '&amp; AT&T'],
  ...[' ', '\t', '\n', '\f', '\r', '/'].flatMap((sign) => [
    [`a<BR${sign}id="x">b`, 'a b'],
    [`a<B${sign}id="x">b</B>`, 'ab'],
  ]),
  ["<i lang=''>a</i><brand>b", 'ab'],
  ['\ta \n\f\r\n b\n', 'a b'],
  ['plain', 'plain'],
  ['', ''],
])('the text of the title %j is %j', (html, text) => {
  expect(textOfHtml(html)).toBe(text);
});

it.each(['<a', '<!--', '<a b="', "<a b='", '=', '&', '<', '</', '<a "', '<a =', '<!-'])(
  'a text of 200,000 times %j takes less than a second of processor time',
  (part) => {
    const text = part.repeat(200_000);
    expect(processorTime(() => textOfHtml(text))).toBeLessThan(1_000);
  },
);
