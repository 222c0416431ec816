import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { hash } from '../hash.ts';
import { writeWhole } from './files.ts';

const format = 'astro-articles mirror';
const version = 1;

const articleSchema = z.object({
  id: z.string(),
  title: z.string(),
  /** The digest of the article as fetched: see `digestOf()`. */
  digest: z.string(),
  /**
   * There when the row that listed it told the same as the article itself: the hash of that row's bytes,
   * which prove the article unchanged when they come again.
   */
  row: z.string().optional(),
  /** How that row wrote the id. */
  idType: z.enum(['text', 'number']).optional(),
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
});

export type MirrorArticle = z.infer<typeof articleSchema>;

/** Whether a site shows an article. */
export function isShown({ draft }: MirrorArticle, { drafts }: { drafts: 'skip' | 'include' }) {
  return !draft || drafts === 'include';
}

export type MirrorImage = z.infer<typeof imageSchema>;
export interface MirrorIndex extends Omit<z.infer<typeof indexSchema>, 'images'> {
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
  const head = JSON.stringify({ format, version, hash: hash(body) });
  await writeWhole(path, `${head}\n${body}`);
}

function encode({ source, articles, images, held, fingerprint, syncedAt }: MirrorIndex): string {
  const lines = (values: string[]) => values.map((value) => `\n${value}`).join(',');
  const rows = lines(articles.map((article) => JSON.stringify(article)));
  const pictures = [...images.values()].toSorted((a, b) => (a.url < b.url ? -1 : 1));
  const files = lines(pictures.map((image) => JSON.stringify(image)));
  const shaped = fingerprint ? `,"fingerprint":${JSON.stringify(fingerprint)}` : '';
  const kept = held ? `,"held":${JSON.stringify(held)}` : '';
  const about = `"source":${JSON.stringify(source)},"syncedAt":${syncedAt}${shaped}${kept}`;
  return `{${about},"articles":[${rows}],"images":[${files}]}\n`;
}

function decode(text: string): { index?: MirrorIndex; fault?: string } {
  const end = text.indexOf('\n');
  const head = headSchema.safeParse(parse(text.slice(0, end)));
  if (!head.success) return { fault: 'its index is damaged' };
  if (head.data.version !== version) {
    return { fault: `its format is version ${head.data.version}, not ${version}` };
  }
  const body = text.slice(end + 1);
  if (head.data.hash !== hash(body)) return { fault: 'its index is damaged' };
  const index = indexSchema.safeParse(parse(body));
  if (!index.success) return { fault: 'its index is damaged' };
  const images = new Map(index.data.images.map((image) => [image.url, image]));
  return { index: { ...index.data, images } };
}

const headSchema = z.object({ format: z.literal(format), version: z.number(), hash: z.string() });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
