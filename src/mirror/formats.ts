import * as z from 'zod';
import { type DroppedHtml, droppedKinds } from '../shared/dropped-html.ts';
import { hash } from '../shared/hash.ts';
import { imageKinds } from '../shared/image-kinds.ts';
import { unsigned } from '../shared/image-url.ts';
import { parseJson, toJsonValue } from '../shared/json-value.ts';
import { foreignFile, readFile } from './files.ts';

// The file is JSON with a hash of the index, so a merge by Git is noticed.

const format = 'astro-articles mirror';
// A change of what is written, or of what it means, raises it. The index has facts only: what a rule decides from them, such
// as whether an article is a draft, is computed in each load.
export const formatVersion = 16;

// File names are strict, because an index may come from a cache or a repository that others can change.
const imageFile = new RegExp(`^[0-9a-f]{32}\\.(?:svg|${imageKinds.join('|')})$`);
const matching = (pattern: RegExp) => z.string().regex(pattern);
const recordName = matching(/^[0-9a-f]{32}$/);

const droppedSchema = z.object({
  kind: z.enum(droppedKinds),
  name: z.string(),
  on: z.string().optional(),
  host: z.string().optional(),
  scheme: z.string().optional(),
}) satisfies z.ZodType<DroppedHtml>;

const renderingSchema = z.object({
  /** The name of its record: its key, and the hash of its content. */
  name: matching(/^[0-9a-f]{32}-[0-9a-f]{32}$/),
  /** The URLs of the images in it. */
  images: z.array(z.string()),
  dropped: z.array(droppedSchema),
  /** Whether it has URLs that expire. */
  hasExpiringUrls: z.literal(true).optional(),
  /** Why the front matter of the article cannot be read. */
  brokenFrontMatter: z.string().optional(),
});

const fetchedRowSchema = z.object({
  /** The title and the cover, without its signature, of the row with which the article was fetched. */
  title: z.string().optional(),
  cover: z.string().nullable().optional(),
  /** The hash of its further fields, some of which the article itself may lack. */
  fields: recordName,
  /** The value of the field that shows changes, as JSON. */
  changed: z.string(),
  /** When the article was fetched, in ms since 1970. */
  fetchedAt: z.number(),
});

const indexedArticleSchema = z.object({
  id: z.string(),
  title: z.string(),
  /** The name of the record with the article's text: see `recordOf()`. Each version has a record of its own. */
  record: recordName,
  /** The cover's URL in the last response of the service. */
  cover: z.string().nullable(),
  /** Whether its text is not empty. */
  hasContent: z.boolean(),
  /** The hash of what shaped it besides the service. If the hash of a load differs, the row proves nothing. */
  sourceHash: matching(/^[0-9a-f]{8}$/).optional(),
  /** Whether the listing row equalled the fetched article. While the row is unchanged, the article is, too. */
  rowIsWhole: z.literal(true).optional(),
  /** The names of the fields that only its row has. */
  rowFields: z.array(z.string()).optional(),
  /** With `rows.changedBy`: what is compared with later rows. Absent without the field. */
  row: fetchedRowSchema.optional(),
  /** The field `slug` of the service, if it is text. It may not be usable as the slug of a page. */
  givenSlug: z.string().optional(),
  /** The renderings of its last two fingerprints, the newest first. */
  renderings: z.array(renderingSchema).max(2),
  /** The slug of its page, if the site showed it after the load. */
  slug: z.string().optional(),
});

