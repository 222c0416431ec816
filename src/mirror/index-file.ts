import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { hash } from '../shared/hash.ts';
import { version } from '../shared/version.ts';
import { writeWhole } from './files.ts';

const format = 'astro-articles mirror';
const formatVersion = 1;

const listedSchema = z.object({
  /** How it wrote the id. */
  idType: z.enum(['text', 'number']),
  /** The hash of its bytes, when it told what the index holds to the letter: then it need not be read again. */
  hash: z.string().optional(),
  /** Whether it was taken for the article, which was never asked for. */
  trusted: z.literal(true).optional(),
});

const articleSchema = z.object({
  id: z.string(),
  title: z.string(),
  /** The digest of the article as fetched: see `digestOf()`. */
  digest: z.string(),
  /** The row that listed it, when that told the same as the article itself: it is believed from then on. */
  listed: listedSchema.optional(),
  /** The name of the file with its text. */
  object: z.string(),
  /** As the service last gave it. */
  cover: z.string().nullable(),
  /** The addresses of the images in its body, where these are kept, too. */
  images: z.array(z.string()).optional(),
  draft: z.boolean(),
});

const imageSchema = z.object({
  /** Where it came from, without a signature. */
  url: z.string(),
  file: z.string(),
  bytes: z.number(),
  /** Validators of the last answer, for a conditional request (RFC 9110, 8.8). */
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  /** Until when it need not be asked for again, in ms since 1970. */
  freshUntil: z.number(),
});

const indexSchema = z.object({
  /** The address of the service that all of this came from. */
  source: z.string(),
  /** In the order of the listing. */
  articles: z.array(articleSchema),
  images: z.array(imageSchema),
  /**
   * Files that no article names any more, but an entry that stays as it was: as paths in the mirror's
   * folder.
   */
  held: z.array(z.string()).optional(),
  /** What shaped the renderings that the images of bodies were read from. */
  fingerprint: z.string().optional(),
  /** When the service was last asked, in ms since 1970; 0 when never. */
  syncedAt: z.number(),
  /** The version of this package that read the rows: another one reads them again, and may find more. */
  readBy: z.string().optional(),
});

export type MirrorArticle = z.infer<typeof articleSchema>;
export type ListedRow = z.infer<typeof listedSchema>;

/** Whether a site shows an article. */
export function isShown({ draft }: MirrorArticle, { drafts }: { drafts: 'skip' | 'include' }) {
  return !draft || drafts === 'include';
}

export type MirrorImage = z.infer<typeof imageSchema>;
export interface MirrorIndex extends Omit<z.infer<typeof indexSchema>, 'images' | 'readBy'> {
  /** By URL. A Map, since the URLs come from outside: one may be "constructor". */
  images: ReadonlyMap<string, MirrorImage>;
}

export function emptyIndex(source: string): MirrorIndex {
  return { source, articles: [], images: new Map(), syncedAt: 0 };
}

/** Reads an index; neither `index` nor `fault` when there is none. */
export async function readIndex(path: string): Promise<{ index?: MirrorIndex; fault?: string }> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const code: unknown = error instanceof Error && Reflect.get(error, 'code');
    return code === 'ENOENT' ? {} : { fault: `it cannot be read: ${String(code)}` };
  }
  return decode(text);
}

/** Writes the index: one line that says what it is, then one line per article and image. */
export async function writeIndex(path: string, index: MirrorIndex): Promise<void> {
  const body = encode(index);
  const head = JSON.stringify({ format, version: formatVersion, hash: hash(body) });
  await writeWhole(path, `${head}\n${body}`);
}

function encode({ source, articles, images, held, fingerprint, syncedAt }: MirrorIndex): string {
  const lines = (values: string[]) => values.map((value) => `\n${value}`).join(',');
  const rows = lines(articles.map((article) => JSON.stringify(article)));
  const pictures = [...images.values()].toSorted((a, b) => (a.url < b.url ? -1 : 1));
  const files = lines(pictures.map((image) => JSON.stringify(image)));
  const shaped = fingerprint ? `,"fingerprint":${JSON.stringify(fingerprint)}` : '';
  const kept = held ? `,"held":${JSON.stringify(held)}` : '';
  const by = `"readBy":${JSON.stringify(version)}`;
  const about = `"source":${JSON.stringify(source)},"syncedAt":${syncedAt},${by}${shaped}${kept}`;
  return `{${about},"articles":[${rows}],"images":[${files}]}\n`;
}

function decode(text: string): { index?: MirrorIndex; fault?: string } {
  const end = text.indexOf('\n');
  const head = headSchema.safeParse(parse(text.slice(0, end)));
  if (!head.success) return { fault: 'its index is damaged' };
  if (head.data.version !== formatVersion) {
    return { fault: `its format is version ${head.data.version}, not ${formatVersion}` };
  }
  const body = text.slice(end + 1);
  if (head.data.hash !== hash(body)) return { fault: 'its index is damaged' };
  const index = indexSchema.safeParse(parse(body));
  if (!index.success) return { fault: 'its index is damaged' };
  const { readBy, articles, ...rest } = index.data;
  const images = new Map(index.data.images.map((image) => [image.url, image]));
  const current = readBy === version ? articles : articles.map(withoutHash);
  return { index: { ...rest, articles: current, images } };
}

function withoutHash({ listed, ...article }: MirrorArticle): MirrorArticle {
  if (!listed) return article;
  const { hash: _, ...others } = listed;
  return { ...article, listed: others };
}

const headSchema = z.object({ format: z.literal(format), version: z.number(), hash: z.string() });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
