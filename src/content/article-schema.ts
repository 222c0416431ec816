import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';

/**
 * The schema of an entry's `data`, to use unchanged or to `.extend()`:
 *
 * ```ts
 * schema: (context) => articleSchema(context).extend({ reviewed: z.boolean() })
 * ```
 *
 * If the service has a field of the same name, such as `description`, the package's value is used. Name the
 * field in `.extend()` to get the service's value.
 */
export function articleSchema({ image }: SchemaContext): ArticleSchema {
  return z.object({
    title: z.string(),
    cover_image: image().nullable(),
    slug: z.string().overwrite(replaceTextProbe),
    description: z.string().overwrite(replaceTextProbe),
    words: z.number().overwrite(replaceNumberProbe),
    position: z.number().overwrite(replaceNumberProbe),
  });
}

// An explicit type, so that `image()` has the type of the site's own Astro: 6 and 7 differ.
export type ArticleSchema = z.ZodObject<{
  title: z.ZodString;
  /** The local, verified cover; null when there is none, or it could not be downloaded. */
  cover_image: z.ZodNullable<ReturnType<SchemaContext['image']>>;
  /** The path segment of the article: unique in the collection, and independent of other articles. */
  slug: z.ZodString;
  /** Plain text of the first paragraph, at most 160 characters. */
  description: z.ZodString;
  /** The number of words in the text, without its code blocks. */
  words: z.ZodNumber;
  /** The position in the service's listing, counted from the oldest article, which is 1. Sort by it. */
  position: z.ZodNumber;
}>;

/**
 * By field: a probe, and the value that `articleSchema` replaces it with. A schema that returns the probe
 * unchanged defines the field itself.
 */
export const probes = {
  slug: ['astro-articles:probe', 'astro-articles:own'],
  description: ['astro-articles:probe', 'astro-articles:own'],
  words: [-0.125, -0.25],
  position: [-0.125, -0.25],
} as const;

function replaceTextProbe(value: string): string {
  return value === probes.slug[0] ? probes.slug[1] : value;
}

function replaceNumberProbe(value: number): number {
  return value === probes.words[0] ? probes.words[1] : value;
}
