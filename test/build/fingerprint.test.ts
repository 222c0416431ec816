import { expect, test } from 'vitest';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

// All that the fingerprint covers is in test/unit/content/render-fingerprint.test.ts.

const articles = [{ id: 1, title: 'One', content: '```js\n1\n```', cover_image: null }];
const service = await useService({ articles });
const sites = useSites();

/** Builds the site, and returns the HTML of its article. */
async function build(site: Site): Promise<string> {
  await site.build(service.env);
  const [entry] = await site.entries();
  return entry?.html ?? '';
}

/** A Shiki transformer that adds a word to every block of code. */
const transformer = (word: string) =>
  `export default { pre(node) { node.properties.title = ${JSON.stringify(word)}; } };`;
const config = (code: string) => `
  import { defineConfig } from 'astro/config';
  import articles from 'astro-articles';
  ${code}
  export default defineConfig({
    integrations: [articles()],
    markdown: { shikiConfig: { transformers: [transformer] } },
  });`;

test('the HTML follows edits of a plugin that has a computed import', async () => {
  const code = `
    const name = 'mark';
    const { default: transformer } = await import('./plugins/' + name + '.ts');`;
  const site = await sites.create({
    files: { 'plugins/mark.ts': transformer('first'), 'astro.config.mjs': config(code) },
  });
  expect(await build(site)).toContain('title="first"');
  await site.write('plugins/mark.ts', transformer('second'));
  expect(await build(site)).toContain('title="second"');
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
            appendFileSync('rendered.txt', 'x');
            node.properties.title = new Date(0).toISOString();
          },
        };`),
    },
  });
  await build(site);
  const rendered = await site.read('rendered.txt');
  expect(rendered).not.toBe('');
  await build(site);
  expect(await site.read('rendered.txt')).toBe(rendered);
});
