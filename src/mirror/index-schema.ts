import * as z from 'zod';

// File names are strict, because an index may come from a cache or a repository that others can change.
const objectName = z.string().regex(/^[0-9a-f]{32}$/);
const imageFile = z.string().regex(/^[0-9a-f]{32}\.(?:jpg|png|gif|webp|avif)$/);
const count = z.int().min(0);

/** The text that identifies an index. */
export const format = 'astro-articles mirror';

export const formatSchema = z.object({ format: z.literal(format), version: z.number() });

/** The header of an index, with the number of lines of each kind that follow. */
export const headSchema = formatSchema.extend({
  source: z.string(),
  syncedAt: z.number(),
  articles: count,
  images: count,
  slugHistory: count,
});

export const indexedArticleSchema = z.object({
  id: z.string(),
  title: z.string(),
  /** The digest of the article's version: see `digestOf()`. */
  digest: z.string(),
  /**
   * `'same'`: the listing row had the same digest as the fetched article. `'source'`: the article is the
   * row itself (`trustList`), and was never fetched. While such a row is unchanged, the article is, too.
   */
  row: z.enum(['same', 'source']).optional(),
  /** The name of the object with the article's text. */
  object: objectName,
  /** The cover's URL in the last response of the service. */
  cover: z.string().nullable(),
  /** Whether the article has no title or no content. */
  draft: z.boolean(),
  /**
   * Whether no build has shown it: because of `transform` or the collection's schema, or because it was new in
   * `astro-articles sync`.
   */
  hidden: z.literal(true).optional(),
  /** The URLs of the images in the body, and the content hash of the rendering that contains them. */
  bodyImages: z.object({ rendering: objectName, urls: z.array(z.string()) }).optional(),
});

export const mirrorImageSchema = z.object({
  /** The URL it was downloaded from, without a signature. */
  url: z.string(),
  file: imageFile,
  /** The size of the file. */
  bytes: count,
  /** Width times height, for all frames. */
  pixels: count,
  /** Whether the file was converted from an SVG image. */
  isFromSvg: z.literal(true).optional(),
  /** Validators of the last response, for a conditional request (RFC 9110, 8.8). */
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  /** The time until which no request is needed, in ms since 1970. */
  freshUntil: z.number(),
});

export const slugsSchema = z.object({ id: z.string(), slugs: z.array(z.string()) });

/** An article in the index. */
export type IndexedArticle = z.infer<typeof indexedArticleSchema>;

/** A downloaded image in the index. */
export type MirrorImage = z.infer<typeof mirrorImageSchema>;

/** By id: every slug under which an article was shown, oldest first, including removed articles. */
export type SlugHistory = ReadonlyMap<string, readonly string[]>;

/** The state of a mirror. */
export interface MirrorIndex {
  /** The URL of the service. */
  source: string;
  /** In the order of the listing. */
  articles: IndexedArticle[];
  /** By URL without a signature. */
  images: ReadonlyMap<string, MirrorImage>;
  slugHistory: SlugHistory;
  /** The time of the last complete load from the service, in ms since 1970; 0 for none. */
  syncedAt: number;
}
