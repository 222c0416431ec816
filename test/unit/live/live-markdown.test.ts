import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../../src/live/live-markdown.ts';
import { type RenderSettings, renderArticle } from '../../../src/render/render-article.ts';
import { createLoaderContext } from '../../helpers/loader-context.ts';
import { runs } from '../../helpers/runs.ts';

const base = new URL('https://app.example.com/');

async function finish(content: string, renderWith: RenderSettings['render']) {
  const article = { id: '1', title: 'T', content };
  const { html, metadata } = await renderArticle(article, {
    render: renderWith,
    base,
    sanitize: true,
  });
  return { html: html.join('').trim(), headings: metadata.headings };
}

/** Normalises the order of attributes. Live pages have cells with `align`, and task lists without classes. */
function comparable(html: string): string {
  const aligned = html.replace(/ style="text-align: (left|right|center)"/g, ' align="$1"');
  const plain = aligned.replace(/ class="(contains-)?task-list(-item)?"/g, '');
  return plain.replace(/<[a-z]\w*(?: [^>]*)>/g, (tag) => {
    const [name = '', ...attributes] = tag.slice(0, -1).split(/ (?=[a-z-]+=)/);
    return `${[name, ...attributes.sort()].join(' ')}>`;
  });
}

/** Renders an article as a live page does. */
const live = (markdown: string) => finish(markdown, renderMarkdown);
const render = async (markdown: string) => (await live(markdown)).html;

test('quotes, dashes and dots are those of the author', async () => {
  expect(await render(`"a" 'b' it's -- c...`)).toBe(`<p>"a" 'b' it's -- c...</p>`);
});

describe('live pages and builds agree on', () => {
  let root: string;
  let built: RenderSettings['render'];
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'site-'));
    const context = await createLoaderContext({ root, inMemory: true });
    built = (markdown) => context.renderMarkdown(markdown);
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  test.each([
    '## A *b*\n\n## A b\n\nC\n===\n\n### `code` & <b>more</b>',
    '# Ünïcode 日本 — dash\n\n## a.b, c/d?\n\n## \n\n## 1',
    '## A\n\n<h2>A</h2>\n\n## A\n\n<h3 id="own">B</h3>\n\nA\n-',
    '<h2>A</h2>\n\n# A #\n\n> ## B\n> x\n> ---\n\n- ### C <b>d</b> ![e](f.png)\n\n##\n\na[^1]\n\n[^1]: ## b',
    '- [x] a\n- [ ] b\n\n1. [x] c\n\n- d\n\n  e',
    'a[^1] b[^two] c[^1]\n\n[^1]: d\n[^two]: e\n\n    f',
    '| a | b | c |\n| :- | -: | :-: |\n| d | e | `f\\|g` |\n| h |',
    '~~a~~ ~b~ www.example.com https://example.com/a_b_c me@example.com',
    '<details open><summary>a</summary>\n\n*b*\n\n</details>',
    'a <kbd>b</kbd> <!-- c --> <span class="x">d *e*</span>',
    '> a\n> > b\n\n***\n\n3. c\n4. d\n\n   e\n* f\n+ g',
    '[a](/b "c") ![d](e.png "f") [g][h] <https://i.example>\n\n[h]: j "k"',
    'x <video src="/a.mp4" controls /> y',
    'a  \nb\\\nc &amp; &copy; &#35; \\*d\\* __e__ ***f*** _g_h_',
    '`` a ` b `` `c  d`',
  ])('%j', async (markdown) => {
    const [onDemand, inBuild] = [await live(markdown), await finish(markdown, built)];
    expect(onDemand.headings).toEqual(inBuild.headings);
    expect(comparable(onDemand.html)).toBe(comparable(inBuild.html));
  });

  test('ids and headings, in any mixture of Markdown and HTML', async () => {
    const text = fc.constantFrom('a', 'A', 'a-1', 'b *c*', '<i>d</i> e', '`f`', '![g](h.png)', '1');
    const level = fc.constantFrom('#', '##', '######');
    const block = fc.oneof(
      fc.tuple(level, text).map(([sign, words]) => `${sign} ${words}`),
      fc.tuple(level, text).map(([sign, words]) => `- x\n\n  ${sign} ${words} ${sign}`),
      text.map((words) => `${words}\n===`),
      text.map((words) => `> ${words}\n> ---`),
      text.map((words) => `<h2>${words}</h2>`),
      text.map((words) => `<h3 id="own">${words}</h3>`),
      text.map((words) => `<div>\n\n## ${words}\n\n</div>`),
    );
    const document = fc.array(block, { maxLength: 6 }).map((blocks) => blocks.join('\n\n'));
    const idsIn = (html: string) =>
      Array.from(html.matchAll(/<\w+[^>]* id="([^"]*)"/g), ([, id]) => id);
    await fc.assert(
      fc.asyncProperty(document, async (markdown) => {
        const [onDemand, inBuild] = [await live(markdown), await finish(markdown, built)];
        expect(onDemand.headings).toEqual(inBuild.headings);
        expect(idsIn(onDemand.html)).toEqual(idsIn(inBuild.html));
      }),
      runs(200),
    );
  });

  test('code, except for its colours', async () => {
    expect(await render('```js\na < b\n```')).toBe(
      '<pre tabindex="0"><code class="language-js">a &lt; b\n</code></pre>',
    );
    expect(await render('- ```\n  a\n  ```\n\n      b\n\n<pre>c</pre>')).toBe(
      '<ul>\n<li>\n<pre tabindex="0"><code>a\n</code></pre>\n<pre tabindex="0"><code>b\n</code></pre>\n</li>\n</ul>\n<pre>c</pre>',
    );
    const own = '<pre lang="de"><code>d</code></pre>';
    expect(await render(own)).toBe(own);
  });
});

test('HTML keeps the attributes and texts that it has', async () => {
  const rendered = await renderMarkdown(
    '<p title="<h2>">a</p>\n<!-- <h2> -->\n<h2\nclass="b">c</h2>\n<H3>d</H3>\n<h2-e>f</h2-e>',
  );
  expect(rendered).toEqual({
    html: '<p title="&lt;h2&gt;">a</p>\n<!-- <h2> -->\n<h2 class="b">c</h2>\n<h3>d</h3>\n<h2-e>f</h2-e>',
    metadata: { headings: [] },
  });
});

test('a line may end in a carriage return alone', async () => {
  expect(await render('a\r\ra\n\na\r\n\r\n'.repeat(1000))).toMatch(/^(<p>a<.p>\s*){3000}$/);
});
