import { parseFragment } from 'parse5';
import { describe, expect, it, test } from 'vitest';
import {
  elementsOf,
  htmlLimits,
  outerHtml,
  type Parent,
  parseHtml,
  setAttribute,
  toHtml,
} from '../../../src/html/parse-html.ts';
import { finish } from '../../helpers/finish.ts';

const size = 200_000;
const fill = (part: string, length = size) => part.repeat(Math.floor(length / part.length));

const numbered = (part: (at: number) => string) => {
  let text = '';
  for (let at = 0; text.length < size; at++) text += part(at);
  return text;
};

const inline = 'a b big code em font i nobr s small strike tt u'.split(' ');

const html: Record<string, string> = {
  'the adoption agency': `<div>${numbered((at) => `<b id=${at}>`).slice(0, 9_000)}</div>${fill('<div>x</div>', 9_000)}`,
  tables: fill('<table><tr><td>'),
  'text in tables': `<table>${fill('x<b>')}`,
  lists: fill('<ul><li>x'),
  comments: fill('<!--x-->'),
  svg: fill('<svg><g>'),
  attributes: `<p ${numbered((at) => `a${at} `)}>`,
  ...Object.fromEntries(
    inline.flatMap((tag) => [
      [`nested <${tag}>`, numbered((at) => `<${tag} id=${at}>`)],
      [`misnested <${tag}>`, numbered((at) => `<${tag} id=${at}><p>x</${tag}>`)],
    ]),
  ),
};

test.each(Object.entries(html))('a tree of %s is bounded while it is parsed', (_, text) => {
  let elements = 0;
  try {
    elements = elementsOf(parseHtml(text)).length;
  } catch (error) {
    expect(String(error)).toMatch(/nested|parts|elements/);
  }
  expect(elements).toBeLessThanOrEqual(htmlLimits.parts);
});

describe('a block of preformatted text', () => {
  it.each(['\n\n\n\n\n\nverse', '\nverse', 'verse\n', '\n'])(
    'keeps its empty lines: %j',
    async (text) => {
      const { html } = await finish(`<pre>${text}</pre>`);
      const { childNodes } = parseFragment(html).childNodes[0] as unknown as Parent;
      expect(childNodes.map((node) => 'value' in node && node.value).join('')).toBe(
        text.replace(/^\n/, ''),
      );
      expect((await finish(html)).html).toBe(html);
    },
  );

  it.each(['pre', 'textarea', 'listing'])('is written as it is read: <%s>', (tag) => {
    const html = `<${tag}>\n\nverse</${tag}>`;
    expect(toHtml(parseHtml(html))).toBe(html);
  });
});

describe('the limits of HTML', () => {
  it.each(['div', 'i', 'x-y'])('are 150 levels of <%s>', (tag) => {
    const nested = (depth: number) => `<${tag}>`.repeat(depth);
    expect(() => parseHtml(nested(htmlLimits.depth - 1))).not.toThrow();
    expect(() => parseHtml(nested(htmlLimits.depth + 1))).toThrow('nested more than 150 levels');
  });

  it('count comments', () => {
    expect(() => parseHtml('<!--x-->'.repeat(8), 10)).not.toThrow();
    expect(() => parseHtml('<!--x-->'.repeat(9), 10)).toThrow('more than 10 elements');
  });

  it('count the attributes of elements that the parser clones, and the length of their values', () => {
    const cloned = (length: number) =>
      `<p><b title="${'x'.repeat(length)}">${'</p><p>x'.repeat(1_000)}`;
    expect(elementsOf(parseHtml(cloned(100)))).toHaveLength(2_002);
    expect(() => parseHtml(cloned(128_000))).toThrow('more than 250000 elements');
  });
});

it('writes a carriage return so that it is read as one', () => {
  const html = '<p title="a&#13;b">c&#13;d</p>';
  const tree = parseHtml(html);
  expect(toHtml(tree)).toBe(html);
  expect(tree.childNodes.map(outerHtml)).toEqual([html]);
});

it('changes the attributes of one element, and not of those that the parser has cloned', () => {
  const tree = parseHtml('<p><b class="a">x<p>y');
  const [first] = elementsOf(tree).filter(({ tagName }) => tagName === 'b');
  if (first) setAttribute(first, 'class', 'b');
  expect(toHtml(tree)).toBe('<p><b class="b">x</b></p><p><b class="a">y</b></p>');
});
