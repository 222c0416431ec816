import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeArticles } from '../../fixtures/articles.ts';
import { type CodeBlock, codeBlocks, filesOf, pages, tableBelow } from './readme.ts';
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

/** The guides that have a site of their own, because they have paths of other pages. */
export const ownSites = [
  'languages',
  'relations',
  'local-files',
  'article-page',
  'several-sites',
  'recipes',
].map((name) => [`docs/guides/${name}.md`]);

/**
 * Applies changes to files. A change is a `diff` block whose first line names the file; an empty line separates its parts.
 * A part with nothing but new lines comes after the comment with the path.
 */
export function changed(files: Record<string, string>, blocks: readonly CodeBlock[]) {
  const result = { ...files };
  for (const { page, language, code } of blocks) {
    const [, comment = '', path = '', parts = ''] =
      (language === 'diff' && /^ ((?:\/\/|#) (\S+))\n([\s\S]*)$/.exec(code)) || [];
    for (const part of path ? parts.trimEnd().split('\n\n') : []) {
      const lines = part.split('\n');
      const without = (sign: string) =>
        lines.filter((line) => !line.startsWith(sign)).map((line) => line.slice(1));
      const before = without('+');
      const after = without('-');
      if (before.length === 0) {
        before.push(comment);
        after.unshift(comment);
      }
      const file = result[path] ?? '';
      const text = before.join('\n');
      if (!file.includes(text)) throw new Error(`${page} changes ${path}, which has no\n${text}`);
      result[path] = file.replace(text, () => after.join('\n'));
    }
  }
  return result;
}

/**
 * Returns the files of guides, with the layout and the settings of the quick start. Files of the quick start and of the
 * guide about fields that the guides change are there, too.
 */
export function guideFiles(guides: readonly string[]): Record<string, string> {
  const shared = filesOf('README.md', 'docs/guides/fields.md');
  const own = filesOf(...guides);
  const changes = changed({ ...shared, ...own }, guides.flatMap(codeBlocks));
  const isUsed = (path: string) =>
    ['src/layouts/Page.astro', 'astro.config.mjs'].includes(path) ||
    path in own ||
    changes[path] !== shared[path];
  return Object.fromEntries(Object.entries(changes).filter(([path]) => isUsed(path)));
}

/** Creates a site from files of guides. */
export function createGuide(files: Record<string, string>): Promise<Site> {
  return createSite({ files: { ...bare, ...files } });
}

/** Creates the site of the guide about Starlight, from files of Starlight's template and further ones. */
export async function createStarlight(pages: Record<string, string>): Promise<Site> {
  const template = {
    'astro.config.mjs': `import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';
export default defineConfig({
  integrations: [starlight({ title: 'My docs' })],
});
`,
    'src/content.config.ts': `import { defineCollection } from 'astro:content';
import { docsLoader } from '@astrojs/starlight/loaders';
import { docsSchema } from '@astrojs/starlight/schema';
export const collections = {
  docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }),
};
`,
    'src/content/docs/index.md': '---\ntitle: Welcome\n---\n\nStart here.\n',
  };
  const site = await createGuide({
    ...changed(template, codeBlocks('docs/guides/starlight.md')),
    ...pages,
    'package.json': JSON.stringify({ type: 'module', dependencies: { '@astrojs/starlight': '*' } }),
  });
  // It would have the same path as Starlight's page.
  await rm(join(site.root, 'src/pages/[...slug].astro'));
  return site;
}

/** The configuration of Astro's blog template. */
export const blogTemplate = {
  'astro.config.mjs': `// @ts-check
import mdx from '@astrojs/mdx';
import sitemap from '@astrojs/sitemap';
import { defineConfig } from 'astro/config';

export default defineConfig({
  site: 'https://example.com',
  integrations: [mdx(), sitemap()],
});
`,
  'src/content.config.ts': `import { defineCollection } from 'astro:content';
import { glob } from 'astro/loaders';
import { z } from 'astro/zod';

const blog = defineCollection({
  // Load Markdown and MDX files of the folder.
  loader: glob({ base: './src/content/blog', pattern: '**/*.{md,mdx}' }),
  // Type-check front matter.
  schema: ({ image }) =>
    z.object({
      title: z.string(),
      description: z.string(),
      // Turns a text into a date.
      pubDate: z.coerce.date(),
      updatedDate: z.coerce.date().optional(),
      heroImage: z.optional(image()),
    }),
});

export const collections = { blog };
`,
};

/** Creates a site of the shape of Astro's blog template, with the changes of the guide about local files. */
export async function createBlog(posts: Record<string, string>): Promise<Site> {
  const template = {
    ...blogTemplate,
    'src/pages/blog/index.astro': `---
import { Image } from 'astro:assets';
import { getCollection } from 'astro:content';
const posts = (await getCollection('blog')).sort(
  (a, b) => b.data.pubDate.valueOf() - a.data.pubDate.valueOf(),
);
---
<ul>
  {posts.map(({ id, data }) => (
    <li>
      <a href={\`/blog/\${id}/\`}>{data.title}</a>
      {data.heroImage && <Image width={720} height={360} src={data.heroImage} alt="" />}
      <time datetime={data.pubDate.toISOString()} />
    </li>
  ))}
</ul>
`,
    'src/pages/blog/[...slug].astro': `---
import { Image } from 'astro:assets';
import { type CollectionEntry, getCollection, render } from 'astro:content';
export async function getStaticPaths() {
  const posts = await getCollection('blog');
  return posts.map((post) => ({ params: { slug: post.id }, props: post }));
}
type Props = CollectionEntry<'blog'>;
const { title, description, heroImage } = Astro.props.data;
const { Content } = await render(Astro.props);
---
<meta name="description" content={description} />
{heroImage && <Image width={1020} height={510} src={heroImage} alt="" />}
<h1>{title}</h1>
<Content />
`,
    'src/pages/rss.xml.js': `import { getCollection } from 'astro:content';
import rss from '@astrojs/rss';
export async function GET(context) {
  const posts = await getCollection('blog');
  return rss({
    title: 'A blog',
    description: 'Of files and articles',
    site: context.site,
    items: posts.map((post) => ({
      ...post.data,
      link: \`/blog/\${post.id}/\`,
    })),
  });
}
`,
  };
  return createGuide({ ...changed(template, codeBlocks('docs/guides/local-files.md')), ...posts });
}

/** Returns astro.config for live pages on a host without a server of one's own, from the guide's change and table. */
export function configOf(host: string): string {
  const guide = 'docs/guides/live-pages.md';
  const changes = codeBlocks(guide).filter(({ code }) => code.startsWith(' // astro.config.mjs'));
  const { 'astro.config.mjs': config = '' } = changed(filesOf('README.md'), changes);
  const codeIn = (name: string) => {
    const row = tableBelow(guide, 'Deploy').find(([first]) => first === name) ?? [];
    return Array.from(row.join().matchAll(/`([^`]+)`/g), ([, code = '']) => code);
  };
  const [adapter = '', cache = '', module = ''] = codeIn(host);
  const [nodeAdapter = '', nodeCache = ''] = codeIn('Node');
  const nameOf = (call: string) => call.replace(/\(.*/, '');
  const name = nameOf(adapter);
  return config
    .replace(nodeAdapter, adapter)
    .replace(nodeCache, cache)
    .replace(`, ${nameOf(nodeCache)} }`, ' }')
    .replace('import node from', `import { ${nameOf(cache)} } from '${module}';\nimport node from`)
    .replace("node from '@astrojs/node'", `${name} from '@astrojs/${name}'`);
}

/** Creates the site of the guide "Beyond one machine", as a reader would paste it. */
export function createNewestSite(files: Record<string, string>): Promise<Site> {
  const shown = (page: string, path: string) => ({ [path]: filesOf(page)[path] ?? '' });
  const { 'astro.config.mjs': _, '.env': __, ...quickStart } = filesOf('README.md');
  return createSite({
    files: {
      ...bare,
      ...quickStart,
      ...filesOf('docs/guides/thousands.md'),
      ...shown('docs/guides/live-pages.md', 'src/live.config.ts'),
      ...shown('docs/reference/webhook.md', 'src/pages/api/purge.ts'),
      ...files,
    },
  });
}

/** The guide with the styles of the quick start. */
const recipes = 'docs/guides/recipes.md';

/** Creates one site with the code of all pages, the styles of the guide with recipes, and a collection of local files. */
export function createDocumentedSite(trailingSlash = 'ignore', base = '/'): Promise<Site> {
  const shared = pages.filter((page) => !ownSites.flat().includes(page));
  const { 'astro.config.mjs': config = '', ...files } = changed(
    filesOf(...shared),
    [...codeBlocks(recipes), ...codeBlocks('docs/guides/lists.md')].filter(({ code }) =>
      /^ (?:\/\/|#) (?:src\/layouts|src\/content\.config|astro\.config)/.test(code),
    ),
  );
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
          `({\n  site: 'https://www.example.com',\n  base: '${base}',\n  trailingSlash: '${trailingSlash}',\n  adapter: node({ mode: 'standalone' }),\n`,
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
