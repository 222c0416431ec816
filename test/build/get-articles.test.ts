import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { astroVersions } from '../helpers/runs.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const service = await useService({
  articles: makeArticles(4).map((article, index) => ({ ...article, isPublic: index % 2 === 0 })),
});
const sites = useSites();

const filter = '({ data }) => data.isPublic';
/** What a page could write, which all other pages would show. */
const changes = [
  "entry.id = 'x'",
  "entry.data.title = 'x'",
  'entry.data.more = 1',
  "entry.data.tags.push('x')",
];
const wrongCalls = ["getArticles('posts')", "getArticles('local')", 'getArticles()'];

/** The endpoint's response has the titles that each call returns, or its error. */
const endpoint = `
  import { getCollection } from 'astro:content';
  import { getArticles } from 'astro-articles';
  const titles = (list) => list.map(({ data }) => data.title).sort();
  const failure = (call) => call().then(titles, ({ message, hint }) => message + ' ' + hint);
  const [entry] = await getArticles('articles');
  const written = (change) => {
    try {
      change();
      return true;
    } catch {
      return false;
    }
  };
  export const GET = async () => Response.json({
    written: [${changes.map((code) => `() => { ${code}; }`)}].map(written),
    isOneList: (await getArticles('articles')) === (await getArticles('articles')),
    all: titles(await getArticles('articles')),
    filtered: titles(await getArticles('articles', ${filter})),
    expected: titles(await getCollection('articles', ${filter})),
    failures: await Promise.all([${wrongCalls.map((call) => `() => ${call}`)}].map(failure)),
  });`;

const files = {
  'src/content.config.ts': `
    import { defineCollection } from 'astro:content';
    import { glob } from 'astro/loaders';
    import { z } from 'astro/zod';
    import { articleSchema, articlesLoader } from 'astro-articles';
    const schema = (context) => articleSchema(context).extend({ isPublic: z.boolean(), tags: z.array(z.string()).default([]) });
    export const collections = {
      articles: defineCollection({ loader: articlesLoader(), schema }),
      news: defineCollection({ loader: articlesLoader() }),
      local: defineCollection({ loader: glob({ pattern: '*.md', base: './src/local' }) }),
    };`,
  'src/local/a.md': '# A',
  'src/pages/[...slug].astro': '---\nexport const getStaticPaths = () => [];\n---\n',
  'src/pages/calls.json.ts': endpoint,
};

interface Calls extends Record<'all' | 'filtered' | 'expected' | 'failures', string[]> {
  written: boolean[];
  isOneList: boolean;
}

function expectCalls({ all, filtered, expected, failures, written, isOneList }: Calls): void {
  expect(written).toEqual(changes.map(() => false));
  expect(isOneList).toBe(false);
  expect(all).toHaveLength(4);
  expect(filtered).toHaveLength(2);
  expect(filtered).toEqual(expected);
  expect(failures).toEqual([
    expect.stringContaining('called with "posts", which is not a collection of astro-articles.'),
    expect.stringContaining('called with "local", which is not a collection of astro-articles.'),
    expect.stringContaining(
      'called with "undefined", which is not a collection of astro-articles.',
    ),
  ]);
  for (const failure of failures) {
    expect(failure).toContain("Write `getArticles('articles')`.");
    expect(failure).toContain('Collections of astro-articles: "articles", "news".');
  }
}

describe.each(astroVersions)('getArticles() on Astro %i', (astro) => {
  it('filters as getCollection() does, and lists the collections for any other name', async () => {
    const site = await sites.create({ astro, files });
    await site.build(service.env);
    expectCalls(JSON.parse(await site.read('dist/calls.json')));
    const { url } = await site.dev(service.env);
    const response = await fetch(`${url}/calls.json`);
    expectCalls(JSON.parse(await response.text()));
  });
});

it('getArticles() fails a build of a site without articles, and says how to add a collection', async () => {
  const content = `
    import { defineCollection } from 'astro:content';
    import { glob } from 'astro/loaders';
    const loader = glob({ pattern: '*.md', base: './src/local' });
    export const collections = { local: defineCollection({ loader }) };`;
  const site = await sites.create({ files: { ...files, 'src/content.config.ts': content } });
  const { status, output } = await site.astro(['build'], service.env);
  expect(status).toBe(1);
  expect(output).toContain('`articles: defineCollection({ loader: articlesLoader() })`');
});
