import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';

/**
 * The schema of an entry's `data`, to use unchanged or to `.extend()`:
 *
 * ```ts
 * schema: (context) => articleSchema(context).extend({ reviewed: z.boolean() })
 * ```
 *
 * `words` and `position` have the package's values, also if the service has fields of these names: `transform` can
 * rename those.
 */
export function articleSchema({ image }: SchemaContext): ArticleSchema {
  return z.object({
    title: z.string(),
    cover_image: image().nullable(),
    cover_color: z.string().nullable(),
    slug: z.string(),
    description: z.string(),
    words: z.number(),
    position: z.number(),
  });
}

// An explicit type, so that `image()` has the type of the site's own Astro: 6 and 7 differ.
export type ArticleSchema = z.ZodObject<{
  title: z.ZodString;
  /** The local, verified cover; null when there is none, or it could not be downloaded. */
  cover_image: z.ZodNullable<ReturnType<SchemaContext['image']>>;
  /** The dominant colour of a local cover, as `#rrggbb`; null when a part of it is transparent, or there is none. */
  cover_color: z.ZodNullable<z.ZodString>;
  /** The path segment of the article, unique in the collection: the service's own `slug`, or one from title and id. */
  slug: z.ZodString;
  /** The service's own `description`, or plain text of the first paragraph, at most 160 characters. */
  description: z.ZodString;
  /** The number of words in the text, without its code blocks. */
  words: z.ZodNumber;
  /**
   * The position in the service's listing, counted from the oldest article, which is 1. Sort by it. With `newest`, it
   * is counted from the oldest one that was loaded, unless the listing has a `count`.
   */
  position: z.ZodNumber;
}>;
