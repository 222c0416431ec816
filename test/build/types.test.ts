import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { createSite, type Site } from '../helpers/site.ts';

const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

let service: FixtureService;
const sites: Site[] = [];

beforeAll(async () => {
  service = await startService({
    articles: makeArticles(2).map((article) => ({ ...article, reviewed: true })),
  });
});
afterAll(async () => {
  for (const site of sites) await site.remove();
  await service.close();
});

const assertions = `
  import type { CollectionEntry } from 'astro:content';
  import type { ImageMetadata } from 'astro';
  type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
  export function same<A, B>(_: Same<A, B>) {}
  type Data = CollectionEntry<'articles'>['data'];
  same<Data['title'], string>(true);
  same<Data['position'], number>(true);
  export const cover = (data: Data): ImageMetadata | null => data.cover_image;
  // @ts-expect-error: null has to be handled
  export const always = (data: Data): ImageMetadata => data.cover_image;
  // @ts-expect-error: no such field
  export const missing = (data: Data) => data.author;
`;

async function check(astro: 6 | 7, files: Record<string, string>): Promise<string> {
  const site = await createSite({
    astro,
    files: {
      'tsconfig.json': JSON.stringify({
        extends: 'astro/tsconfigs/strictest',
        include: ['.astro/types.d.ts', 'src/*.ts'],
      }),
      ...files,
    },
  });
  sites.push(site);
  const env = { ARTICLES_BASE_URL: service.url, ARTICLES_API_KEY: service.apiKey };
  expect(await site.astro(['sync'], env)).toMatchObject({ status: 0 });
  const { stdout } = spawnSync(process.execPath, [compiler, '--noEmit', '-p', '.'], {
    cwd: site.root,
  });
  return String(stdout);
}

it.each([7, 6] as const)('types an entry, on Astro %i', async (astro) => {
  expect(await check(astro, { 'src/types.ts': assertions })).toBe('');
});

it.each([7, 6] as const)(
  'keeps the types of a schema that is extended, on Astro %i',
  async (astro) => {
    const files = {
      'src/content.config.ts': `
      import { defineCollection } from 'astro:content';
      import { z } from 'astro/zod';
      import { articleSchema, articlesLoader } from 'astro-articles';
      export const collections = {
        articles: defineCollection({
          loader: articlesLoader(),
          schema: (context) => articleSchema(context).extend({ reviewed: z.boolean() }),
        }),
      };`,
      'src/types.ts': `${assertions}\n  same<Data['reviewed'], boolean>(true);\n`,
    };
    expect(await check(astro, files)).toBe('');
  },
);
