import { expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const service = await useService({ articles: makeArticles(1) });
const sites = useSites();

it('a feed has the entries of a local collection, and names one that it cannot render', async () => {
  const site = await sites.create({
    config:
      "site: 'https://a.example', integrations: [articles(), (await import('@astrojs/mdx')).default()]",
    files: {
      'src/content.config.ts': `
        import { defineCollection } from 'astro:content';
        import { glob } from 'astro/loaders';
        import { z } from 'astro/zod';
        import { articlesLoader } from 'astro-articles';
        const schema = z.object({ title: z.string() });
        const notes = (pattern) => defineCollection({ loader: glob({ pattern, base: 'notes' }), schema });
        export const collections = {
          articles: defineCollection({ loader: articlesLoader() }),
          notes: notes('*.md'),
          parts: notes('*.mdx'),
        };`,
      'notes/tide.md': '---\ntitle: Tide\n---\nThe *sea*.',
      'notes/box.mdx': '---\ntitle: Box\n---\nThe {1 + 1} *boxes*.',
      'src/pages/feed.json.ts': `
        import { getCollection } from 'astro:content';
        import { feedItems } from 'astro-articles/feed';
        export async function GET({ site }) {
          const path = ({ id }) => '/notes/' + id + '/';
          const notes = await feedItems(await getCollection('notes'), { site, path });
          const articles = await feedItems(await getCollection('articles'), { site, path });
          const error = await feedItems(await getCollection('parts'), { site, path }).catch(
            ({ code, message, hint }) => ({ code, message, hint }));
          return Response.json({ notes, articles, error });
        }`,
    },
  });
  await site.build(service.env);
  const { notes, articles, error } = JSON.parse(await site.read('dist/feed.json'));
  const link = 'https://a.example/notes/tide/';
  expect(notes).toEqual([
    { title: 'Tide', link, description: '', content: '<p>The <em>sea</em>.</p>' },
  ]);
  expect(articles).toHaveLength(1);
  expect(error).toMatchObject({
    code: 'invalid-articles',
    message: expect.stringContaining('article "box": feedItems() cannot render it'),
    hint: expect.stringContaining('`filter()`'),
  });
});
