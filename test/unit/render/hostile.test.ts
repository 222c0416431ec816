import { describe, expect, test } from 'vitest';
import { exceededLimit } from '../../../src/render/bounds.ts';
import { scanLines } from '../../../src/render/fences.ts';
import { htmlLimits, type Parent, parseHtml } from '../../../src/render/parse-html.ts';
import { finish } from './finish.ts';

// D8: an article of up to 200 KB is done, or refused by name, whatever is in it. Costs are counted in nodes
// of the tree and in lines, where they arise.

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

test('D8: an article that is refused says why', async () => {
  const bomb = numbered((at) => `<b id=${at}><p>`);
  await expect(finish(bomb)).rejects.toThrow(/nested|more/);
});

describe('D8: Markdown is bounded before it is rendered', () => {
  const markdown: Record<string, string> = {
    'nested quotes': fill('>'),
    'nested brackets': fill('['),
    'nested emphasis': `${fill('*', size / 2)}x${fill('*', size / 2)}`,
  };
  test.each(Object.entries(markdown))('%s', (_, text) => {
    expect(exceededLimit(scanLines(text))).toEqual(expect.any(String));
  });

  test('ordinary articles pass', () => {
    expect(
      exceededLimit(scanLines(fill('A sentence, with *emphasis* and [a link](/x).\n\n'))),
    ).toBeUndefined();
  });
});

function count(parent: Parent): number {
  return parent.childNodes.reduce(
    (total, node) => total + 1 + ('childNodes' in node ? count(node) : 0),
    0,
  );
}
