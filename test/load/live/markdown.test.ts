import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../../src/live/live-markdown.ts';

const render = async (markdown: string) => (await renderMarkdown(markdown)).html.trim();

// What Astro 7 makes of the same Markdown.
describe('quotes, dashes and ellipses', () => {
  it.each([
    ['a -- b --- c ---- d ----- e', 'a – b — c –– d —– e'],
    [`"x" 'y' it's ("z") '90s ...`, '“x” ‘y’ it’s (“z”) ’90s …'],
    [`"**b**" *"i"* *a*'s`, '“<strong>b</strong>” <em>“i”</em> <em>a</em>’s'],
    ['see "[link](x)"', 'see “<a href="x">link</a>”'],
    [`he said "'a' b"`, 'he said “‘a’ b”'],
    [`1999--2000 5'10" "a"-"b"`, '1999–2000 5’10” “a”-“b”'],
    ['`--` "a`"c`"', '<code>--</code> “a<code>"c</code>”'],
    ['<b>"q"</b>', '<b>“q”</b>'],
    ['"a"  \n"b"', '“a”<br>\n“b”'],
  ])('%j become %j', async (markdown, html) => {
    expect(await render(markdown)).toBe(`<p>${html}</p>`);
  });

  it('start again with each block', async () => {
    expect(await render('a\n\n"b"\n\n- "c"\n- "d"')).toMatch(/“b”.*“c”.*“d”/s);
  });

  it('stay in code', async () => {
    expect(await render('```\n"a" -- b...\n```')).toContain('"a" -- b...');
  });
});

it('gives headings ids, each its own', async () => {
  const { html, metadata } = await renderMarkdown('## A *b*\n\n## A b\n\nC\n===\n');
  expect(metadata?.headings).toEqual([
    { depth: 2, slug: 'a-b', text: 'A b' },
    { depth: 2, slug: 'a-b-1', text: 'A b' },
    { depth: 1, slug: 'c', text: 'C' },
  ]);
  expect(html).toContain('<h2 id="a-b-1">A b</h2>');
});

it.each([
  [
    '- [x] a',
    /<ul class="contains-task-list">\s*<li class="task-list-item"><input type="checkbox" checked disabled> a/,
  ],
  ['a[^1]\n\n[^1]: b', /<section data-footnotes class="footnotes">/],
  ['| a |\n| -: |\n| b |', /<td align="right">b<\/td>/],
  ['~~a~~ www.example.com', /<del>a<\/del> <a href="http:\/\/www.example.com">/],
  ['```js\na\n```', /<pre><code class="language-js">a/],
  [
    '<details open><summary>a</summary>\n\n*b*\n\n</details>',
    /<details open><summary>a<\/summary>\s*<p><em>b/,
  ],
])('renders %j as Astro does, but for the colours of code', async (markdown, html) => {
  expect(await render(markdown)).toMatch(html);
});
