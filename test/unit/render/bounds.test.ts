import { unified } from '@astrojs/markdown-remark';
import { satteri } from '@astrojs/markdown-satteri';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../../src/live/live-markdown.ts';
import { buildLimit, exceededLimit, liveLimit } from '../../../src/render/bounds.ts';
import { renderWith } from '../../../src/render/markdown-settings.ts';
import { renderArticle } from '../../../src/render/render-article.ts';
import { documentOf, list, recipes } from '../../helpers/costly-documents.ts';
import { runs } from '../../helpers/runs.ts';

const stars = `${'*a b* c '.repeat(20)}\n`;
const marks = `${'|"a *b* c '.repeat(20)}\n`;
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
    'an HTML table of 500 rows': `<table>\n${'<tr><td class="a">"x"</td><td>y</td></tr>\n'.repeat(500)}</table>`,
    '3,000 lines of code': `Text:\n\`\`\`js\n${statement.repeat(3000)}\`\`\`\n\nMore.`,
    'code behind a comment': `<!-- more -->\n\n~~~js\n${statement.repeat(3000)}~~~\n`,
    'a list of 1,000 items': `- ${link}: text\n`.repeat(1000),
    'a list with 1,000 items in lists': '- a\n    - *b* c\n    - d\n        - e\n'.repeat(250),
    'a numbered list of 1,000 items': numbered((at) => `${at + 1}. A [name](/x), "*a*"\n`),
    '500 footnotes': numbered((at) => `A note.[^${at}]\n\n[^${at}]: The *text* of it.\n\n`, 500),
    '500 footnotes at the end':
      numbered((at) => `A note.[^${at}]\n\n`, 500) + numbered((at) => `[^${at}]: *Text*.\n`, 500),
    'a quote of 1,000 lines': '> text *in* a quote\n>\n'.repeat(500),
    '200 definitions': `${numbered((at) => `[#${at}]: https://host.example/${at}\n`, 200)}\n${numbered((at) => `See [#${at}].\n\n`)}`,
    '10 images in definitions': numbered(
      (at) => `![][i${at}]\n\n[i${at}]: <data:image/png;base64,${'A'.repeat(20_000)}>\n\n`,
      10,
    ),
  };
  test.each(Object.entries(ordinary))('%s', (_, text) => {
    expect(exceededLimit(text, { limit: liveLimit })).toBeUndefined();
  });
});

/** The inputs of cmark's own tests. */
const repeated = list(
  String.raw`*a_· _a· a_· a**b·c*· [a a] [·a_ [·(]( ![[]() [a](<b [a](b </<!-- **a·*b [ <a@b.c "a· ' \* ~a <b·c=" www.a ![ &amp;`,
).concat('`a ``b ');
const refused: Record<string, [text: string, reason: RegExp]> = {
  ...Object.fromEntries(
    repeated.map((part) => [
      `${part} again and again`,
      [fill(part), /paragraph, table or block|nested/],
    ]),
  ),
  'nested emphasis': [`${fill('*a **a ')}b${fill(' a** a*')}`, /nested|paragraph/],
  'deeply nested emphasis': [
    `${'*a **a '.repeat(1100)}b${' a** a*'.repeat(1100)}`,
    /nested|paragraph/,
  ],
  'long runs of emphasis': [`${'*'.repeat(2000)}a${'*'.repeat(2000)}`, /nested|paragraph/],
  'short words joined by slashes': [fill('ab/'), /paragraph/],
  'letters between ellipses': [fill('a…'), /paragraph/],
  'words joined by hyphens beyond ASCII': [fill('a！é\u2011'), /paragraph/],
  'a long run of emphasis in quotes': [`"${'*'.repeat(1_000_000)}"`, /paragraph/],
  'deeply nested tables': ['<table><tr><td>\n> '.repeat(1000), /nested/],
  'deeply nested elements': ['<span>'.repeat(2000), /nested|paragraph/],
  'nested quotes': [fill('>'), /quotes, lists/],
  'nested lists': [numbered((at) => `${'  '.repeat(at)}* a\n`), /quotes, lists/],
  'blank lines in nested lists': [`${'- '.repeat(3000)}x${'\n'.repeat(3000)}`, /quotes, lists/],
  'a paragraph in a deep list': [
    `${'- '.repeat(100)}a\n${'    a\n'.repeat(20_000)}`,
    /quotes, lists/,
  ],
  quotes: [fill('> a\n\n', 60_000), /quotes, lists/],
  'quotes in lists': [fill('- > a\n', 60_000), /quotes, lists/],
  'quotes behind carriage returns': [fill('> a\r\r', 60_000), /quotes, lists/],
  lists: [fill('x\n\n- a\n\n'), /quotes, lists/],
  'underlined headings': [fill('a\n=\n'), /quotes, lists/],
  footnotes: [numbered((at) => `a[^${at}]\n\n[^${at}]: b\n\n`, 10_000), /quotes, lists/],
  paragraphs: [fill('a\n\n', 400_000), /too many lines/],
  headings: [fill('# a\n\n'), /too many lines/],
  'a table of few, wide rows': [
    `${fill('a|', 2000)}\n${fill('-|', 2000)}\n${fill('b\n', 2000)}`,
    /cells/,
  ],
  'a definition with many uses': [
    `[a]: /${fill('b', 33_000)}\n\n${fill('[x][ A ]\n\n')}`,
    /definitions/,
  ],
  'a definition with others in its title': [
    `[a]: /b "\n[c]: ${fill('d', 33_000)}"\n\n${fill('[a]\n\n')}`,
    /definitions/,
  ],
  'a quote mark that continues a paragraph': [fill(`${marks}     >\n`), /paragraph/],
  'an item behind which the delimiter changes': [`1. a\n${fill('2) *b* [x "y"\n')}`, /paragraph/],
};

