import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';

/**
 * The schema of an entry's `data`, to use as it is or to `.extend()`:
 *
 * ```ts
 * schema: (context) => articleSchema(context).extend({ reviewed: z.boolean() })
 * ```
 */
export function articleSchema({ image }: SchemaContext) {
  return z.object({
    title: z.string(),
    /** The local, verified cover; null when there is none, or none that could be had. */
    cover_image: image().nullable(),
    /** URL-safe, unique in the collection, and the same whatever other articles come and go. */
    slug: z.string(),
    /** Plain text of the first paragraph, at most 160 characters. */
    description: z.string(),
    /** How many words the text has, without its code blocks. */
    words: z.number(),
    /** Place in the service's listing, counted from the oldest article: sort by it. */
    position: z.number(),
  });
}
