import { parseFragment, serialize } from 'parse5';
import { afterAll, describe, expect, test } from 'vitest';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { createSite, type Site } from '../helpers/site.ts';

// With any plugins of the site, an article has the same HTML as a Markdown file of the site with the same text.

const text = `
A formula $\\int_0^1 x^2\\,dx=\\frac13$ and a block:

$$
\\sum_{n=1}^\\infty \\frac{1}{n^2} = \\frac{\\pi^2}{6}
$$

## Second heading

An [external link](https://elsewhere.example/page) and a [local one](/pricing).

\`\`\`js title="sum.js" {2}
function sum(a, b) {
  return a + b; // [!code highlight]
}
const old = 1; // [!code --]
const next = 2; // [!code ++]
\`\`\`

\`\`\`mermaid
graph TD; A-->B;
\`\`\`

- [x] done
- [ ] not done[^1]

| a | b |
| - | -: |
| 1 | 2 |

:::note[Careful]
A directive with **bold** text.
:::

[^1]: A footnote.
`;

const page = `---
import { getCollection, render } from 'astro:content';
const [article] = await getCollection('articles');
const [own] = await getCollection('own');
const { Content: Article } = await render(article);
const { Content: Own } = await render(own);
---
<html><body><main id="article"><Article /></main><hr id="between" /><main id="own"><Own /></main></body></html>`;

const content = `
import { defineCollection } from 'astro:content';
import { glob } from 'astro/loaders';
import { articlesCollection } from 'astro-articles';
export const collections = {
  articles: defineCollection(articlesCollection()),
  own: defineCollection({ loader: glob({ pattern: '*.md', base: './own' }) }),
};`;

/** A directive plugin like that of many sites: containers become elements with a class. */
const directives = `
const visit = (node, use) => { use(node); for (const child of node.children ?? []) visit(child, use); };
const asides = () => (tree) => visit(tree, (node) => {
  if (node.type !== 'containerDirective') return;
  node.data = { hName: 'aside', hProperties: { class: \`aside aside-\${node.name}\`, 'aria-label': node.name } };
});`;

interface Setup {
  imports?: string;
  markdown?: string;
  integrations?: string;
}

const sites: Record<string, Setup> = {
  'Sätteri, as Astro 7 comes': {},
  'unified with KaTeX, external links, slugs, anchors and directives': {
    imports: `
import { unified } from '@astrojs/markdown-remark';
import remarkMath from 'remark-math';
import rehypeKatex from 'rehype-katex';
import rehypeExternalLinks from 'rehype-external-links';
import rehypeSlug from 'rehype-slug';
import rehypeAutolinkHeadings from 'rehype-autolink-headings';
import remarkDirective from 'remark-directive';
${directives}`,
    markdown: `processor: unified({
  remarkPlugins: [remarkMath, remarkDirective, asides],
  rehypePlugins: [rehypeKatex, [rehypeExternalLinks, { rel: ['nofollow', 'noopener'], target: '_blank' }], rehypeSlug, [rehypeAutolinkHeadings, { behavior: 'append' }]],
})`,
  },
  'Shiki transformers and two themes': {
    imports: `import { transformerNotationDiff, transformerNotationHighlight, transformerMetaHighlight } from '@shikijs/transformers';`,
    markdown: `shikiConfig: { themes: { light: 'github-light', dark: 'github-dark' }, transformers: [transformerNotationDiff(), transformerNotationHighlight(), transformerMetaHighlight()] }`,
  },
  'Mermaid left to the page': {
    markdown: `syntaxHighlight: { type: 'shiki', excludeLangs: ['mermaid'] }`,
  },
  'expressive-code': {
    imports: `import expressiveCode from 'astro-expressive-code';`,
    integrations: 'expressiveCode()',
  },
};

let site: Site;
const services: FixtureService[] = [];
afterAll(() => Promise.all(services.map((service) => service.close())));

describe('D37: an article looks like the site’s own Markdown with', () => {
  test.each(Object.entries(sites))(
    '%s',
    async (_, { imports = '', markdown, integrations = '' }) => {
      const service = await startService({
        articles: [{ id: 1, title: 'Not a heading of it', content: text, cover_image: null }],
      });
      services.push(service);
      site = await createSite({
        files: {
          'astro.config.mjs': `
import { defineConfig } from 'astro/config';
import articles from 'astro-articles';
${imports}
export default defineConfig({
  integrations: [${integrations ? `${integrations}, ` : ''}articles()],
  ${markdown ? `markdown: { ${markdown} },` : ''}
});`,
          'src/content.config.ts': content,
          'src/pages/index.astro': page,
          'own/own.md': text,
        },
      });
      const env = { ARTICLES_BASE_URL: service.url, ARTICLES_API_KEY: service.apiKey };
      const { status, output } = await site.astro(['build'], env);
      expect(status, output).toBe(0);
      const html = await site.read('dist/index.html');
      const [, article = '', own = ''] =
        /<main id="article">(.*)<\/main><hr id="between"\s*\/?><main id="own">(.*)<\/main>/s.exec(
          html,
        ) ?? [];
      expect(article.length).toBeGreaterThan(500);
      expect(normal(article)).toBe(normal(own));
      expect(output).not.toContain('HTML that is not allowed was dropped');
      await site.remove();
    },
  );
});

/** Parses and serializes HTML, so that quotes and escapes do not differ. */
function normal(html: string): string {
  return serialize(parseFragment(html.trim())).replace(/>\s+</g, '>\n<');
}
