import * as z from 'zod';

/**
 * The schema of a live entry's `data`, to use unchanged or to `.extend()`. Without a schema, all other fields
 * of the service are in `data` unchecked.
 */
export const liveArticleSchema = z.object({
  title: z.string(),
  /** The URL of the cover, absolute and https, or null. */
  cover_image: z.string().nullable(),
  /** That of the service, or one from title and id. Of two articles with one slug of the service, a build gives one another. */
  slug: z.string(),
  /** That of the service, or plain text of the first paragraph, at most 160 characters. */
  description: z.string(),
  /** The number of words in the text, without its code blocks. */
  words: z.number(),
});

export type LiveArticleData = z.output<typeof liveArticleSchema>;
