import { defineCollection } from 'astro:content';
import { z } from 'astro/zod';
import { articleSchema, articlesLoader } from 'astro-articles';

const articles = defineCollection({
  loader: articlesLoader(),
  // Further fields of the service. Another service may not have them.
  schema: (context) =>
    articleSchema(context).extend({
      published_at: z.coerce.date().optional().catch(undefined),
      tags: z.array(z.string()).catch([]),
    }),
});

export const collections = { articles };
