import * as z from 'zod';
import { quote } from '../errors.ts';
import type { SlugHistory } from '../redirects/history.ts';
import { hash } from '../shared/hash.ts';
import { foreignFile, readIfExists, writeAtomically } from './files.ts';
import { parseJson } from './stored-article.ts';

/** The text that identifies an index. */
const format = 'astro-articles mirror';
const version = 5;
const maxHeadLength = 1_000;

// File names are strict, because an index may come from a cache or a repository that others can change.
const objectName = z.string().regex(/^[0-9a-f]{32}$/);
const imageFile = z.string().regex(/^[0-9a-f]{32}\.(?:jpg|png|gif|webp|avif)$/);
const count = z.int().min(0);

/** The validators of a response, for a conditional request (RFC 9110, 8.8). */
const validators = { etag: z.string().optional(), lastModified: z.string().optional() };

const indexedArticleSchema = z.object({
  id: z.string(),
  title: z.string(),
  /** The digest of the article's version: see `digestOf()`. */
  digest: z.string(),
  /** `'same'`: the listing row had the same digest as the fetched article. While the row is unchanged, the article is, too. */
  row: z.literal('same').optional(),
  /**
   * What shows a change of an article whose row is a summary: the text of its `updatedField`, its validators, and the
   * hash of the row's other fields when it was fetched.
   */
  summary: z.object({ updated: z.string().optional(), ...validators, row: objectName }).optional(),
  /** The name of the object with the article's text. */
  object: objectName,
  /** The cover's URL in the last response of the service. */
  cover: z.string().nullable(),
  /** Whether the article has no title or no content. */
  draft: z.boolean(),
  /**
   * True while no build has shown it: `transform` or the collection's schema leaves it out, or it was new in
   * `astro-articles sync`.
   */
  hidden: z.literal(true).optional(),
  /** The content hash of its rendering, the URLs of the images in it, and the names of what was dropped. */
  rendering: z
    .object({ hash: objectName, images: z.array(z.string()), dropped: z.array(z.string()) })
    .optional(),
});

const mirrorImageSchema = z.object({
  /** The URL it was downloaded from, without a signature. */
  url: z.string(),
  file: imageFile,
  bytes: count,
  /** Width times height, for all frames. */
  pixels: count,
  /** Its dominant colour. Absent when a part of the image is transparent. */
  color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/)
    .optional(),
  /** Whether the file was converted from an SVG image. */
  isFromSvg: z.literal(true).optional(),
  ...validators,
  /** The time until which no request is needed, in ms since 1970. */
  freshUntil: z.number(),
});

const slugsSchema = z.tuple([z.string(), z.array(z.string())]);

const indexSchema = z.object({
  source: z.string(),
  /** The time of the last complete load from the service, in ms since 1970; 0 for none. */
  syncedAt: z.number(),
  /** In the order of the listing. */
  articles: z.array(indexedArticleSchema),
  /** The number of older articles that the service listed. */
  older: count,
  /** By URL without a signature. */
  images: z
    .array(mirrorImageSchema)
    .transform(
      (images): ReadonlyMap<string, MirrorImage> =>
        new Map(images.map((image) => [image.url, image])),
    ),
  /** The slugs that builds have published. */
  slugHistory: z.array(slugsSchema).transform((slugs): SlugHistory => new Map(slugs)),
});

const headSchema = z.object({
  format: z.literal(format),
  version: z.number(),
  hash: z.string().optional(),
});

export type IndexedArticle = z.infer<typeof indexedArticleSchema>;

export type MirrorImage = z.infer<typeof mirrorImageSchema>;

export type MirrorIndex = z.infer<typeof indexSchema>;

/** The result of reading an index. `notice`: why the one on disk is not used. */
export interface ReadIndex {
  index?: MirrorIndex;
  notice?: string;
}

export function emptyIndex(source: string): MirrorIndex {
  return { source, syncedAt: 0, articles: [], older: 0, images: new Map(), slugHistory: new Map() };
}

/** Writes an index: a line with the hash of the text that follows. Equal indexes give equal bytes. */
export async function writeIndex(path: string, index: MirrorIndex): Promise<void> {
  const { source, syncedAt, articles, older } = index;
  const images = byKey(index.images).map(([, image]) => image);
  const slugHistory = byKey(index.slugHistory);
  const text = JSON.stringify({ source, syncedAt, articles, older, images, slugHistory }, null, 1);
  const head = JSON.stringify({ format, version, hash: hash(text) });
  await writeAtomically(path, `${head}\n${text}\n`, { flush: true });
}

function byKey<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Reads the index of a mirror of `source`.
 *
 * @throws {ArticlesMirrorError} `mirror-unreadable`, or `mirror-unwritable` for a file of another program
 */
export function readIndex(path: string, source: string): ReadIndex {
  const bytes = readIfExists(path);
  if (!bytes) return {};
  // Git may have changed the line ends. Within the strings of JSON, they are escaped.
  const text = bytes.toString('utf8').replaceAll('\r\n', '\n').trimEnd();
  // After a power cut, a file may have its length, and zeros instead of its text.
  const isOwn = /^(?:\0|$)/.test(text) || text.slice(0, maxHeadLength).includes(format);
  if (!isOwn) throw foreignFile(path);
  const end = text.indexOf('\n');
  const head = headSchema.safeParse(parseJson(text.slice(0, end))).data;
  if (head && head.version !== version) {
    return { notice: `its format is version ${head.version}, not ${version}` };
  }
  const body = text.slice(end + 1);
  const isIntact = head?.hash === hash(body);
  const index = isIntact ? indexSchema.safeParse(parseJson(body)).data : undefined;
  if (!index) return { notice: 'its index is corrupt' };
  return index.source === source
    ? { index }
    : { notice: `it is the mirror of ${quote(index.source)}` };
}
