import fc from 'fast-check';
import { Tokenizer, type TokenizerMode } from 'parse5';
import { expect, it } from 'vitest';
import { textOfHtml } from '../../../src/client/index.ts';
import { processorTime } from '../../helpers/processor-time.ts';

it.each([
  ['Salt &#038; pepper', 'Salt & pepper'],
  ['A <em>new</em> year', 'A new year'],
  ['Vec&lt;T&gt; and &amp;lt;', 'Vec<T> and &lt;'],
  ['It&#8217;s &quot;3 < 4&quot;, isn&rsquo;t it&hellip;', 'It’s "3 < 4", isn’t it…'],
  ['One<br />Two<BR>Three', 'One Two Three'],
  ['  <span title="a > b">Tides</span>\n of <!-- no --> May ', 'Tides of May'],
  ['Prix&nbsp;: 5&nbsp;€', 'Prix\u00a0: 5\u00a0€'],
  ['&am<b></b>p; AT&T', '&amp; AT&T'],
  ...[' ', '\t', '\n', '\f', '\r', '/'].flatMap((sign) => [
    [`a<BR${sign}title=">">b`, 'a b'],
    [`a<B${sign}title=">">b</B>`, 'ab'],
  ]),
  ...[' ', '\t', '\n', '\f', '\r'].map((sign) => [`<b title=${sign}">">a</b>`, 'a']),
  ["<i title='>' lang=''>a</i><brand>b", 'ab'],
  ['\ta \n\f\r\n b\n', 'a b'],
  ['plain', 'plain'],
  ['', ''],
])('the text of the title %j is %j', (html, text) => {
  expect(textOfHtml(html)).toBe(text);
});

/** The text that the tokenizer of parse5 finds. */
function tokenized(html: string): string {
  let text = '';
  const add = ({ chars }: { chars: string }) => {
    text += chars;
  };
  const ignore = () => {};
  const handler = {
    ...{
      onStartTag: ignore,
      onEndTag: ignore,
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
    },
    ...{ onCharacter: add, onNullCharacter: add, onWhitespaceCharacter: add },
  };
  const tokenizer = new Tokenizer({ sourceCodeLocationInfo: false }, handler);
  tokenizer.state = 0 satisfies (typeof TokenizerMode)['DATA'];
  tokenizer.write(html, true);
  return text.replace(/[\t\n\f\r ]+/g, ' ').replace(/^ | $/g, '');
}

it('the text of HTML is what browsers find', () => {
  const parts = ['<', '>', '</', '<!', '<!--', '-->', '--', '<?', '/', '=', '"', "'", ' ', '\n'];
  const words = [
    'a',
    'b x',
    'i y=',
    '&amp',
    '&amp;',
    '&lt;',
    '&#38;',
    '&notit;',
    '&',
    ';',
    '\u00a0',
  ];
  const html = fc.array(fc.constantFrom(...parts, ...words), { maxLength: 20 });
  fc.assert(
    fc.property(html, (given) => {
      const text = given.join('');
      // The sign of equality is a part of a name where an attribute begins.
      fc.pre(!/<\/?[a-z][^>]*[\s/"'][\s/]*=/i.test(text));
      expect(textOfHtml(text)).toBe(tokenized(text));
    }),
    { numRuns: 2_000, examples: [[['<', 'a', '=', '"', '>', '<']]] },
  );
});

it.each(['<a', '<!--', '<a b="', "<a b='", '=', '&', '<', '</', '<a "', '<a =', '<!-'])(
  'a text of 200,000 times %j takes less than a second of processor time',
  (part) => {
    const text = part.repeat(200_000);
    expect(processorTime(() => textOfHtml(text))).toBeLessThan(1_000);
  },
);
