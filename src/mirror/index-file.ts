import * as z from 'zod';
import { quote } from '../errors.ts';
import { createHasher, hash } from '../shared/hash.ts';
import { parseJson } from './article-file.ts';
import { readIfExists, writeAtomically } from './files.ts';
import {
  format,
  formatSchema,
  headSchema,
  indexedArticleSchema,
  type MirrorIndex,
  mirrorImageSchema,
  slugsSchema,
} from './index-schema.ts';

export type { IndexedArticle, MirrorImage, MirrorIndex, SlugHistory } from './index-schema.ts';

const version = 3;
const blockSize = 65_536;

/** The result of reading an index. `foreign`: another program wrote the file. */
export type ReadIndex =
  | { status: 'none' | 'foreign' }
  | { status: 'read'; index: MirrorIndex }
  | { status: 'unusable'; reason: string };

export function emptyIndex(source: string): MirrorIndex {
  return { source, articles: [], images: new Map(), slugHistory: new Map(), syncedAt: 0 };
}

/**
 * Writes an index: a header line, a line for each article, image and list of slugs, and the hash of all
 * these lines. Equal indexes give equal bytes.
 */
export async function writeIndex(path: string, index: MirrorIndex): Promise<void> {
  await writeAtomically(path, encode(index));
}

function* encode(index: MirrorIndex): Generator<string> {
  const hasher = createHasher();
  let block = '';
  for (const line of linesOf(index)) {
    block += `${JSON.stringify(line)}\n`;
    if (block.length < blockSize) continue;
    hasher.update(block);
    yield block;
    block = '';
  }
  hasher.update(block);
  yield `${block}${JSON.stringify({ hash: hasher.digest() })}\n`;
}

function* linesOf({ source, articles, images, slugHistory, syncedAt }: MirrorIndex) {
  const counts = { articles: articles.length, images: images.size, slugHistory: slugHistory.size };
  yield { format, version, source, syncedAt, ...counts };
  yield* articles;
  for (const [, image] of byKey(images)) yield image;
  for (const [id, slugs] of byKey(slugHistory)) yield { id, slugs };
}

function byKey<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Reads the index of a mirror of `source`.
 *
 * @throws {ArticlesMirrorError} `mirror-unreadable`
 */
export function readIndex(path: string, source: string): ReadIndex {
  const bytes = readIfExists(path);
  if (!bytes) return { status: 'none' };
  // Git may have changed the line ends. Within the strings of JSON, they are escaped.
  const text = bytes.toString('utf8').replaceAll('\r\n', '\n');
  if (text !== '' && !text.slice(0, blockSize).includes(format)) return { status: 'foreign' };
  return decode(text, source);
}

const corrupt: ReadIndex = { status: 'unusable', reason: 'its index is corrupt' };

function decode(text: string, source: string): ReadIndex {
  const [first = '', ...lines] = text.trimEnd().split('\n');
  const written = formatSchema.safeParse(parseJson(first)).data?.version;
  if (written !== undefined && written !== version) {
    return { status: 'unusable', reason: `its format is version ${written}, not ${version}` };
  }
  const head = headSchema.safeParse(parseJson(first)).data;
  if (!head) return corrupt;
  const last = lines.pop();
  const end = text.trimEnd().length - (last?.length ?? 0);
  if (last !== JSON.stringify({ hash: hash(text.slice(0, end)) })) return corrupt;
  if (head.source !== source)
    return { status: 'unusable', reason: `it is the mirror of ${quote(head.source)}` };

  const values = lines.map(parseJson);
  const endOfImages = head.articles + head.images;
  if (values.length !== endOfImages + head.slugHistory) return corrupt;
  const articles = z.array(indexedArticleSchema).safeParse(values.slice(0, head.articles)).data;
  const images = z
    .array(mirrorImageSchema)
    .safeParse(values.slice(head.articles, endOfImages)).data;
  const slugHistory = z.array(slugsSchema).safeParse(values.slice(endOfImages)).data;
  if (!articles || !images || !slugHistory) return corrupt;
  return {
    status: 'read',
    index: {
      source,
      articles,
      images: new Map(images.map((image) => [image.url, image])),
      slugHistory: new Map(slugHistory.map(({ id, slugs }) => [id, slugs])),
      syncedAt: head.syncedAt,
    },
  };
}
