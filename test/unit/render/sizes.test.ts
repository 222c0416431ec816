import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../../src/live/live-markdown.ts';
import { renderArticle } from '../../../src/render/render-article.ts';
import { buildSizes, liveSizes, sizeProblem } from '../../../src/render/sizes.ts';
import { runs } from '../../helpers/runs.ts';

const fill = (part: string, length: number) => part.repeat(Math.floor(length / part.length));
const numbered = (part: (at: number) => string, number = 1000) =>
  Array.from({ length: number }, (_, at) => part(at)).join('');

describe('an ordinary long article is rendered', () => {
  const sentences =
    'A sentence of a longer text, which has commas, and here and there *emphasis* or "quotes". It continues for a ' +
    'while, as articles do. Then there is a [link](https://host.example/page) to another page, and the last one.\n\n';
  const link = '[a name](https://host.example/page)';
  const statement = 'const a = ["x", { y: z(1, 2) }]; // *\n';
  const base64 = 'A3b/cD9e+F0g1H2i3J4k5L6m7N8o9P0q';
  const ordinary: Record<string, string> = {
    '290 KB of prose': fill(sentences, 290_000),
    'a table of 400 rows': `Prices:\n\n| a | b | c |\n|:-|-|-:|\n${`| ${link} | **c** | \`d\` |\n`.repeat(400)}`,
    'a price list of 1,000 rows and 7 columns': `${'|1.20'.repeat(7)}|\n`.repeat(800),
    '3,000 lines of code': `Text:\n\`\`\`js\n${statement.repeat(3000)}\`\`\`\n\nMore.`,
    'indented code': `   ~~~js\n${statement.repeat(3000)}   ~~~\n`,
    'code in tildes': `<!-- more -->\n\n~~~js\n${statement.repeat(3000)}~~~\n`,
    'a list of 600 items': `- ${link}: text\n`.repeat(600),
    'a numbered list of 600 items': numbered((at) => `${at + 1}. A [name](/x), "*a*"\n`, 600),
    '500 footnotes': numbered((at) => `A note.[^${at}]\n\n[^${at}]: The *text* of it.\n\n`, 500),
    'a screenshot of 640 KB': `Text\n\n![a](data:image/png;base64,${fill(base64, 640_000)})\n`,
    'drawings with a long type': `![a](data:image/svg+xml;base64,${fill(base64, 320_000)}==) ![a](data:application/vnd.x-y;base64,${fill(base64, 320_000)})`,
    'quotations in 40 paragraphs of 5 KB':
      `${fill('A "quoted" word, and it\'s fine. ', 5_000)}\n\n`.repeat(40),
    'a quote with long levels': fill('   >   > \n', 40_000),
    'ten pictures in definitions': numbered(
      (at) => `![][i${at}]\n\n[i${at}]: <data:image/png;base64,${fill(base64, 60_000)}>\n\n`,
      10,
    ),
    'an HTML table of 100 rows': `<table>\n${'<tr><td class="a">"x"</td><td>y</td></tr>\n'.repeat(100)}</table>`,
  };
  test.each(Object.entries(ordinary))('%s', (_, text) => {
    expect(sizeProblem(text, liveSizes)).toBeUndefined();
    expect(sizeProblem(text, buildSizes)).toBeUndefined();
  });
});

const words = `[${fill('some words ', 119_999)}`;

test('names a block that is too long by its line and its start, with the limit and what to do', () => {
  expect(sizeProblem(`# A heading\n\nShort.\n\n${words}\n\nMore.`, liveSizes)).toBe(
    'the block on line 5, which begins with "[some words some words some words some w", has 120,001 characters, and the ' +
      'limit is 32,000; divide it with blank lines, or divide the article',
  );
});

const lines = (row: string, length = 48_000) => fill(row, length);
const refused: [things: string, text: string, live: RegExp, build: RegExp | undefined][] = [
  [
    'characters',
    fill(`${fill('some words ', 200)}\n\n`, 400_000),
    /400,000 characters.*300,000/,
    undefined,
  ],
  ['many characters', fill('some words of it\n\n', 2_100_000), /characters/, /limit is 2,097,152/],
  ['lines', fill('a\n\n', 24_000), /16,001 lines.*5,000/, undefined],
  ['many lines', fill('a\n\n', 60_000), /lines.*5,000/, /40,001 lines.*30,000/],
  ['a block of 60 KB', fill('some words ', 60_000), /32,000/, undefined],
  ['a block in a quote', fill('> some words of a quote\n', 110_000), /32,000/, undefined],
  ['apostrophes', `${fill("'a", 30_000)}\n\n`.repeat(3), /too many quotation marks/, /quotation/],
  [
    'quotation marks',
    `${fill('"a', 30_000)}\n\n`.repeat(3),
    /too many quotation marks/,
    /block on line/,
  ],
  [
    'HTML in a line',
    `<p>${fill('some words ', 110_000)}`,
    /if the articles are HTML, set `format: 'html'`$/,
    undefined,
  ],
  [
    'a wide table of short rows',
    `${fill('a|', 2000)}\n${fill('-|', 2000)}\n${fill('b\n', 2000)}`,
    /1,002,000 cells.*100,000/,
    /250,000/,
  ],
  ['text behind a fence in HTML', `<div>\n\`\`\`\n\n${lines('some words ')}`, /line 4/, undefined],
  ['text behind a closed fence', `\`\`\`\na\n\`\`\`\n${lines('some words ')}`, /line 4/, undefined],
  [
    'text behind a fence that is closed with blanks',
    `\`\`\`\na\n  \`\`\` \n${lines('some words ')}`,
    /line 4/,
    undefined,
  ],
  ['an indented fence', `    ~~~\n${lines('some words ')}`, /line 1/, undefined],
  ['a fence behind text', `a ~~~\n${lines('some words ')}`, /line 1/, undefined],
  ['a line that is not a fence', `\`\`\` a\`b\n${lines('some words ')}`, /line 1/, undefined],
];
test.each(refused)('an article is refused for %s', (_, text, live, build) => {
  expect(sizeProblem(text, liveSizes) ?? 'accepted on a live page').toMatch(live);
  if (build) expect(sizeProblem(text, buildSizes) ?? 'accepted in a build').toMatch(build);
  else expect(sizeProblem(text, buildSizes)).toBeUndefined();
});

