import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { type CodeBlock, codeBlocks, filesOf, pages } from '../helpers/readme.ts';
import { createSite, type Site } from '../helpers/site.ts';

// The code of the documentation, built and type-checked as a reader would paste it.

/** Each test builds a site and checks its types. */
const patience = { timeout: 300_000 };

let service: FixtureService;
const sites: Site[] = [];

beforeAll(async () => {
  service = await startService({ articles: makeArticles(12, { cover: 'tides.jpg' }) });
});
afterAll(async () => {
  for (const site of sites) await site.remove();
  await service.close();
});

async function siteWith(files: Record<string, string>): Promise<Site> {
  const site = await createSite({ files: { ...bare, ...files } });
  sites.push(site);
  return site;
}

/** Replaces the pages that test sites have, and checks types strictly. */
const bare = {
  'tsconfig.json': JSON.stringify({
    extends: 'astro/tsconfigs/strictest',
    compilerOptions: { types: ['node'] },
  }),
  'src/pages/entries.json.ts': 'export const GET = () => new Response();',
  'src/pages/[...slug].astro': '---\nexport const getStaticPaths = () => [];\n---\n',
};

async function expectToHold(site: Site): Promise<void> {
  const environment = { ARTICLES_BASE_URL: service.url, ARTICLES_API_KEY: service.apiKey };
  const build = await site.astro(['build'], environment);
  expect(build, build.output).toMatchObject({ status: 0 });
  const check = await site.astro(['check'], environment);
  expect(check.output).toMatch(/- 0 errors/);
}

it(
  'the quick start builds a list, and a page with a cover for each article',
  patience,
  async () => {
    const site = await siteWith(filesOf('README.md'));
    await expectToHold(site);
    const list = await site.read('dist/articles/index.html');
    const links = Array.from(list.matchAll(/href="(\/articles\/[^"]+\/)"/g), ([, path]) => path);
    expect(links).toHaveLength(12);
    for (const path of links) {
      const page = await site.read(`dist${path}index.html`);
      expect(page).toMatch(/<meta charset="utf-8"\s*\/?>/);
      expect(page).toContain('<meta name="viewport"');
      expect(page).toMatch(/<h1>[^<]+<\/h1>[\s\S]*<img [^>]*srcset="/);
    }
  },
);

it(
  'all pages together build in one site, and their code has no type errors',
  patience,
  async () => {
    const { 'astro.config.mjs': config = '', ...files } = filesOf(...pages);
    const { '.env': _, ...others } = files;
    const site = await siteWith({
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
    });
    await expectToHold(site);
    const built = await site.list('dist/client');
    for (const path of [
      'articles/index.html',
      'archive/index.html',
      'covers/index.html',
      'rss.xml',
    ]) {
      expect(built).toContain(path);
    }
  },
);

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

function moduleOf({ language, code }: CodeBlock): string | undefined {
  if (language === 'astro') return code.startsWith('---') ? code : componentOf(code);
  if (!['js', 'ts'].includes(language)) return undefined;
  return code.startsWith('articles(') ? `import articles from 'astro-articles';\n${code}` : code;
}

function componentOf(code: string): string {
  return `---
import type { CollectionEntry } from 'astro:content';
import { ArticleHead } from 'astro-articles/components';
interface Props {
  article: CollectionEntry<'articles'>;
}
const { article } = Astro.props;
---
${code}`;
}

/** The types that Cloudflare's tools write. */
const ambient = `
declare module 'cloudflare:workers' {
  export const env: Record<'ARTICLES_WEBHOOK_SECRET' | 'DEPLOY_HOOK_URL' | 'GITHUB_TOKEN', string> & {
    ASSETS: { fetch(request: Request): Promise<Response> };
  };
}
interface ExportedHandler {
  fetch(request: Request, env: unknown, context: { waitUntil(promise: Promise<unknown>): void }): Promise<Response>;
}
`;
