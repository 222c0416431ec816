import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';

/**
 * The schema of an entry's `data`, to use as it is or to `.extend()`:
 *
 * ```ts
 * schema: (context) => articleSchema(context).extend({ reviewed: z.boolean() })
 * ```
 */
export function articleSchema({ image }: SchemaContext): ArticleSchema {
  return z.object({
    title: z.string(),
    cover_image: image().nullable(),
    slug: z.string(),
    description: z.string(),
    words: z.number(),
    position: z.number(),
  });
}

// Written out, so that the image is that of the Astro which the site has: 6 and 7 differ.
export type ArticleSchema = z.ZodObject<{
  title: z.ZodString;
  /** The local, verified cover; null when there is none, or none that could be had. */
  cover_image: z.ZodNullable<ReturnType<SchemaContext['image']>>;
  /** URL-safe, unique in the collection, and the same whatever other articles come and go. */
  slug: z.ZodString;
  /** Plain text of the first paragraph, at most 160 characters. */
  description: z.ZodString;
  /** How many words the text has, without its code blocks. */
  words: z.ZodNumber;
  /** Place in the service's listing, counted from the oldest article, which is 1: sort by it. */
  position: z.ZodNumber;
}>;
