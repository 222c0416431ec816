import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runs } from '../helpers/runs.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

// All that the fingerprint covers is in test/unit/content/fingerprint.test.ts.

const articles = [{ id: 1, title: 'One', content: '```js\n1\n```', cover_image: null }];
const service = await useService({ articles });
const sites = useSites();

test('builds render nothing again until a variable, a file or the schema changes, which pages then follow', async () => {
  const schema = (title: string) => `
    import { articleSchema } from 'astro-articles';
    import { z } from 'astro/zod';
    export const schema = (context: Parameters<typeof articleSchema>[0]) =>
      articleSchema(context).extend({ title: z.string().transform((title) => ${title}) });`;
  const site = await sites.create({
    files: {
      'package-lock.json': '{}',
      'plugins/words/b.txt': 'first',
      'plugins/mark.mjs': `
        import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
        const folder = new URL('words/', import.meta.url);
        const words = readdirSync(folder).map((name) => readFileSync(new URL(name, folder)));
        const title = words.join(' ') + ' ' + process.env.BRAND;
        export default {
          name: process.env.NODE_ENV,
          pre(node) {
            appendFileSync('rendered.md', 'x');
            node.properties.title = title;
          },
        };`,
      'astro.config.mjs': `
        import { defineConfig } from 'astro/config';
        import articles from 'astro-articles';
        const name = 'mark';
        const { default: transformer } = await import('./plugins/' + name + '.mjs');
        export default defineConfig({
          integrations: [articles()],
          markdown: { shikiConfig: { transformers: [transformer] } },
        });`,
      'src/content.config.ts': `
        import { defineCollection } from 'astro:content';
        import { articlesLoader } from 'astro-articles';
        import { schema } from './schemas/article';
        export const collections = { articles: defineCollection({ loader: articlesLoader(), schema }) };`,
      'src/schemas/article.ts': schema('title'),
    },
  });
  const build = async (brand: string) => {
    await site.build({ ...service.env, BRAND: brand });
    const [entry] = await site.entries();
    const [, mark] = /title="(.*?)"/.exec(entry?.html ?? '') ?? [];
    return [entry?.data.title, mark];
  };
  expect(await build('north')).toEqual(['One', 'first north']);
  const rendered = await site.read('rendered.md');
  expect(await build('north')).toEqual(['One', 'first north']);
  expect(await site.read('rendered.md')).toBe(rendered);
  expect(await build('south')).toEqual(['One', 'first south']);
  await site.write('plugins/words/a.txt', 'no');
  await site.write('src/schemas/article.ts', schema('title.toUpperCase()'));
  expect(await build('south')).toEqual(['ONE', 'no first south']);
});

// `TEST_SCALE` includes Astro 6.
const versions = runs(1).numRuns > 1 ? ([7, 6] as const) : ([7] as const);

test.each(versions)(
  'in a dev server, the data follows an edited schema as soon as Astro evaluates it again, on Astro %i',
  async (astro) => {
    const schema = (word: string) => `export const mark = (title: string) => title + ' ${word}';`;
    const note = (title: string) => `---\ntitle: ${title}\n---\n`;
    const contentConfig = `
      import { defineCollection } from 'astro:content';
      import { glob } from 'astro/loaders';
      import { z } from 'astro/zod';
      import { articleSchema, articlesLoader } from 'astro-articles';
      import { mark } from './schemas/title';
      const title = z.string().transform(mark);
      export const collections = {
        articles: defineCollection({
          loader: articlesLoader(),
          schema: (context) => articleSchema(context).extend({ title }),
        }),
        notes: defineCollection({
          loader: glob({ pattern: '*.md', base: 'src/notes' }),
          schema: z.object({ title }),
        }),
      };`;
    const site = await sites.create({
      astro,
      files: {
        'src/content.config.ts': contentConfig,
        'src/schemas/title.ts': schema('1'),
        'src/notes/a.md': note('A'),
        'src/notes/b.md': note('B'),
        'src/pages/titles.json.ts': `
          import { getCollection } from 'astro:content';
          export async function GET() {
            const entries = [...await getCollection('notes'), ...await getCollection('articles')];
            return Response.json(entries.map(({ data }) => data.title).sort());
          }`,
      },
    });
    const dev = await site.dev(service.env);
    const titles = async () => (await fetch(`${dev.url}/titles.json`)).json();
    const refresh = async () => {
      await fetch(`${dev.url}/_articles/refresh`, { method: 'POST' });
      return titles();
    };
    expect(await refresh()).toEqual(['A 1', 'B 1', 'One 1']);

    // Astro's watcher may start later than its server.
    await setTimeout(3_000);
    await site.write('src/schemas/title.ts', schema('2'));
    await setTimeout(3_000);
    expect(await refresh()).toEqual(['A 1', 'B 1', 'One 1']);

    // An edited Markdown or data file makes Astro evaluate the schema again. `glob()` keeps the former one.
    await site.write('src/notes/a.md', note('A2'));
    await expect.poll(titles, { timeout: 20_000 }).toContain('A2 1');
    await expect.poll(refresh, { timeout: 20_000 }).toEqual(['A2 1', 'B 1', 'One 2']);

    await site.write('src/content.config.ts', `${contentConfig}\n`);
    await expect.poll(titles, { timeout: 20_000 }).toEqual(['A2 2', 'B 2', 'One 2']);

    await site.write('src/schemas/title.ts', schema('3'));
    await dev.stop();
    const next = await site.dev(service.env);
    expect(await (await fetch(`${next.url}/titles.json`)).json()).toContain('One 3');
  },
);
