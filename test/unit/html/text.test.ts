import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countWords, looksLikeHtml, toDescription as shorten } from '../../../src/html/text.ts';

describe('words', () => {
  it.each([
    ['one two  three', 3],
    ["don’t stop, won't stop", 4],
    ['Ёлки и снег', 3],
    ['حديقة النجوم', 2],
    ['', 0],
    ['— … !', 0],
    ['⚠️ ice', 1],
    ['10 20', 2],
    ['क्या है', 2],
    ["l'été 5'10 x’y’z d'क्या", 4],
    ["a' 'b ''", 2],
  ])('%j has %i', (text, count) => expect(countWords(text)).toBe(count));

  it('are counted in scripts that set no spaces between them', () => {
    expect(countWords('日本の庭は静かです')).toBeGreaterThan(3);
    expect(countWords('Kyoto 日本の庭 walk')).toBeGreaterThan(3);
  });

  it('of any character of these scripts are those of the segmenter', () => {
    const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
    const scripts = 'Han Hiragana Katakana Thai Lao Khmer Myanmar'.split(' ');
    const letter = new RegExp(`^[${scripts.map((name) => `\\p{Script=${name}}`).join('')}]$`, 'u');
    let tried = 0;
    for (let code = 0; code < 0x3_0000; code += code < 0x1_0000 ? 1 : 97) {
      const character = String.fromCodePoint(code);
      if (!letter.test(character)) continue;
      const words = [...segmenter.segment(character.repeat(3))].filter(
        ({ isWordLike }) => isWordLike,
      );
      expect(countWords(character.repeat(3)), character).toBe(words.length);
      tried += 1;
    }
    expect(tried).toBeGreaterThan(20_000);
  });
});

describe('description', () => {
  it('is the text itself when it is short', () => {
    expect(shorten('  A short\n one. ')).toBe('A short one.');
    const longest = `${'tide '.repeat(31)}flows`;
    expect([longest.length, shorten(longest)]).toEqual([160, longest]);
  });

  it('ends at a word, without the comma before the cut', () => {
    const text = `${'tide '.repeat(30)}flow, ebbing`;
    expect(shorten(text)).toBe(`${'tide '.repeat(30)}flow…`);
  });

  it.each(['a', '𝒶'])('cuts a single word of 200 times %j, also after a quote', (letter) => {
    expect(shorten(`“${letter.repeat(200)}`)).toMatch(/^“\p{L}{79,}…$/u);
    const times = Math.floor(159 / letter.length);
    expect(shorten(letter.repeat(200))).toBe(`${letter.repeat(times)}…`);
  });

  it('is never longer than 160 characters, and never half a character', () => {
    const grapheme = fc.string({ unit: 'grapheme', maxLength: 400 });
    const part = fc.constantFrom(...'a b.—', 'tides', '日本', '𝒶', '…');
    const words = fc.array(part, { minLength: 100, maxLength: 300, size: 'max' });
    fc.assert(
      fc.property(
        fc.oneof(
          grapheme,
          words.map((parts) => parts.join('')),
        ),
        (text) => {
          const description = shorten(text);
          expect(description.length).toBeLessThanOrEqual(160);
          expect(description.isWellFormed()).toBe(true);
        },
      ),
    );
  });
});

describe('a text', () => {
  it.each([
    ...['<p>a</p>', ' <P>a</P>', '<h1>a</h1>\n\n<div>', '<div>\n</div>\n \n<p>a</p>', '<h6>a</h6>'],
    ...['<!-- a -->\n\n</div><p>b</p>', '<div>\nText</p>\n\n  <br>'],
    '<p>a</p>\n<pre><code>a\n\nb\n\n  c</code></pre>\n\n<p>d</p>',
  ])('is HTML: %j', (text) => expect(looksLikeHtml(text)).toBe(true));

  it.each([
    ...[
      'a <p>b</p>',
      '<p>a</p>\n\nText',
      '<p>a</p>\n\na <b>',
      '<div>a</div>',
      '<3 </p>',
      '',
      '<p>a',
    ],
    ...['<h7>a</h7>', '<pre>a</pre>', '<p>a</p>\n \n<3'],
    '<p>a</p>\n\n<pre>b</pre>\n\nText',
  ])('is Markdown: %j', (text) => expect(looksLikeHtml(text)).toBe(false));
});