/** Lines behind which text could be taken for code, HTML, or the rows of a table. */
const deceptive = list(
  '-··x¶¶···<p>¶ <!--¶¶<p>¶-->¶ <p/x¶ |a|b|¶|-|-|¶>·x·|¶ -·x¶¶··|a|b|¶··|-|-|¶ #·|a|b|¶|-|-|¶ |a|b|¶|-|¶ |a|b|¶|:|:|¶ ' +
    '-·a¶···~~~¶·b¶···~~~¶¶<p>¶···~~~¶ ··~~~·a¶·~~~¶¶<p>¶··~~~¶ <div>¶\u00a0¶~~~¶¶',
).concat(
  list(
    '··```¶¶<p>¶··```¶ ```¶x¶··```¶ -·x¶··```¶ ····```¶ <div>¶>¶-·a¶```¶¶ <form>¶```¶¶ -·<!--¶¶```¶-->¶ <script>¶¶```¶</script>¶',
  ),
  ['|a \\| b|\n|-|-|\n', '  ``` a`b\n  ```\n<p>\n  ```\n', '```a`\n'],
);
test.each(deceptive)('an article is refused for its paragraphs behind %j', (start) => {
  for (const line of [stars, marks]) {
    expect(exceededLimit(start + fill(line), { limit: buildLimit })).toMatch(/paragraph/);
  }
});

test.each(Object.entries(refused))(
  'an article is refused with the reason: %s',
  (_, [text, reason]) => {
    expect(exceededLimit(text, { limit: buildLimit })).toMatch(reason);
    expect(exceededLimit(fill(text, 2 * text.length), { limit: buildLimit })).toMatch(reason);
  },
);

test('Sätteri accepts more than other processors', () => {
  const list = fill('- *a* [b](c)\n', 60_000);
  expect(exceededLimit(list, { processor: 'satteri', limit: buildLimit })).toBeUndefined();
  expect(exceededLimit(list, { processor: 'unified', limit: buildLimit })).toBeDefined();
});

test('a live page accepts fewer elements of HTML than a build', async () => {
  const article = { id: '1', title: 'T', content: fill('<b>a</b>', 1_000_000) };
  const settings = { render: renderMarkdown, base: new URL('https://a.example/'), sanitize: true };
  const htmlSettings = { ...settings, format: 'html' as const };
  expect((await renderArticle(article, htmlSettings)).words).toBe(1);
  const live = renderArticle(article, { ...htmlSettings, bounds: { limit: liveLimit } });
  await expect(live).rejects.toThrow('more than 100000 elements');
});

test('the text of a heading is not copied into the ids of all headings around it', async () => {
  const content = '<h1><div><h2><div>'.repeat(36) + fill('a', 100_000);
  const settings = { render: renderMarkdown, base: new URL('https://a.example/'), sanitize: true };
  const { html } = await renderArticle({ id: '1', title: 'T', content }, settings);
  expect(html.join('').length).toBeLessThan(2 * content.length);
});

// `TEST_SCALE` makes longer runs, with larger documents.
describe('an article that is accepted is rendered in time', () => {
  const { numRuns } = runs(15);
  const maxSize = numRuns > 15 ? 2_000_000 : 40_000;

  // The last number is the seconds of CPU that no article may exceed.
  test.each([
    [
      'Sätteri',
      renderWith({ processor: satteri() }),
      { processor: 'satteri', limit: buildLimit },
      3,
    ],
    ['unified', renderWith({ processor: unified() }), { limit: buildLimit }, 3],
    ['micromark', renderMarkdown, { limit: liveLimit }, 1],
  ] as const)(
    'with %s',
    async (_, render, bounds, seconds) => {
      const settings = { render, bounds, base: new URL('https://a.example/'), sanitize: true };
      await renderArticle({ id: '1', title: 'T', content: '# a\n\nb' }, settings);
      let accepted = 0;
      await fc.assert(
        fc.asyncProperty(recipes(maxSize), async (recipe) => {
          const content = documentOf(recipe);
          const before = process.cpuUsage();
          await renderArticle({ id: '1', title: 'T', content }, settings).catch(() => undefined);
          const { user, system } = process.cpuUsage(before);
          // The clock of a busy machine is a bound for a hang only.
          expect((user + system) / 1_000_000).toBeLessThan(4 * seconds);
          if (!exceededLimit(content, bounds)) accepted += 1;
        }),
        { numRuns },
      );
      expect(accepted).toBeGreaterThan(0);
    },
    600_000,
  );
});
