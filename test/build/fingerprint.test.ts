import { expect, test } from 'vitest';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

// All that the fingerprint covers is in test/unit/content/fingerprint.test.ts.

const articles = [{ id: 1, title: 'One', content: '```js\n1\n```', cover_image: null }];
const service = await useService({ articles });
const sites = useSites();

test('a build follows a change of the code, of the schema and of .env, and with --force what a plugin reads by itself', async () => {
  const schema = (title: string) => `
    import { articleSchema } from 'astro-articles';
    import { z } from 'astro/zod';
    export const schema = (context: Parameters<typeof articleSchema>[0]) =>
      articleSchema(context).extend({ title: z.string().transform((title) => ${title} + import.meta.env.ENDING) });`;
  const site = await sites.create({
    files: {
      'package-lock.json': '{}',
      '.env': 'ENDING=.',
      'src/plugins/words/b.json': '"first"',
      'src/plugins/mark.mjs': `
        import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
        const folder = new URL('words/', import.meta.url);
        const words = readdirSync(folder).map((name) => JSON.parse(readFileSync(new URL(name, folder))));
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
        const { default: transformer } = await import('./src/plugins/' + name + '.mjs');
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
  const build = async (brand: string, ...flags: string[]) => {
    const { status } = await site.astro(['build', ...flags], { ...service.env, BRAND: brand });
    expect(status).toBe(0);
    const [entry] = await site.entries();
    const [, mark] = /title="(.*?)"/.exec(entry?.html ?? '') ?? [];
    return [entry?.data.title, mark];
  };
  expect(await build('north')).toEqual(['One.', 'first north']);
  const rendered = await site.read('rendered.md');
  await site.write('.env', 'ENDING=!');
  expect(await build('south')).toEqual(['One!', 'first north']);
  expect(await site.read('rendered.md')).toBe(rendered);
  expect(await build('south', '--force')).toEqual(['One!', 'first south']);
  await site.write('src/plugins/words/a.json', '"no"');
  await site.write('src/schemas/article.ts', schema('title.toUpperCase()'));
  expect(await build('south')).toEqual(['ONE!', 'no first south']);
});
