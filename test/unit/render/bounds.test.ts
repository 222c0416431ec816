import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../../src/live/live-markdown.ts';
import {
  buildBounds,
  exceededLimit,
  liveBounds,
  liveSiteBounds,
} from '../../../src/render/bounds.ts';
import { renderArticle } from '../../../src/render/render-article.ts';
import { textsOf } from '../../../src/render/texts.ts';
import { list } from '../../helpers/costly-documents.ts';
import { runs } from '../../helpers/runs.ts';

const satteriBounds = { ...buildBounds, processor: 'satteri' };
const fill = (part: string, length = 200_000) => part.repeat(Math.floor(length / part.length));
const numbered = (part: (at: number) => string, count = 1000) =>
  Array.from({ length: count }, (_, at) => part(at)).join('');

describe('an ordinary long article passes', () => {
  const sentences =
    'A sentence of a longer text, which has commas, and here and there *emphasis* or "quotes". It continues for a ' +
    'while, as articles do. Then there is a [link](https://host.example/page) to another page, and the last one.\n\n';
  const link = '[a name](https://host.example/page)';
  const statement = 'const a = ["x", { y: z(1, 2) }]; // *\n';
  const ordinary: Record<string, string> = {
    '300 KB of prose': fill(sentences, 300_000),
    'a table of 500 rows': `Prices:\n\n| a | b | c |\n|:-|-|-:|\n${`| ${link} | **c** | \`d\` |\n`.repeat(500)}`,
    '3,000 lines of code': `Text:\n\`\`\`js\n${statement.repeat(3000)}\`\`\`\n\nMore.`,
    'code behind a comment': `<!-- more -->\n\n~~~js\n${statement.repeat(3000)}~~~\n`,
    'a list of 1,000 items': `- ${link}: text\n`.repeat(1000),
    'a list with 1,000 items in lists': '- a\n    - *b* c\n    - d\n        - e\n'.repeat(250),
    'a numbered list of 1,000 items': numbered((at) => `${at + 1}. A [name](/x), "*a*"\n`),
    '500 footnotes': numbered((at) => `A note.[^${at}]\n\n[^${at}]: The *text* of it.\n\n`, 500),
    '500 footnotes at the end':
      numbered((at) => `A note.[^${at}]\n\n`, 500) + numbered((at) => `[^${at}]: *Text*.\n`, 500),
    '200 definitions': `${numbered((at) => `[#${at}]: https://host.example/${at}\n`, 200)}\n${numbered((at) => `See [#${at}].\n\n`)}`,
    '10 images in definitions': numbered(
      (at) => `![][i${at}]\n\n[i${at}]: <data:image/png;base64,${'A'.repeat(20_000)}>\n\n`,
      10,
    ),
    'a quote of 1,000 lines': '> text *in* a quote\n>\n'.repeat(500),
    'an embedded picture': `Text\n\n![a](data:image/png;base64,${fill('A3b/cD9e+F0g1H2i3J4k5L6m7N8o9P0q', 200_000)})\n`,
    '200 unmatched signs': '_a *b '.repeat(200),
    'an HTML table of 100 rows': `<table>\n${'<tr><td class="a">"x"</td><td>y</td></tr>\n'.repeat(100)}</table>`,
    '1,000 addresses': '<https://a.example/>\n\n<b@a.example>\n\n'.repeat(500),
  };
  test.each(Object.entries(ordinary))('%s', (_, text) => {
    expect(exceededLimit(text, liveBounds)).toBeUndefined();
    expect(exceededLimit(text, buildBounds)).toBeUndefined();
    expect(exceededLimit(text, satteriBounds)).toBeUndefined();
  });
});

test('names a text with too much punctuation by line and start, with the limit and what to do', () => {
  const text = fill('some "words" ', 200_000);
  const reason = exceededLimit(`# A heading\n\nShort.\n\n${text}\n\nMore.`, liveBounds);
  expect(reason).toMatch(
    /^rendering it may take 19\.\d times as long as the limit allows, mostly for /,
  );
  expect(reason).toContain('the text on line 5, which begins with "some \\"words\\" some \\"words');
  expect(reason).toContain('30,769 lines and signs of punctuation (a single text may have 7,000)');
  expect(reason).toContain('divide it with blank lines, or divide the article');
});

