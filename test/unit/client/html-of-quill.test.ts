import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { htmlOfQuill } from '../../../src/client/html-of-quill.ts';
import { elementsOf, parseHtml, textOf } from '../../../src/html/parse-html.ts';
import { misreading } from '../../helpers/nested-html.ts';
import { runs } from '../../helpers/runs.ts';

const item = (kind: string, level: number, text: string) =>
  `<li data-list="${kind}"${level ? ` class="ql-indent-${level}"` : ''}>${text}</li>`;
const withoutLevels = (html: string) => html.replaceAll(/ class="ql-indent-\d"/g, '');

describe('a list of Quill', () => {
  // Each item is its kind and its level.
  it.each([
    ['bullet 0, bullet 0', '<ul><li>a</li><li>b</li></ul>'],
    ['ordered 0, ordered 0', '<ol><li>a</li><li>b</li></ol>'],
    ['ordered 0, bullet 0', '<ol><li>a</li></ol><ul><li>b</li></ul>'],
    [
      'ordered 0, bullet 1, bullet 1, ordered 0',
      '<ol><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ol>',
    ],
    ['bullet 0, ordered 1, bullet 1', '<ul><li>a<ol><li>b</li></ol><ul><li>c</li></ul></li></ul>'],
    ['ordered 0, ordered 8', '<ol><li>a<ol><li>b</li></ol></li></ol>'],
    [
      'bullet 2, bullet 0, bullet 3, bullet 1',
      '<ul><li>a</li></ul><ul><li>b<ul><li>c</li></ul><ul><li>d</li></ul></li></ul>',
    ],
  ])('with the items %s becomes %s', (items, expected) => {
    const html = items.split(', ').map((each, at) => {
      const [kind = '', level] = each.split(' ');
      return item(kind, Number(level), 'abcd'.charAt(at));
    });
    expect(withoutLevels(htmlOfQuill(`<ol>${html.join('')}</ol>`))).toBe(expected);
  });

  it('of tasks says which are done', () => {
    const html = `${item('checked', 0, 'a')}${item('unchecked', 0, 'b')}`;
    expect(htmlOfQuill(`<ol>${html}</ol>`)).toBe(`<ul>${html}</ul>`);
  });

  it('keeps all items in their order, and is what a browser reads', () => {
    let nested = 0;
    const kind = fc.constantFrom('bullet', 'ordered', 'checked');
    const items = fc.array(fc.tuple(kind, fc.nat(9)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(items, (all) => {
        const nodes = all.map(([kind, level], at) => item(kind, level, `<b>${at}</b>`));
        const html = htmlOfQuill(`<ol>${nodes.join('')}</ol>`);
        expect(misreading(html)).toBeUndefined();
        const tree = parseHtml(html);
        expect(textOf(tree)).toBe(all.map((_, at) => `${at}`).join(''));
        const made = elementsOf(tree).filter(({ tagName }) => tagName === 'li');
        expect(made.map(({ parentNode }) => parentNode?.nodeName)).toEqual(
          all.map(([kind]) => (kind === 'ordered' ? 'ol' : 'ul')),
        );
        if (/<\/b><[ou]l>/.test(html)) nested += 1;
      }),
      runs(100),
    );
    expect(nested).toBeGreaterThan(20);
  });
});

test.each([
  '<ol><li>a<ol><li>b</li></ol></li></ol><ul><li>c</li></ul>',
  '<p><img class="ql-code-block-container" src="https://a.example/x.png" alt="x"></p>',
  '<p>1 &lt; 2&nbsp;<b>b</b></p>',
])('HTML without lists and code of Quill is unchanged: %s', (html) => {
  expect(htmlOfQuill(html)).toBe(html);
});

test('code of Quill is preformatted text, with its lines', () => {
  const line = (text: string) =>
    `<div class="ql-code-block" data-language="javascript">${text}</div>`;
  const lines = `${line('if (a)')}${line('  b()')}`;
  const html = `<div class="ql-code-block-container" spellcheck="false">${lines}</div>`;
  expect(htmlOfQuill(html)).toBe(`<pre>${lines}</pre>`);
});
