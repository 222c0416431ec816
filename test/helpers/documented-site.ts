import { makeArticles } from '../../fixtures/articles.ts';
import { type CodeBlock, codeBlocks, filesOf, pages } from './readme.ts';
import { createSite, type Site } from './site.ts';

/** Replaces the pages that test sites have, and checks types strictly. */
const bare = {
  'tsconfig.json': JSON.stringify({
    extends: 'astro/tsconfigs/strictest',
    compilerOptions: { types: ['node'] },
  }),
  'src/pages/entries.json.ts': 'export const GET = () => new Response();',
  'src/pages/[...slug].astro': '---\nexport const getStaticPaths = () => [];\n---\n',
};

/** Makes articles whose titles, and so the slugs of their pages, are known. */
export function titledArticles(count: number) {
  const articles = makeArticles(count, { words: [20, 40] });
  return articles.map((article) => ({ ...article, title: `Title ${article.id}` }));
}

/** Creates the site of the quick start, as a reader would paste it. */
export function createQuickStart(): Promise<Site> {
  return createSite({ files: { ...bare, ...filesOf('README.md') } });
}

/** The guides whose files make a site together, and have the same paths as files of other sites. */
export const ownSites = [
  ['docs/guides/languages.md'],
  ['docs/guides/local-files.md'],
  ['docs/guides/sitemap.md'],
  ['docs/guides/starlight.md'],
  [
    'docs/guides/tags.md',
    'docs/guides/article-page.md',
    'docs/guides/preview-pictures.md',
    'docs/guides/search.md',
  ],
];

/** Creates the site of guides from their files, and the layout and settings of the quick start. */
export function createGuide(
  guides: string | readonly string[],
  files: Record<string, string> = {},
): Promise<Site> {
  const { 'src/layouts/Page.astro': layout = '', 'astro.config.mjs': config = '' } =
    filesOf('README.md');
  const shared = { 'src/layouts/Page.astro': layout, 'astro.config.mjs': config };
  return createSite({ files: { ...bare, ...shared, ...filesOf(...[guides].flat()), ...files } });
}

/** Creates the site of the guide "Beyond one machine", as a reader would paste it. */
export function createNewestSite(files: Record<string, string>): Promise<Site> {
  const shown = (page: string, path: string) => ({ [path]: filesOf(page)[path] ?? '' });
  const { 'astro.config.mjs': _, '.env': __, ...quickStart } = filesOf('README.md');
  return createSite({
    files: {
      ...bare,
      ...quickStart,
      ...filesOf('docs/guides/beyond-one-machine.md'),
      ...shown('docs/faq.md', 'src/pages/articles/[slug].md.ts'),
      ...shown('docs/guides/live-pages.md', 'src/live.config.ts'),
      ...shown('docs/reference/webhook.md', 'src/pages/api/purge.ts'),
      ...files,
    },
  });
}

/** Creates one site with the code of all pages. */
export function createDocumentedSite(): Promise<Site> {
  const shared = pages.filter((page) => !ownSites.flat().includes(page));
  const { 'astro.config.mjs': config = '', ...files } = filesOf(...shared);
  const { '.env': _, ...others } = files;
  return createSite({
    files: {
      ...bare,
      ...others,
      ...snippets(),
      'src/env.d.ts': ambient,
      // As `astro add node` and the guides change it.
      'astro.config.mjs': config
        .replace('\n\n', "\nimport node from '@astrojs/node';\n\n")
        .replace(
          '({\n',
          "({\n  site: 'https://www.example.com',\n  adapter: node({ mode: 'standalone' }),\n",
        ),
    },
  });
}

/** Blocks that are a part of a file, as modules and components of their own. */
function snippets(): Record<string, string> {
  const parts = pages.flatMap(codeBlocks).filter(({ path }) => !path);
  const files = parts.flatMap((block, index) => {
    const text = moduleOf(block);
    const extension = block.language === 'astro' ? 'astro' : 'ts';
    return text === undefined ? [] : [[`src/snippets/${index}.${extension}`, text]];
  });
  return Object.fromEntries(files);
}

/** The imports of blocks that show only the call of a function. */
const implied = {
  'articles(': "import articles from 'astro-articles';\n",
  'articlesLoader(':
    "import { glob } from 'astro/loaders';\nimport { articlesLoader } from 'astro-articles';\n",
};

function moduleOf({ language, code }: CodeBlock): string | undefined {
  if (language === 'astro') return code.startsWith('---') ? code : componentOf(code);
  if (!['js', 'ts'].includes(language)) return undefined;
  const imports = Object.entries(implied).find(([start]) => code.startsWith(start))?.[1] ?? '';
  return `${imports}${code}`;
}

function componentOf(code: string): string {
  const [name] = /\bArticle(?:Body|Cover|Head)\b/.exec(code) ?? [];
  const component = name ? `import { ${name} } from 'astro-articles/components';\n` : '';
  return `---
import type { CollectionEntry } from 'astro:content';
${component}interface Props {
  article: CollectionEntry<'articles'>;
}
const { article } = Astro.props;
---
${code}`;
}

/** The types that Cloudflare's tools write, and those of packages that are not installed here. */
const ambient = `
declare module 'cloudflare:workers' {
  export const env: Record<'ARTICLES_WEBHOOK_SECRET' | 'DEPLOY_HOOK_URL' | 'GITHUB_TOKEN', string> & {
    ASSETS: { fetch(request: Request): Promise<Response> };
  };
}
declare module 'astro-embed' {
  export function YouTube(props: { id: string }): unknown;
}
interface ExportedHandler {
  fetch(request: Request, env: unknown, context: { waitUntil(promise: Promise<unknown>): void }): Promise<Response>;
}
`;
