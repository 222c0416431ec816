import { join } from 'node:path';
import type { Article } from '../client/article.ts';
import { joinHistories, type SlugHistory } from '../redirects/history.ts';
import { systemClock } from '../shared/clock.ts';
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
import { locateMirror, type MirrorPlace } from './location.ts';
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
export type Mirror = Awaited<ReturnType<typeof openMirror>>;

/** The time in ms before a file that is not in the index is removed: another build may still use it. */
const grace = 3_600_000;
const articlePattern = /^(?<hash>[0-9a-f]{32})\.json$/;
const imagePattern = /^(?<hash>[0-9a-f]{32})\.(?:jpg|png|gif|webp|avif)$/;

/**
 * Opens the mirror of a collection, which need not exist. Opening and reading change nothing on disk.
 *
 * @throws {ArticlesMirrorError} `mirror-unreadable`, or `mirror-unwritable` for a folder with the `index.json`
 *   of another program
 */
export async function openMirror(place: MirrorPlace) {
  const { date } = systemClock;
  const location = locateMirror(place);
  const { folder, indexFile } = location;
  const { index = emptyIndex(place.source), notice } = readIndex(indexFile, place.source);
  const articles = openObjectFolder(location.articles, { pattern: articlePattern, date });
  const images = openObjectFolder(location.images, { pattern: imagePattern, date });
  const renderings = openRenderings(location.renderings, date);
  const verified = openVerifiedImages(location.verifiedFile);

  const mirror = {
    folder,
    imageFolder: location.images,
    /** The state as last committed. `syncedAt` is 0 when there is none. */
    index,
    /** Why an existing mirror is not used; undefined when there is none, or it is used. */
    notice: notice && `The mirror in ${folder} is not used, because ${notice}.`,

    /** The slugs that builds have published, as this process knows them. */
    slugs: (): SlugHistory => mirror.index.slugHistory,

    /**
     * Joins slugs that builds have published to those that the mirror has, with one atomic write.
     *
     * @returns all slugs
     */
    async addSlugs(published: SlugHistory): Promise<SlugHistory> {
      const onDisk = slugsOnDisk();
      const slugHistory = joinHistories(onDisk, mirror.index.slugHistory, published);
      const isSame = JSON.stringify([...slugHistory]) === JSON.stringify([...onDisk]);
      if (!isSame) await replaceIndex({ ...mirror.index, slugHistory });
      return slugHistory;
    },

    /** Whether a file for an article's text exists. It may be corrupt. */
    hasArticle: (object: string) => articles.names.has(`${object}.json`),

    /** Reads an article; undefined when its file is missing or corrupt. */
    async readArticle(object: string): Promise<StoredArticle | undefined> {
      const bytes = articles.read(`${object}.json`);
      return bytes && decodeArticleFile(bytes.toString());
    },

    /** Returns the name of the article's object. */
    async writeArticle(article: Article): Promise<string> {
      const text = encodeArticleFile(article);
      const object = hash(text);
      articles.write(`${object}.json`, text);
      return object;
    },

    /** Returns the content hash of the rendering with this key. */
    findRendering: renderings.find,
    /** Reads a rendering; undefined when its file is missing or corrupt. */
    readRendering: async (key: string) => renderings.read(key),
    /** Returns the rendering's content hash. `key` is a `hash()` of everything that shapes it. */
    writeRendering: async (key: string, rendering: object) => renderings.write(key, rendering),

    /** Whether an image file exists and has the bytes that its name says. */
    async hasImage({ file, bytes }: Pick<MirrorImage, 'file' | 'bytes'>): Promise<boolean> {
      const found = statIfExists(join(location.images, file));
      if (!found?.isFile() || found.size !== bytes) return false;
      if (verified.has(file, found)) return true;
      if (!images.read(file)) return false;
      verified.add(file, found);
      return true;
    },

    /** Returns the name of the file. */
    async writeImage(bytes: Uint8Array, extension: string): Promise<string> {
      const file = `${hash(bytes)}.${extension}`;
      images.write(file, bytes);
      return file;
    },

    /**
     * Replaces the index, then removes files that are no longer needed. Slugs that another process has added to the
     * index on disk are kept, except those of articles that `next` no longer has.
     *
     * @param kept the renderings to keep, and the ids whose slugs are kept, although `next` lacks them
     */
    async commit(
      next: MirrorIndex,
      kept: { renderings: Iterable<string>; slugs?: ReadonlySet<string> },
    ): Promise<void> {
      const before = filesOf(mirror.index);
      const current = filesOf(next);
      const ids = new Set(next.articles.map(({ id }) => id));
      const removed = mirror.index.articles.filter(
        ({ id }) => !ids.has(id) && !kept.slugs?.has(id),
      );
      const slugHistory = new Map(joinHistories(slugsOnDisk(), next.slugHistory));
      // An article that is given the same id later is another one.
      for (const { id } of removed) slugHistory.delete(id);
      await replaceIndex({ ...next, slugHistory });

      articles.clean({ used: current.articles, usedBefore: before.articles, grace });
      images.clean({ used: current.images, usedBefore: before.images, grace });
      renderings.clean(kept.renderings);
      verified.save(current.images);
      removeTemporaryFiles(folder, date() - grace);
    },
  };
  return mirror;

  function slugsOnDisk(): SlugHistory {
    return readIndex(indexFile, place.source).index?.slugHistory ?? new Map();
  }

  async function replaceIndex(next: MirrorIndex): Promise<void> {
    await writeIndex(indexFile, next);
    mirror.index = next;
  }
}

function filesOf({ articles, images }: MirrorIndex) {
  return {
    articles: new Set(articles.map(({ object }) => `${object}.json`)),
    images: new Set([...images.values()].map(({ file }) => file)),
  };
}

/** Removes temporary files of processes that were killed while they wrote the index. */
function removeTemporaryFiles(folder: string, before: number): void {
  bestEffort(() => {
    const found = namesIn(folder).filter((name) => temporaryFile.test(name));
    for (const name of found) removeOlder(join(folder, name), before);
  });
}
