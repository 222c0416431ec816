import { describe, expect, test } from 'vitest';
import { exceededLimit } from '../../../src/render/bounds.ts';
import { scanLines } from '../../../src/render/fences.ts';
import { prepareMarkdown } from '../../../src/render/markdown.ts';
import { htmlLimits, type Parent, parseHtml } from '../../../src/render/parse-html.ts';
import { slugOf } from '../../../src/render/slug.ts';
import { finish } from './finish.ts';

// D8: any article of up to 200 KB is rendered in bounded time, or refused with a reason. The bounds count nodes
// of the tree and lines.

const size = 200_000;
const fill = (part: string, length = size) => part.repeat(Math.floor(length / part.length));
const numbered = (part: (at: number) => string) => {
  let text = '';
  for (let at = 0; text.length < size; at++) text += part(at);
  return text;
};

const inline = [
  'a',
  'b',
  'big',
  'code',
  'em',
  'font',
  'i',
  'nobr',
  's',
  'small',
  'strike',
  'tt',
  'u',
];
const html: Record<string, string> = {
  'the adoption agency': `<div>${numbered((at) => `<b id=${at}>`).slice(0, 9_000)}</div>${fill('<div>x</div>', 9_000)}`,
  tables: fill('<table><tr><td>'),
  'text in tables': `<table>${fill('x<b>')}`,
  lists: fill('<ul><li>x'),
  definitions: fill('<dl><dt>x<dd>y'),
  comments: fill('<!--x-->'),
  svg: fill('<svg><g>'),
  math: fill('<math><mi>'),
  attributes: `<p ${numbered((at) => `a${at} `)}>`,
  ...Object.fromEntries(
    inline.map((tag) => [`nested <${tag}>`, numbered((at) => `<${tag} id=${at}>`)]),
  ),
  ...Object.fromEntries(
    inline.map((tag) => [`misnested <${tag}>`, numbered((at) => `<${tag} id=${at}><p>x</${tag}>`)]),
  ),
};

describe('D8: a tree is bounded while it is parsed', () => {
  test.each(Object.entries(html))('%s', (_, text) => {
    let nodes = 0;
    try {
      nodes = count(parseHtml(text));
    } catch (error) {
      expect(String(error)).toMatch(/nested|parts|elements/);
      return;
    }
    expect(nodes).toBeLessThanOrEqual(htmlLimits.parts);
  });
});

test('D8: a refused article is reported with the reason', async () => {
  const bomb = numbered((at) => `<b id=${at}><p>`);
  await expect(finish(bomb)).rejects.toThrow(/nested|more/);
});

describe('D8: Markdown is bounded before it is rendered', () => {
  const stars = `${'*a b* c '.repeat(20)}\n`;
  const marks = `${'|"a *b* c '.repeat(20)}\n`;
  const markdown: Record<string, string> = {
    'nested quotes': fill('>'),
    'nested brackets': fill('['),
    'nested emphasis': `${fill('*', size / 2)}x${fill('*', size / 2)}`,
    'a paragraph with quote marks that continue it': fill(`${marks}     >\n`),
    'a paragraph behind HTML in a list': `-  x\n\n   <p>\n${fill(marks)}`,
    'a paragraph behind HTML in a comment': `<!--\n\n<p>\n-->\n${fill(stars)}`,
    'a paragraph behind HTML in code': `\`\`\`\n\n<p>\n\`\`\`\n${fill(stars)}`,
    'a paragraph that begins like HTML': `<p/x\n${fill(marks)}`,
    'rows behind a quote': `a | b\n-|-\n> x |\n${fill(marks)}`,
    'rows that leave the list': `- x\n\n  |a|b|\n  |-|-|\n${fill(marks)}`,
    'rows below a heading': `# a | b\n-|-\n${fill(marks)}`,
    'rows below an underlined heading': `a\n--\n${fill(marks)}`,
    'a paragraph like a link definition': `[a]: (b\n${fill(marks)}`,
    'rows below an escaped pipe': `a \\| b\n-|-\n${fill(marks)}`,
    'rows below delimiters without dashes': `a | b\n:|:\n${fill(marks)}`,
    'an item behind which the delimiter changes': `1. a\n${fill('2) *b* [x "y"\n')}`,
    'a paragraph behind a closed fence': `\`\`\`\nx\n  \`\`\`\n${fill(stars)}`,
    'a paragraph behind a fence in a list': `- x\n  \`\`\`\n${fill(stars)}`,
    'a paragraph behind an indented fence': `    \`\`\`\n${fill(stars)}`,
    'a paragraph behind a fence in HTML': `<div>\n\`\`\`\n\n${fill(stars)}`,
    'a paragraph behind a fence in a comment': `<!--\n\n\`\`\`\n-->\n${fill(stars)}`,
  };
  test.each(Object.entries(markdown))('%s', (_, text) => {
    expect(exceededLimit(text)).toEqual(expect.any(String));
  });

  const ordinary: Record<string, string> = {
    'link definitions': numbered((at) => `[1.${at}]: https://host.test/v1...v${at}_\n`).slice(
      0,
      30_000,
    ),
    'a numbered list': numbered((at) => `${at + 1}. A [name](/x), "*a*"\n`).slice(0, 60_000),
    code: `Text:\n\`\`\`json\n${fill('  "name": ["*"],\n', 14_000)}\`\`\`\n`,
    paragraphs: fill('A sentence, with *emphasis* and [a link](/x).\n\n'),
    'a long table behind a text': `Prices:\n\n| a | b |\n| - | - |\n${fill('| "x" | *y* |\n', 18_000)}`,
    'an HTML table behind a text': `Prices:\n\n<table>\n${fill('<tr><td>"x"</td></tr>\n', 60_000)}</table>`,
  };
  test.each(Object.entries(ordinary))('%s pass', (_, text) => {
    expect(exceededLimit(text)).toBeUndefined();
  });
});

