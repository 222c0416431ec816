import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { filesOf } from '../helpers/readme.ts';
import { astroVersions } from '../helpers/runs.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

const service = await useService({
  articles: makeArticles(2).map((article) => ({ ...article, reviewed: true })),
});
const sites = useSites();

const assertions = `
  import type { CollectionEntry } from 'astro:content';
  import type { ImageMetadata } from 'astro';
  type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
  export function same<A, B>(_: Same<A, B>) {}
  type Data = CollectionEntry<'articles'>['data'];
  same<Data['title'], string>(true);
  same<Data['position'], number>(true);
  same<Data['cover_color'], string | null>(true);
  export const cover = (data: Data): ImageMetadata | null => data.cover_image;
  // @ts-expect-error: null has to be handled
  export const always = (data: Data): ImageMetadata => data.cover_image;
  // @ts-expect-error: no such field
  export const missing = (data: Data) => data.author;
  import { getArticles } from 'astro-articles';
  type Article = CollectionEntry<'articles'>;
  type Tides = Article & { data: { title: 'Tides' } };
  export async function use() {
    const titled = await getArticles('articles', ({ data }) => data.words > 10);
    same<typeof titled, Article[]>(true);
    const tides = await getArticles('articles', (entry): entry is Tides => entry.data.title === 'Tides');
    same<typeof tides, Tides[]>(true);
    // @ts-expect-error: no such collection
    await getArticles('posts');
    // @ts-expect-error: the name is missing
    await getArticles();
    // @ts-expect-error: no such field
    await getArticles('articles', ({ data }) => data.author);
  }
`;

async function check(astro: 6 | 7, files: Record<string, string>): Promise<string> {
  const site = await sites.create({
    astro,
    files: {
      'tsconfig.json': JSON.stringify({
        extends: 'astro/tsconfigs/strictest',
        include: ['.astro/types.d.ts', 'src/*.ts'],
      }),
      ...files,
    },
  });
  expect(await site.astro(['sync'], service.env)).toMatchObject({ status: 0 });
  const { stdout } = spawnSync(process.execPath, [compiler, '--noEmit', '-p', '.'], {
    cwd: site.root,
  });
  return String(stdout);
}

const extended = {
  'src/content.config.ts': `
    import { defineCollection } from 'astro:content';
    import { z } from 'astro/zod';
    import { articleSchema, articlesLoader } from 'astro-articles';
    export const collections = {
      articles: defineCollection({ loader: articlesLoader() }),
      extended: defineCollection({
        loader: articlesLoader(),
        schema: (context) => articleSchema(context).extend({ reviewed: z.boolean() }),
      }),
    };`,
  'src/extended.ts': assertions
    .replace("CollectionEntry<'articles'>", "CollectionEntry<'extended'>")
    .concat("same<Data['reviewed'], boolean>(true);"),
};

const liveAssertions = `
  import { getLiveCollection, getLiveEntry, render } from 'astro:content';
  import type { LiveLoader } from 'astro/loaders';
  import { type ArticlesError, type LiveArticleData, liveArticlesLoader } from 'astro-articles/live';
  type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
  function same<A, B>(_: Same<A, B>) {}
  export const loader: LiveLoader<LiveArticleData, { id: string }, { limit?: number; offset?: number }, ArticlesError> =
    liveArticlesLoader({ baseUrl: 'https://a.example', apiKey: 'k' });
  export async function use() {
    const { entry, error } = await getLiveEntry('liveArticles', { id: '1' });
    if (error && 'hint' in error) same<typeof error.hint, string>(true);
    if (!entry) return;
    same<typeof entry.data.cover_image, string | null>(true);
    same<typeof entry.data.words, number>(true);
    RENDER
    const { entries } = await getLiveCollection('liveArticles', { limit: 3 });
    same<NonNullable<typeof entries>[number]['data']['slug'], string>(true);
    // @ts-expect-error: the place in the listing is not known
    entry.data.position;
    // @ts-expect-error: the service knows no slugs
    await getLiveEntry('liveArticles', { slug: 'x' });
    // @ts-expect-error: no such filter
    await getLiveCollection('liveArticles', { page: 3 });
    liveArticlesLoader({ mirrorDir: 'x' });
    // @ts-expect-error: an option of the integration
    liveArticlesLoader({ redirects: true });
  }
`;

/** The live collection of the guide, and the same without a schema. */
const liveConfig = (filesOf('docs/guides/live-pages.md')['src/live.config.ts'] ?? '').replace(
  'collections = {',
  '$& bare: defineLiveCollection({ loader }),',
);

it.each(astroVersions)(
  'types entries, those of an extended schema, and live ones with and without a schema, on Astro %i',
  async (astro) => {
    // Astro 6 renders a live entry, but its types do not say so.
    const rendered = astro === 7 ? 'await render(entry);' : 'await render(entry as never);';
    const use = liveAssertions.replace('RENDER', rendered);
    const files = {
      ...extended,
      'src/types.ts': assertions,
      'src/live.config.ts': liveConfig,
      'src/use.ts': use,
      'src/use-bare.ts': use.replaceAll("'liveArticles'", "'bare'"),
    };
    expect(await check(astro, files)).toBe('');
  },
);

const pageWith = (body: string) => `---
import { getCollection } from 'astro:content';
import { Image, Picture } from 'astro:assets';
import { ArticleBody } from 'astro-articles/components';
import Link from '../Link.astro';
const [article] = await getCollection('articles');
---
{article && (
  ${body}
)}`;

const wrong = [
  '',
  'article={article.data}',
  'article={article} components={{ image: Link }}',
  `article={article} components={{ a: 'b' }}`,
  'article={article} embeds={{ youtube: Link }}',
];

it('types `<ArticleBody>`: its attributes, the names of elements, and components', async () => {
  const site = await sites.create({
    files: {
      'tsconfig.json': JSON.stringify({
        extends: 'astro/tsconfigs/strictest',
        compilerOptions: { noUnusedLocals: false },
        include: ['.astro/types.d.ts', 'src/pages/*.astro', 'src/*.astro'],
      }),
      'src/Link.astro': `---
        interface Props { href?: string }
        const { href } = Astro.props;
        ---
        <a href={href}><slot /></a>`,
      'src/pages/right.astro': pageWith(
        `<ArticleBody article={article} as="section" class="prose" lang="en" components={{ a: Link, img: Picture, picture: Image, 'my-chart': Link }} embeds={{ 'x.com': Link }} />`,
      ),
      ...Object.fromEntries(
        wrong.map((attributes, index) => [
          `src/pages/wrong-${index}.astro`,
          pageWith(`<ArticleBody ${attributes} />`),
        ]),
      ),
      'src/pages/[...slug].astro': '<p></p>',
    },
  });
  const { output } = await site.astro(['check'], service.env);
  const errors = stripVTControlCharacters(output).matchAll(/^(\S+\.astro):\d+:\d+ - error/gm);
  expect(Array.from(errors, ([, path]) => path).sort(), output).toEqual(
    wrong.map((_, index) => `src/pages/wrong-${index}.astro`),
  );
});
