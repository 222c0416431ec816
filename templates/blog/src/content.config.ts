import { defineCollection } from 'astro:content';
import { z } from 'astro/zod';
import { articleSchema, articlesLoader } from 'astro-articles';

const articles = defineCollection({
  loader: articlesLoader(),
  schema: (context) =>
    articleSchema(context).extend({
      date: z.coerce.date().optional(),
      author: z.string().optional(),
      tags: z.array(z.string()).default([]),
    }),
});

export const collections = { articles };