test('D8: a line behind many quote marks is read once', () => {
  expect(exceededLimit(`${'> '.repeat(40)}a`)).toBeUndefined();
});

describe('D8: U+2028 ends no line of Markdown', () => {
  const separator = '\u2028';

  test.each(['```', '~~~'])('a fence of %s is seen where one is on its line', (mark) => {
    const { fences, isCode } = scanLines(`${mark}js ${separator}\nlet x;\n${mark}\n\ny`);
    expect(fences).toHaveLength(1);
    expect(isCode).toEqual([true, true, true, false, false]);
  });

  test('code behind it that would take minutes to highlight becomes plain text', () => {
    const code = `\`\`\`js ${separator}\n${'/['.repeat(2_000)}\n\`\`\`\n`;
    expect(prepareMarkdown(code)).toMatch(/^```plaintext\n/);
  });

  test('a long run of marks before it is read once', () => {
    expect(scanLines(fill('`') + separator).isCode).toEqual([true]);
  });
});

describe('D8: the check of an attribute value takes linear time', () => {
  test.each([
    ['a length of a formula', `<math><mspace width="${fill('1')}px"></mspace></math>`, '<mspace>'],
    ['a reference of a drawing', `<svg><path fill="url(#${fill(' ')}("></path></svg>`, '<path>'],
  ])('%s', async (_, text, kept) => expect((await finish(text)).html).toContain(kept));
});

test('D8: an article with hundreds of code languages is highlighted in only some of them', () => {
  const fences = Array.from({ length: 300 }, (_, at) => `\`\`\`lang${at % 150}\nx\n\`\`\`\n`);
  const prepared = prepareMarkdown(fences.join('\n'));
  expect(new Set(prepared.match(/lang\d+/g)).size).toBe(30);
  expect(prepared.match(/^```lang/gm)).toHaveLength(60);
  expect(prepared.match(/^```plaintext$/gm)).toHaveLength(240);
});

test('D8: code behind many fences that are not closed becomes plain text if it is costly', () => {
  const open = `${'```js\n'.repeat(150)}\`\`\`\n\n`;
  const costly = `\`\`\`js\n${'/['.repeat(4000)}\n\`\`\`\n\n`;
  const lines = prepareMarkdown(open + costly + costly).split('\n');
  expect(lines.lastIndexOf('```js')).toBeLessThan(150);
  expect(lines.filter((line) => line === '```plaintext').length).toBeGreaterThan(2);
});

test('D8: a title of thousands of combining marks is not normalised', async () => {
  const title = `a${fill('\u0301\u0316')}`;
  expect(await slugOf({ id: '1', title })).toBe('a-1');
  const { html } = await finish(`<h1>${title}</h1>`, { title });
  expect(html.length).toBe(title.length + '<h1></h1>'.length);
});

function count(parent: Parent): number {
  return parent.childNodes.reduce(
    (total, node) => total + 1 + ('childNodes' in node ? count(node) : 0),
    0,
  );
}