test('accepts the longest articles with Sätteri, and the shortest on live pages', () => {
  const textOf = (length: number) =>
    fill('[some](/words) and [more](/of) them, in a longer paragraph\n\n', length);
  const text = textOf(500_000);
  const longText = textOf(870_000);
  expect(exceededLimit(text, liveBounds)).toMatch(/characters with [\d,]+ signs of punctuation/);
  expect(exceededLimit(text, buildBounds)).toBeUndefined();
  expect(exceededLimit(longText, buildBounds)).toMatch(/signs of punctuation in/);
  expect(exceededLimit(longText, satteriBounds)).toBeUndefined();
});

test('prose has the length of a book with any processor', () => {
  const paragraph = `${fill('some words of a book ', 10_000)}\n\n`;
  for (const bounds of [liveBounds, buildBounds, satteriBounds])
    expect(exceededLimit(fill(paragraph, 1_000_000), bounds)).toBeUndefined();
});

test('a processor that sets typography is given fewer words that contain punctuation', () => {
  const text = fill(`${fill('a@b.c ', 500)}\n\n`, 150_000);
  expect(exceededLimit(text, liveBounds)).toBeUndefined();
  expect(exceededLimit(text, satteriBounds)).toBeUndefined();
  expect(exceededLimit(text, buildBounds)).toMatch(/words that contain punctuation, in 149,/);
  expect(exceededLimit(text, liveSiteBounds)).toMatch(/words that contain punctuation/);
  const links = fill('[`a`](http://b.c.d/e-f) text of it\n\n', 150_000);
  expect(exceededLimit(links, buildBounds)).toBeUndefined();
  const noLinks = fill(fill('[`](a@b.c_d@e.f) ', 500).concat('\n\n'), 300_000);
  expect(exceededLimit(noLinks, buildBounds)).toBeDefined();
});

test('Sätteri accepts a text of 10,000 signs, which it compares with each other', () => {
  for (const part of ['"a ', 'a... ', '&amp; ', '> [\n']) {
    expect(exceededLimit(fill(part, 8000), satteriBounds)).toBeUndefined();
    expect(exceededLimit(fill(part, 60_000), satteriBounds)).toMatch(
      /the text on line 1, .* signs of punctuation/,
    );
  }
});

const lines = (row: string) => fill(row, 48_000);
const refused: Record<string, [text: string, reason: RegExp]> = {
  characters: [fill('a b\n\n', 2_100_000), /2,100,000 characters, and the limit is 2,097,152/],
  lines: [fill('a\n\n', 60_000), /lines, and the limit is 30,000/],
  quotes: [lines('> a\n\n'), /quotes, lists/],
  'lists with text between them': [lines('x\n\n- a\n\n'), /quotes, lists/],
  'lists in lists': [lines('- a\n  - b\n'), /quotes, lists/],
  'quotes in lists': [lines('- > a\n'), /quotes, lists/],
  'underlined headings': [lines('a\n=\n\n'), /quotes, lists/],
  'lines behind a quote': [`> a\n${lines('b\n')}`, /line 1, which begins with "> a"/],
  'a table of few, wide rows': [
    `${fill('a|', 2000)}\n${fill('-|', 2000)}\n${fill('b\n', 2000)}`,
    /tables of/,
  ],
  'short rows behind a wide table': [
    `|${fill('a|', 2000)}\n|${fill('-|', 2000)}\n${fill('|b\n', 2000)}${fill('b\n', 1000)}`,
    /tables of 1,/,
  ],
  'a definition with many uses': [
    `[a]: /${fill('b', 13_000)}\n\n${fill(`${'[a]'.repeat(30)}\n\n`, 300_000)}`,
    /link definition/,
  ],
  'an embedded picture with many uses': [
    `[a]: data:image/png;base64,${fill('A', 200_000)}\n\n${fill('[a]\n\n', 50_000)}`,
    /link definition/,
  ],
};
test.each(Object.entries(refused))(
  'an article is refused with the reason: %s',
  (_, [text, reason]) => {
    expect(exceededLimit(text, buildBounds)).toMatch(reason);
  },
);

