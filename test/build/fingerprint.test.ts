import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

// All that the fingerprint covers is in test/unit/content/fingerprint.test.ts.

const articles = [{ id: 1, title: 'One', content: '```js\n1\n```', cover_image: null }];
const service = await useService({ articles });
const sites = useSites();

/** Builds the site, and returns the HTML of its article. */
async function build(site: Site, brand = ''): Promise<string> {
  await site.build({ ...service.env, BRAND: brand });
  const [entry] = await site.entries();
  return entry?.html ?? '';
}

const config = (code: string) => `
  import { defineConfig } from 'astro/config';
  import articles from 'astro-articles';
  ${code}
  export default defineConfig({
    integrations: [articles()],
    markdown: { shikiConfig: { transformers: [transformer] } },
  });`;

test('the HTML follows edits of a plugin, of a file that it finds, and of a variable that it names', async () => {
  const site = await sites.create({
    files: {
      'package-lock.json': '{}',
      'plugins/words/b.txt': 'first',
      'plugins/mark.mjs': `
        import { readdirSync, readFileSync } from 'node:fs';
        const folder = new URL('words/', import.meta.url);
        const words = readdirSync(folder).map((name) => readFileSync(new URL(name, folder)));
        const title = words.join(' ') + ' ' + process.env.BRAND;
        export default { pre(node) { node.properties.title = title; } };`,
      'astro.config.mjs': config(`
        const name = 'mark';
        const { default: transformer } = await import('./plugins/' + name + '.mjs');`),
    },
  });
  expect(await build(site, 'north')).toContain('title="first north"');
  expect(await build(site, 'south')).toContain('title="first south"');
  await site.write('plugins/words/a.txt', 'no');
  expect(await build(site, 'south')).toContain('title="no first south"');
  await site.write(
    'plugins/mark.mjs',
    "export default { pre(node) { node.properties.title = 'new'; } };",
  );
  expect(await build(site, 'south')).toContain('title="new"');
});

test('the data follows edits of a schema that the content config imports', async () => {
  const schema = (title: string) => `
    import { articleSchema } from 'astro-articles';
    import { z } from 'astro/zod';
    export const schema = (context: Parameters<typeof articleSchema>[0]) =>
      articleSchema(context).extend({ title: z.string().transform((title) => ${title}) });`;
  const site = await sites.create({
    files: {
      'src/content.config.ts': `
        import { defineCollection } from 'astro:content';
        import { articlesLoader } from 'astro-articles';
        import { schema } from './schemas/article';
        export const collections = { articles: defineCollection({ loader: articlesLoader(), schema }) };`,
      'src/schemas/article.ts': schema('title'),
    },
  });
  const titles = async () => {
    await build(site);
    return (await site.entries()).map(({ data }) => data.title);
  };
  expect(await titles()).toEqual(['One']);
  await site.write('src/schemas/article.ts', schema('title.toUpperCase()'));
  expect(await titles()).toEqual(['ONE']);
});

test('a config that reads the environment renders nothing in an unchanged load', async () => {
  const site = await sites.create({
    files: {
      'package-lock.json': '{}',
      'astro.config.mjs': config(`
        import { appendFileSync } from 'node:fs';
        const transformer = {
          name: process.env.NODE_ENV,
          pre(node) {
            appendFileSync('rendered.md', 'x');
            node.properties.title = new Date(0).toISOString();
          },
        };`),
    },
  });
  await build(site);
  const rendered = await site.read('rendered.md');
  expect(rendered).not.toBe('');
  await build(site);
  expect(await site.read('rendered.md')).toBe(rendered);
});

test.each([7, 6] as const)(
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
