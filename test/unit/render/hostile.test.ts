import { describe, expect, test } from 'vitest';
import { exceededLimit } from '../../../src/render/bounds.ts';
import { scanLines } from '../../../src/render/fences.ts';
import { prepareMarkdown } from '../../../src/render/markdown.ts';
import { htmlLimits, type Parent, parseHtml } from '../../../src/render/parse-html.ts';
import { policyFor } from '../../../src/render/policy.ts';
import { slugOf } from '../../../src/render/slug.ts';
import { walkHtml } from '../../../src/render/walk-html.ts';
import { finish } from './finish.ts';

// An article of up to 200 KB is rendered in bounded time, or refused with a reason.

const size = 200_000;
const fill = (part: string, length = size) => part.repeat(Math.floor(length / part.length));
const numbered = (part: (at: number) => string) => {
  let text = '';
  for (let at = 0; text.length < size; at++) text += part(at);
  return text;
};

const thousand = (part: (at: number) => string) =>
  Array.from({ length: 1000 }, (_, at) => part(at)).join('');

const inline = 'a b big code em font i nobr s small strike tt u'.split(' ');
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

describe('a tree is bounded while it is parsed', () => {
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

// The parser may move elements, so that a tree becomes deeper than it was while it was parsed.
test.each(['div', 'unknown'])('a tree of <%s> is bounded while it is walked', (tag) => {
  const walk = (depth: number) => {
    const tree = parseHtml(`<${tag}>`);
    const { childNodes } = tree;
    for (let at = 1; at < depth; at++) {
      const [outer] = parseHtml(`<${tag}>`).childNodes;
      if (outer) childNodes.push(Object.assign(outer, { childNodes: childNodes.splice(0) }));
    }
    walkHtml(tree, { policy: policyFor(true), base: { media: new URL('https://a.example') } });
  };
  expect(() => walk(htmlLimits.depth)).not.toThrow();
  expect(() => walk(htmlLimits.depth + 1)).toThrow('nested');
});

test('a refused article is reported with the reason', async () => {
  const bomb = numbered((at) => `<b id=${at}><p>`);
  await expect(finish(bomb)).rejects.toThrow(/nested|more/);
});

describe('Markdown is bounded before it is rendered', () => {
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

  const quotes = fill('> a\n\n', 60_000);
  const longest = `[a]: /${fill('b', 33_000)}\n\n`;
  const totals: Record<string, [text: string, reason: RegExp]> = {
    'thousands of quotes': [quotes, /12000 quotes and list items in 24001 lines/],
    'thousands of quotes in a list': [fill('- > a\n', 60_000), /quotes and list items/],
    'thousands of lists': [fill('x\n\n- a\n\n', 60_000), /quotes and list items/],
    'thousands of footnotes': [
      numbered((at) => `a[^${at}]\n\n[^${at}]: b\n\n`).slice(0, 90_000),
      /footnotes and references/,
    ],
    'one footnote with thousands of references': [
      `${fill('a[^1]\n\n', 40_000)}[^1]: b`,
      /footnotes/,
    ],
    'one definition with thousands of uses': [
      longest + fill('[a]\n\n', 22_500),
      /link definitions/,
    ],
    'a definition with another spelling': [
      longest + fill('[x][ A ]\n\n', 45_000),
      /link definitions/,
    ],
    'a definition with a title on the next line': [
      `[a]: /b\n"${fill('c', 33_000)}"\n\n${fill('[a]\n\n', 22_500)}`,
      /link definitions/,
    ],
    'a definition with others in its title': [
      `[a]: /b "\n[c]: ${fill('d', 33_000)}"\n\n${fill('[a]\n\n', 22_500)}`,
      /link definitions/,
    ],
    'a definition in a quote': [`> ${longest}${fill('![a]\n\n', 26_000)}`, /link definitions/],
    'thousands of blocks of code': [fill('```js\na\n```\n', 100_000), /5000 blocks of code/],
    'thousands of indented blocks of code': [
      fill('    a\n\ntext\n\n', 200_000),
      /5000 blocks of code/,
    ],
    'thousands of headings': [fill('# a\n\n', 200_000), /20000 headings/],
    'a table of few, wide rows': [
      `${fill('a|', 2000)}\n${fill('-|', 2000)}\n${fill('b\n', 2000)}`,
      /50000 cells/,
    ],
  };
  test.each(Object.entries(totals))('%s are refused with the reason', (_, [text, reason]) => {
    expect(exceededLimit(text)).toMatch(reason);
  });

  test('a text that is 20 times shorter passes', () => {
    for (const [name, [text]] of Object.entries(totals)) {
      const isWide = /definition|table/.test(name);
      const short = isWide
        ? text.replace(/(.)\1{50,}/g, '$1').slice(0, 3_000)
        : text.slice(0, text.length / 20);
      expect(exceededLimit(short), name).toBeUndefined();
    }
  });

  const ordinary: Record<string, string> = {
    '100 KB of prose': fill(
      'A sentence, with *emphasis* and [a link](/x), "quotes" -- and more.\n\n',
      100_000,
    ),
    '5,000 lines of code': Array(10)
      .fill(`\`\`\`js\n${'const a = [1, 2, 3];\n'.repeat(500)}\`\`\`\n`)
      .join('\n'),
    'a table of 5,000 cells with links': `|a|b|c|d|e|\n|-|-|-|-|-|\n${'| [a](/b) | c | d | *e* | f |\n'.repeat(1000)}`,
    'a thousand definitions, each used once': `${thousand((at) => `[#${at}]: https://host.example/issues/${at}\n`)}\n${thousand((at) => `See [#${at}].\n\n`)}`,
    'large images in definitions': numbered(
      (at) => `![][i${at}]\n\n[i${at}]: <data:image/png;base64,${'A'.repeat(20_000)}>\n\n`,
    ),
    'hundreds of footnotes': numbered((at) => `a[^${at}]\n\n[^${at}]: b\n\n`).slice(0, 20_000),
    'a list of 2,000 items': '- [a](/b): text\n'.repeat(2000),
    'a quote of 1,000 lines': '> text *in* a quote\n>\n'.repeat(1000),
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

test('a line behind many quote marks is read once', () => {
  expect(exceededLimit(`${'> '.repeat(40)}a`)).toBeUndefined();
});

describe('U+2028 ends no line of Markdown', () => {
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

describe('the check of an attribute value takes linear time', () => {
  test.each([
    ['a style of one word', `<p style="color:${fill('a')}">x</p>`, '<p style='],
    ['a style of brackets', `<p style="color:${fill('(')}">x</p>`, '<p style='],
    ['a style of quotes', `<p style="color:${fill("'")}">x</p>`, '<p'],
    ['a reference to a place', `<a href="${fill('#%')}">x</a>`, '<a href='],
    ['a reference of a drawing', `<svg><path fill="url(#${fill(' ')}("></path></svg>`, '<path>'],
  ])('%s', async (_, text, kept) => expect((await finish(text)).html).toContain(kept));
});

test('an article with hundreds of code languages is highlighted in only some of them', () => {
  const fences = Array.from({ length: 300 }, (_, at) => `\`\`\`lang${at % 150}\nx\n\`\`\`\n`);
  const prepared = prepareMarkdown(fences.join('\n'));
  expect(new Set(prepared.match(/lang\d+/g)).size).toBe(30);
  expect(prepared.match(/^```lang/gm)).toHaveLength(60);
  expect(prepared.match(/^```plaintext$/gm)).toHaveLength(240);
});

test('code behind many fences that are not closed becomes plain text if it is costly', () => {
  const open = `${'```js\n'.repeat(150)}\`\`\`\n\n`;
  const costly = `\`\`\`js\n${'/['.repeat(4000)}\n\`\`\`\n\n`;
  const lines = prepareMarkdown(open + costly + costly).split('\n');
  expect(lines.lastIndexOf('```js')).toBeLessThan(150);
  expect(lines.filter((line) => line === '```plaintext').length).toBeGreaterThan(2);
});

test('a title of thousands of combining marks is not normalised', async () => {
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