const mirrorImageSchema = z.object({
  /** The URL it was downloaded from, without a signature. */
  url: z.string(),
  file: matching(imageFile),
  bytes: z.int().min(0),
  /** Its dominant colour. Absent when a part of the image is transparent. */
  color: matching(/^#[0-9a-f]{6}$/).optional(),
  /** The validator of the response, for a conditional request (RFC 9110, 8.8). */
  etag: z.string().optional(),
  /** When it was last changed, by a response without that validator. */
  lastModified: z.string().optional(),
  /** The time until which no request is needed, in ms since 1970. */
  freshUntil: z.number(),
  /** For how long `Cache-Control` lets a response be used, in ms. Absent without it. */
  freshForMs: z.number().optional(),
});

export const indexSchema = z.object({
  baseUrl: z.string(),
  /** The time of the last complete load from the service that has written it, in ms since 1970. */
  syncedAt: z.number().optional(),
  /** The number of older articles that the service listed. */
  older: z.int().min(0).default(0),
  /** Ids in the history of paths that the listing lacks. Later loads do not request them until it has them again. */
  unlisted: z.array(z.string()).default([]),
  /** Ids that the service no longer has. Later loads ignore them until the listing has them again. */
  gone: z.array(z.string()).default([]),
  /** Ids of the articles that the last build has shown. Neither `astro dev` nor a preview changes them. */
  built: z.array(z.string()).default([]),
  /** The name of the record with what the fingerprint of the site was made of. */
  inputs: recordName.optional(),
  /** In the order of the listing. */
  articles: z.array(indexedArticleSchema).default([]),
  /** By URL without a signature. */
  images: z
    .array(mirrorImageSchema)
    .default([])
    .transform((images) => new Map(images.map((image) => [image.url, image]))),
  /** The files of images that only the index before had. Another build may still import them: they stay for one more load. */
  formerImages: z.array(matching(imageFile)).default([]),
  /** The packs with the records in use. */
  packs: z.array(matching(/^[0-9a-f]{32}\.pack$/)).default([]),
});

export type IndexedArticle = z.infer<typeof indexedArticleSchema>;

export type MirrorImage = z.infer<typeof mirrorImageSchema>;

export type MirrorIndex = z.infer<typeof indexSchema>;

/** Returns the bytes of an index, with each field in a line, for diffs. Equal indexes give equal bytes. */
export function encodeIndex(mirrorIndex: MirrorIndex): Buffer {
  const images = [...mirrorIndex.images.values()].sort((a, b) => (a.url < b.url ? -1 : 1));
  const index = { ...mirrorIndex, images };
  const file = { format, version: formatVersion, hash: hash(JSON.stringify(index)), index };
  return Buffer.from(`${JSON.stringify(file, null, 1)}\n`);
}

/** Returns the index in the bytes of a file; undefined when it is corrupt, or of another version. */
export function decodeIndex(bytes: Buffer): MirrorIndex | undefined {
  const file = Object(parseJson(bytes.toString()));
  // The spaces do not count, because Git or a formatter may have changed them.
  const isIntact =
    file.version === formatVersion && file.hash === hash(JSON.stringify(file.index) ?? '');
  return isIntact ? indexSchema.safeParse(file.index).data : undefined;
}

/** The index in a file. Without a usable file it is empty, and `notice` has the reason. */
interface IndexFile {
  bytes: Buffer | undefined;
  index: MirrorIndex;
  notice?: string;
}

/** Reads the index of a mirror of `baseUrl`: again, unless the file still has the bytes of an earlier reading. */
export function readIndex(path: string, baseUrl: string, earlier?: IndexFile): IndexFile {
  const bytes = readFile(path);
  if (earlier?.bytes && bytes?.equals(earlier.bytes)) return earlier;
  const index = bytes && decodeIndex(bytes);
  if (index?.baseUrl === baseUrl) return { bytes, index };
  const none = { bytes, index: indexSchema.parse({ baseUrl }) };
  if (!bytes) return none;
  const value = parseJson(bytes.toString());
  if (value !== undefined && Object(value).format !== format) throw foreignFile(path);
  const reason =
    'it is corrupt, or of another version. A load from the service keeps it as index.broken.json.';
  return { ...none, notice: `${path} is not used, because ${reason}` };
}

const storedSchema = z.object({
  id: z.string(),
  title: z.string(),
  content: z.string(),
  /** The cover's URL, without the signature that some services renew in every response. The index has the whole URL. */
  cover_image: z.string().nullable(),
  extra: z.record(z.string(), z.unknown()),
});

/** An article as the mirror contains it. */
export type StoredArticle = z.infer<typeof storedSchema>;

/** Returns an article in its stored form, so that a fetched article equals the same one read from disk. */
export function storedArticle(article: StoredArticle): StoredArticle {
  const { id, title, content, extra, cover_image: cover } = article;
  return { content, extra, id, title, cover_image: cover && unsigned(cover) };
}

/** Encodes an article, the same for equal articles: its fields as a line of JSON, and then its content, which is long. */
export function encodeArticle(article: StoredArticle): string {
  const { content, ...fields } = storedArticle(article);
  return `${JSON.stringify(fields)}\n${content}`;
}

/** Returns the name of an article's record, which all its fields shape: the hash of the encoded article. */
export function recordOf(article: StoredArticle): string {
  return hash(encodeArticle(article));
}

/** Decodes the text of an article; undefined when it is not one. */
export function storedArticleFrom(text: string): StoredArticle | undefined {
  const [line = ''] = text.split('\n', 1);
  const fields = Object(parseJson(line));
  const found = storedSchema.safeParse({ ...fields, content: text.slice(line.length + 1) }).data;
  if (!found) return undefined;
  try {
    // A repository or cache that others can change may have what the client never accepts.
    return { ...found, extra: { ...Object(toJsonValue(found.extra)) } };
  } catch {
    return undefined;
  }
}
