import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Article } from '../client/article.ts';
import { ArticlesMirrorError, printable } from '../errors.ts';
import type { Clock } from '../shared/clock.ts';
import { hash } from '../shared/hash.ts';
import { decodeArticleFile, encodeArticleFile, type StoredArticle } from './article-file.ts';
import { bestEffort, namesIn, removeOlder, statIfExists, temporaryFile } from './files.ts';
import {
  emptyIndex,
  type MirrorImage,
  type MirrorIndex,
  readIndex,
  writeIndex,
} from './index-file.ts';
import { locateMirror, type MirrorLocation, type MirrorPlace } from './location.ts';
import { openObjectFolder } from './object-folder.ts';
import { openRenderings } from './renderings.ts';
import { openVerifiedImages } from './verified-images.ts';

/**
 * The articles and images that the service last had, on disk: files named by the hash of their bytes, and
 * an index that lists them. No file that the index lists changes before `commit()`.
 *
 * Every method that reads throws `ArticlesMirrorError` `mirror-unreadable` if a file may be intact
 * but could not be read, and every method that writes throws `mirror-unwritable`.
 */
export interface Mirror {
  folder: string;
  imageFolder: string;
  /** The state as last committed. `syncedAt` is 0 when there is none. */
  index: MirrorIndex;
  /** Why an existing mirror is not used; absent when there is none, or it is used. */
  notice?: string;
  /** Whether a file for an article's text exists. It may be corrupt. */
  hasArticle(object: string): boolean;
  /** Reads an article; undefined when its file is missing or corrupt. */
  readArticle(object: string): Promise<StoredArticle | undefined>;
  /** Returns the name of the article's object. */
  writeArticle(article: Article): Promise<string>;
  /** Returns the content hash of the rendering with this key. */
  findRendering(key: string): string | undefined;
  /** Reads a rendering; undefined when its file is missing or corrupt. */
  readRendering(key: string): Promise<unknown>;
  /** Returns the rendering's content hash. `key` is a `hash()` of everything that shapes it. */
  writeRendering(key: string, rendering: object): Promise<string>;
  /** Whether an image file exists and has the bytes that its name says. */
  hasImage(image: Pick<MirrorImage, 'file' | 'bytes'>): Promise<boolean>;
  /** Returns the name of the file. */
  writeImage(bytes: Uint8Array, extension: string): Promise<string>;
  /** Replaces the index, then removes files that are no longer needed. */
  commit(next: MirrorIndex, kept: { renderings: Iterable<string> }): Promise<void>;
}

export interface MirrorOptions extends MirrorPlace {
  clock: Pick<Clock, 'date'>;
}

/** The time in ms before a file that is not in the index is removed: another build may still use it. */
const grace = 3_600_000;
const articlePattern = /^(?<hash>[0-9a-f]{32})\.json$/;
const imagePattern = /^(?<hash>[0-9a-f]{32})\.(?:jpg|png|gif|webp|avif)$/;

/**
 * Opens the mirror of a collection, which need not exist. Opening and reading change nothing on disk.
 *
 * @throws {ArticlesMirrorError} `mirror-unreadable`, or `mirror-unwritable` for a folder with files that
 *   no mirror has written
 */
export async function openMirror({ clock, ...place }: MirrorOptions): Promise<Mirror> {
  const { date } = clock;
  const location = locateMirror(place);
  const { folder, indexFile } = location;
  const read = readIndex(indexFile, place.source);
  const articles = openObjectFolder(location.articles, { pattern: articlePattern, date });
  const images = openObjectFolder(location.images, { pattern: imagePattern, date });
  const renderings = openRenderings(location.renderings, date);
  const verified = openVerifiedImages(location.verifiedFile);
  if (read.status === 'foreign') throw foreignFiles(folder, ['index.json']);
  if (read.status === 'none') {
    const foreign = foreignNames(location, new Set([...articles.names, ...images.names]));
    if (foreign.length > 0) throw foreignFiles(folder, foreign);
  }

  const mirror: Mirror = {
    folder,
    imageFolder: location.images,
    index: read.status === 'read' ? read.index : emptyIndex(place.source),
    ...(read.status === 'unusable'
      ? { notice: `The mirror in ${folder} is not used, because ${read.reason}.` }
      : {}),

    hasArticle: (object) => articles.names.has(`${object}.json`),

    async readArticle(object) {
      const bytes = articles.read(`${object}.json`);
      return bytes && decodeArticleFile(bytes.toString());
    },

    async writeArticle(article) {
      const text = encodeArticleFile(article);
      const object = hash(text);
      articles.write(`${object}.json`, text);
      return object;
    },

    findRendering: renderings.find,
    readRendering: async (key) => renderings.read(key),
    writeRendering: async (key, rendering) => renderings.write(key, rendering),

    async hasImage({ file, bytes }) {
      const found = statIfExists(join(location.images, file));
      if (!found?.isFile() || found.size !== bytes) return false;
      if (verified.has(file, found)) return true;
      if (!images.read(file)) return false;
      verified.add(file, found);
      return true;
    },

    async writeImage(bytes, extension) {
      const file = `${hash(bytes)}.${extension}`;
      images.write(file, bytes);
      return file;
    },

    async commit(next, kept) {
      const before = filesOf(mirror.index);
      const current = filesOf(next);
      if (mirror.index.syncedAt === 0) writeGitAttributes(folder);
      await writeIndex(indexFile, next);
      mirror.index = next;

      articles.clean({ used: current.articles, usedBefore: before.articles, grace });
      images.clean({ used: current.images, usedBefore: before.images, grace });
      renderings.clean(kept.renderings);
      verified.save(current.images);
      removeTemporaryFiles(folder, date() - grace);
    },
  };
  return mirror;
}

function filesOf({ articles, images }: MirrorIndex) {
  return {
    articles: new Set(articles.map(({ object }) => `${object}.json`)),
    images: new Set([...images.values()].map(({ file }) => file)),
  };
}

/** Keeps Git from changing line ends: the bytes would no longer match the hashes. */
function writeGitAttributes(folder: string): void {
  bestEffort(() => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, '.gitattributes'), '* -text\n', { flag: 'wx' });
  });
}

/** Removes temporary files of processes that were killed while they wrote the index. */
function removeTemporaryFiles(folder: string, before: number): void {
  bestEffort(() => {
    const found = namesIn(folder).filter((name) => temporaryFile.test(name));
    for (const name of found) removeOlder(join(folder, name), before);
  });
}

/** Lists the files that no mirror has written. Hidden files belong to the system or to Git. */
function foreignNames(
  { folder, articles, images, ...others }: MirrorLocation,
  objects: ReadonlySet<string>,
): string[] {
  const own = new Set([articles, images, ...Object.values(others)].map((path) => basename(path)));
  const isForeign = (name: string) => !name.startsWith('.');
  return [
    ...namesIn(folder).filter((name) => !own.has(name) && !temporaryFile.test(name)),
    ...[...namesIn(articles), ...namesIn(images)].filter((name) => !objects.has(name)),
  ].filter(isForeign);
}

function foreignFiles(folder: string, names: string[]): ArticlesMirrorError {
  const shown = printable(names.slice(0, 3).join(', '));
  const rest = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return new ArticlesMirrorError(
    'mirror-unwritable',
    `${folder} cannot be the folder of the mirror, because it contains other files: ${shown}${rest}.`,
    {
      path: folder,
      hint: 'Move these files to another folder, or set `mirrorDir` to another one. Nothing was changed.',
    },
  );
}
