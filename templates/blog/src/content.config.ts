import { defineCollection } from 'astro:content';
import { z } from 'astro/zod';
import { articleSchema, articlesLoader } from 'astro-articles';

const articles = defineCollection({
  loader: articlesLoader({
    // `npm run dev` shows drafts, and marks them.
    transform: (article) => ({
      ...article,
      draft: article.title.trim() === '' || article.content.trim() === '',
    }),
  }),
  schema: (context) =>
    articleSchema(context).extend({
      draft: z.boolean(),
      date: z.coerce.date().optional(),
      author: z.string().optional(),
      tags: z.array(z.string()).default([]),
    }),
});

export const collections = { articles };