const nested: Record<string, string> = {
  quotes: fill('>', 1000),
  'lists in one line': fill('- ', 1000),
  lists: numbered((at) => `${'  '.repeat(at)}* a\n`, 200),
  emphasis: `${'*a **a '.repeat(1100)}b${' a** a*'.repeat(1100)}`,
  'long runs of emphasis': `${'*'.repeat(2000)}a${'*'.repeat(2000)}`,
  elements: '<span>'.repeat(2000),
  'elements in a drawing': `<svg>${'<td>\n\n'.repeat(2000)}`,
};
test.each(Object.entries(nested))('%s are refused if they are nested too deeply', (_, text) => {
  for (const bounds of [liveBounds, buildBounds, satteriBounds]) {
    expect(exceededLimit(text, bounds)).toMatch(/nested more than (?:60|500) levels deep/);
  }
});

/** Lines behind which text could be taken for code, or for rows of a table. */
const deceptive = list(
  '-··x¶¶·· <!--¶¶|a|b|¶|-|-|¶|-->¶ <pre>¶¶|a|b|¶|-|-|¶|</pre>¶ |a|b|¶|-|-|¶>·x¶ |a|b|¶|-|¶ |a|b|¶|:|:|¶ #·|a|b|¶|-|-|¶ ' +
    '-·a¶···~~~¶·b¶···~~~¶¶ ··~~~·a¶·~~~¶¶ ·~~~¶~~~~¶·~~~¶¶',
).concat(
  list(
    '<div>¶~~~¶¶ <http://a.b>¶```js¶a¶¶a¶```¶ $$¶¶```¶$$¶ :::a¶¶```¶:::¶ <script>¶¶```¶</script>¶ <!--¶¶```¶-->¶ ```¶x¶```¶ ····```¶ <div>¶>¶-·a¶```¶¶ <?¶¶```¶?>¶',
  ),
  ['|a \\| b|\n|-|-|\n', '```a`\n'],
);
test.each(deceptive)('an article is refused for the text behind %j', (start) => {
  for (const line of ['some words\n', '|"a *b* c\n']) {
    expect(exceededLimit(start + fill(line), buildBounds)).toMatch(/mostly for the text/);
  }
});

test('a text without code is divided into its lines, each of them once', () => {
  const rows = fc.constantFrom(
    'a',
    '- a',
    '1. b',
    '2. c',
    '# d',
    '> e',
    '>',
    '',
    '|a|b|',
    '|-|-|',
    '<div>',
    '   ',
  );
  fc.assert(
    fc.property(fc.array(rows), (article) => {
      const found = textsOf(article).flatMap(({ line, rows }) =>
        rows.map((row, at) => [line + at, row]),
      );
      const expected = article.flatMap((row, at) => (row.trim() ? [[at + 1, row]] : []));
      expect(found).toEqual(expected);
    }),
    runs(100),
  );
});

test('a live page accepts fewer elements of HTML than a build', async () => {
  const article = { id: '1', title: 'T', content: fill('<b>a</b>', 1_000_000) };
  const settings = { render: renderMarkdown, base: new URL('https://a.example/'), sanitize: true };
  const htmlSettings = { ...settings, format: 'html' as const };
  expect((await renderArticle(article, htmlSettings)).words).toBe(1);
  const live = renderArticle(article, { ...htmlSettings, bounds: liveBounds });
  await expect(live).rejects.toThrow('more than 100000 elements');
});

test('the text of a heading is not copied into the ids of all headings around it', async () => {
  const content = '<h1><div><h2><div>'.repeat(36) + fill('a', 100_000);
  const base = new URL('https://a.example/');
  const settings = { render: renderMarkdown, bounds: satteriBounds, base, sanitize: true };
  const { html } = await renderArticle({ id: '1', title: 'T', content }, settings);
  expect(html.join('').length).toBeLessThan(2 * content.length);
});