const table = `| a | b | c | d |\n|---|---|---|---|\n${'| "a" | [b](https://host.example/page) | `c` | d |\n'.repeat(10_000)}`;
const signs = /have too many quotation marks or other signs/;
const extremes: [
  name: string,
  text: string,
  live: RegExp | undefined,
  build: RegExp | undefined,
][] = [
  ['emphasis in one block', 'a*'.repeat(15_950), signs, undefined],
  ['brackets in one block', ']'.repeat(31_900), signs, undefined],
  ['nested numbered lists', '1. '.repeat(10_000), signs, undefined],
  ['rows without a table', `a|b\n-|-\n${`${'a*'.repeat(200)}\n`.repeat(75)}`, signs, undefined],
  ['dashes in one block', 'a--b '.repeat(40_000), /32,000|300,000/, signs],
  ['dashes in a short block', 'a--b '.repeat(6_300), signs, undefined],
  ['entities in two blocks', `${'&amp;'.repeat(20_000)}\n\n`.repeat(2), /32,000/, signs],
  ['a table of 10,000 rows', table, /characters/, undefined],
  [
    'a README with 900 links',
    `${`A link to [a page](https://host.example/page), ${'words '.repeat(3)}. `.repeat(5)}\n\n`.repeat(
      180,
    ),
    undefined,
    undefined,
  ],
  [
    'a paragraph of 98 KB with 1,500 apostrophes',
    `It's a text of some words, which are as long as those of others are. `.repeat(1_420),
    /32,000/,
    undefined,
  ],
];
test.each(extremes)('%s: what a live page and a build accept', (_, text, live, build) => {
  for (const [problem, reason] of [
    [sizeProblem(text, liveSizes), live],
    [sizeProblem(text, buildSizes), build],
  ] as const) {
    if (reason) expect(problem ?? 'accepted').toMatch(reason);
    else expect(problem).toBeUndefined();
  }
});

test('marks behind the start of a picture in base64 are measured', () => {
  const text = `![a](data:image/png;base64,${'/_'.repeat(20_000)})`;
  expect(sizeProblem(text, liveSizes)).toBeDefined();
});

test('documentation with long lists is far below the limits', () => {
  const texts = ['fast-check/README.md', 'prismjs/CHANGELOG.md'].map((path) =>
    readFileSync(`node_modules/${path}`, 'utf8'),
  );
  for (const text of texts)
    expect(sizeProblem(text, { ...buildSizes, product: buildSizes.product / 5 })).toBeUndefined();
});

test('a block of many links, brackets and emphasis next to each other is rendered', () => {
  for (const part of ['[a](b) [c][d] *e* **f** _g_ ~~h~~ ', '![a](b)[1] ', '_a *b* c_ [d [e]]'])
    expect(sizeProblem(fill(part, 15_000), liveSizes)).toBeUndefined();
  expect(sizeProblem('_a *b '.repeat(200), liveSizes)).toBeUndefined();
});

test('a block is as long as its lines, wherever it is', () => {
  const row = fc.constantFrom('a', '- bc', '# d', '> e', '|f|', '1. g', '    h', 'i'.repeat(40));
  const gap = fc.constantFrom('', '  ', '\t', '>', '> >', ' > ', '>'.repeat(20));
  let refusals = 0;
  const property = fc.property(
    fc.array(fc.tuple(fc.array(row, { minLength: 1, maxLength: 8 }), gap), { maxLength: 8 }),
    (blocks) => {
      const text = blocks.map(([rows, between]) => [...rows, between].join('\n')).join('\n');
      const longest = Math.max(
        0,
        ...blocks.map(([rows]) => rows.reduce((sum, { length }) => sum + length + 1, 0)),
      );
      expect(sizeProblem(text, { ...buildSizes, block: longest })).toBeUndefined();
      if (longest === 0) return;
      refusals += 1;
      const problem = sizeProblem(text, { ...buildSizes, block: longest - 1 });
      expect(problem ?? 'accepted').toMatch(/^the block on/);
    },
  );
  fc.assert(property, { ...runs(200), seed: 1 });
  expect(refusals).toBeGreaterThan(runs(100).numRuns);
});

const base = new URL('https://a.example/');

test('a live page accepts fewer elements of HTML than a build', async () => {
  const article = { id: '1', title: 'T', content: fill('<b>a</b>', 1_000_000) };
  const settings = { render: renderMarkdown, base, sanitize: true, format: 'html' as const };
  expect((await renderArticle(article, settings)).words).toBe(1);
  const live = renderArticle(article, { ...settings, sizes: liveSizes });
  await expect(live).rejects.toThrow('more than 100000 elements');
});

test('the text of a heading is not copied into the ids of all headings around it', async () => {
  const content = '<h1><div><h2><div>'.repeat(36) + fill('a', 90_000);
  const settings = { render: renderMarkdown, base, sanitize: true };
  const { html } = await renderArticle({ id: '1', title: 'T', content }, settings);
  expect(html.join('').length).toBeLessThan(2 * content.length);
});
