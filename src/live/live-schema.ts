import * as z from 'zod';

/**
 * The schema of a live entry's `data`, to use as it is or to `.extend()`. Without a schema, fields
 * that the service adds to its articles reach `data` unchecked.
 */
export const liveArticleSchema = z.object({
  title: z.string(),
  /** Where the cover is: an absolute https URL, or null. */
  cover_image: z.string().nullable(),
  /** URL-safe, and the same as in a collection that is built. */
  slug: z.string(),
  /** Plain text of the first paragraph, at most 160 characters. */
  description: z.string(),
  /** How many words the text has, without its code blocks. */
  words: z.number(),
});

export type LiveArticleData = z.output<typeof liveArticleSchema>;
