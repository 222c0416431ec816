import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementsOf, parseHtml, textOf } from '../../../../src/html/parse-html.ts';
import { finish } from '../../../helpers/finish.ts';
import { misreading } from '../../../helpers/nested-html.ts';

const item = (kind: string, level: number, text: string) =>
  `<li data-list="${kind}"${level ? ` class="ql-indent-${level}"` : ''}><span class="ql-ui" contenteditable="false"></span>${text}</li>`;
const shown = (html: string) => html.replaceAll(/ class="ql-indent-\d"/g, '');

describe('a list of Quill', () => {
  it.each([
    [
      [
        ['bullet', 0],
        ['bullet', 0],
      ],
      '<ul><li>a</li><li>b</li></ul>',
    ],
    [
      [
        ['ordered', 0],
        ['ordered', 0],
      ],
      '<ol><li>a</li><li>b</li></ol>',
    ],
    [
      [
        ['ordered', 0],
        ['bullet', 0],
      ],
      '<ol><li>a</li></ol><ul><li>b</li></ul>',
    ],
    [
      [
        ['ordered', 0],
        ['bullet', 1],
        ['bullet', 1],
        ['ordered', 0],
      ],
      '<ol><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ol>',
    ],
    [
      [
        ['bullet', 0],
        ['ordered', 1],
        ['bullet', 1],
      ],
      '<ul><li>a<ol><li>b</li></ol><ul><li>c</li></ul></li></ul>',
    ],
    [
      [
        ['ordered', 0],
        ['ordered', 8],
      ],
      '<ol><li>a<ol><li>b</li></ol></li></ol>',
    ],
    [
      [
        ['bullet', 2],
        ['bullet', 0],
        ['bullet', 3],
        ['bullet', 1],
      ],
      '<ul><li>a</li></ul><ul><li>b<ul><li>c</li></ul><ul><li>d</li></ul></li></ul>',
    ],
  ] as const)('has the kinds and levels of its items: %j', async (items, expected) => {
    const html = items.map(([kind, level], at) => item(kind, level, 'abcd'.charAt(at))).join('');
    const finished = await finish(`<ol>${html}</ol>`);
    expect(shown(finished.html)).toBe(expected);
    expect(finished.dropped).toEqual([]);
  });

  it('of tasks is a list, and a notice names what says which are done', async () => {
    const { html, dropped } = await finish(
      `<ol>${item('checked', 0, 'a')}${item('unchecked', 0, 'b')}</ol>`,
    );
    expect([html, dropped]).toEqual(['<ul><li>a</li><li>b</li></ul>', ['data-list on li']]);
    for (const kind of ['checked', 'unchecked'])
      expect((await finish(`<ol>${item(kind, 0, 'a')}</ol>`)).dropped).toEqual(['data-list on li']);
  });

  it('of another editor stays as it is', async () => {
    const html = '<ol><li>a<ol><li>b</li></ol></li></ol><ul><li>c</li></ul>';
    expect((await finish(html)).html).toBe(html);
  });

  it('keeps all items and other nodes in their order, and is what a browser reads', async () => {
    let nested = 0;
    const items = fc.array(
      fc.tuple(fc.constantFrom('bullet', 'ordered', 'checked', 'other'), fc.nat(9)),
      {
        minLength: 1,
        maxLength: 8,
      },
    );
    await fc.assert(
      fc.asyncProperty(items, async (kinds) => {
        const nodes = kinds.map(([kind, level], at) =>
          kind === 'other' ? `<b>${at}</b>` : item(kind, level, `${at}`),
        );
        const given = nodes.join('');
        const { html } = await finish(`<ol>${given}</ol>`);
        const tree = parseHtml(html);
        expect(misreading(html)).toBeUndefined();
        expect(textOf(tree)).toBe(kinds.map((_, at) => `${at}`).join(''));
        const lists = elementsOf(tree).filter(({ tagName }) => tagName === 'li');
        const tags = lists.map(({ parentNode }) => parentNode?.nodeName);
        const listed = kinds.filter(([kind]) => kind !== 'other');
        expect(tags).toEqual(listed.map(([kind]) => (kind === 'ordered' ? 'ol' : 'ul')));
        if (/<li>\d+<[ou]l>|<li class="ql-indent-\d">\d+<[ou]l>/.test(html)) nested += 1;
      }),
    );
    expect(nested).toBeGreaterThan(20);
  });
});

it.each([
  '<table class="ql-code-block-container"><tbody><tr><td>x</td></tr></tbody></table>',
  '<p>a<span class="ql-code-block-container">x</span>b</p>',
  '<ol>kept<li data-list="bullet">x</li></ol>',
  '<ol><li data-list="bullet">x</li><!-- a --><li data-list="bullet" class="ql-indent-1">y</li></ol>',
  '<ol><li data-list="bullet">x</li>kept<li>y</li></ol>',
  '<ol><li data-list="bullet">x</li><br><li data-list="bullet" class="ql-indent-1">y</li></ol>',
])('what Quill does not write is what a browser reads, with all text: %s', async (html) => {
  const finished = await finish(html);
  expect(misreading(finished.html)).toBeUndefined();
  expect(textOf(parseHtml(finished.html))).toBe(textOf(parseHtml(html)));
});

it("an element of another name with the class of Quill's code is kept", async () => {
  const html = '<p><img class="ql-code-block-container" src="https://a.example/x.png" alt="x"></p>';
  expect((await finish(html)).html).toContain('<img');
});

it('code of Quill is preformatted text, with its lines', async () => {
  const line = (text: string) =>
    `<div class="ql-code-block" data-language="javascript">${text}</div>`;
  const { html } = await finish(
    `<div class="ql-code-block-container" spellcheck="false">${line('if (a)')}${line('  b()')}</div>`,
  );
  expect(html).toBe(`<pre>${line('if (a)')}${line('  b()')}</pre>`);
});
