import type { Article } from '../client/article.ts';
import { joinHistories, type SlugHistory } from '../redirects/history.ts';
import { systemClock } from '../shared/clock.ts';
import { hash } from '../shared/hash.ts';
import { removeTemporaryFiles } from './files.ts';
import { openImageFolder } from './image-folder.ts';
import {
  emptyIndex,
  type MirrorImage,
  type MirrorIndex,
  readIndex,
  writeIndex,
} from './index-file.ts';
import { locateMirror, type MirrorPlace } from './location.ts';
import { openPackFolder } from './pack-folder.ts';
import { openRenderings } from './renderings.ts';
import { decodeArticle, encodeArticle, type StoredArticle } from './stored-article.ts';

/**
 * The articles and images that the service last had, on disk: articles in packs, images in files named by the
 * hash of their bytes, and an index that lists both. Nothing that the index lists changes before `commit()`.
 *
 * Every method that reads throws `ArticlesMirrorError` `mirror-unreadable` if a file may be intact
 * but could not be read, and every method that writes throws `mirror-unwritable`.
 */
export type Mirror = Awaited<ReturnType<typeof openMirror>>;

/** The time in ms before a file that the index does not need is removed. Another build may still use it. */
const grace = 3_600_000;

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
  const articles = openPackFolder(location.articles, { date });
  const { verifiedFile } = location;
  const images = openImageFolder(location.images, { verifiedFile, date });
  const renderings = openRenderings(location.renderings, date);
  const flush = async () => {
    await articles.flush();
    await renderings.flush();
  };

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
     * Joins slugs that builds have published to those that the mirror has, with one atomic write. Articles that
     * another process has committed since the load stay in the index.
     *
     * @returns all slugs
     */
    async addSlugs(published: SlugHistory): Promise<SlugHistory> {
      const onDisk = readIndex(indexFile, place.source).index ?? mirror.index;
      const slugHistory = joinHistories(onDisk.slugHistory, mirror.index.slugHistory, published);
      const isSame = JSON.stringify([...slugHistory]) === JSON.stringify([...onDisk.slugHistory]);
      if (!isSame) await writeIndex(indexFile, { ...onDisk, slugHistory });
      mirror.index = { ...mirror.index, slugHistory };
      // Pages may have rendered articles whose rendering was missing. Otherwise the next build does it again.
      await flush().catch(() => undefined);
      return slugHistory;
    },

    /** Whether the mirror has an article of this name. It may be corrupt. */
    hasArticle: articles.has,

    /** Reads an article; undefined when it is missing or corrupt. */
    async readArticle(object: string): Promise<StoredArticle | undefined> {
      const bytes = articles.read(object);
      return bytes && decodeArticle(bytes.toString());
    },

    /** Adds an article, which stays in memory until `flush()`. Returns its name. */
    async writeArticle(article: Article): Promise<string> {
      const text = encodeArticle(article);
      const object = hash(text);
      await articles.write(object, text);
      return object;
    },

    /** Returns the content hash of the rendering with this key; undefined when there is none. */
    findRendering: renderings.find,
    /** Reads a rendering; undefined when it is missing or corrupt. */
    readRendering: async (key: string) => renderings.read(key),
    /**
     * Adds a rendering, which stays in memory until `flush()`. Returns its content hash. `key` is a `hash()` of
     * everything that shapes it.
     */
    writeRendering: renderings.write,

    /** Writes the articles and renderings that are only in memory. `commit()` does this, too. */
    flush,

    /** Whether an image file exists and has the bytes that its name says. */
    async hasImage({ file, bytes }: Pick<MirrorImage, 'file' | 'bytes'>): Promise<boolean> {
      return images.has(file, bytes);
    },

    /** Returns the name of the file. */
    async writeImage(bytes: Uint8Array, extension: string): Promise<string> {
      const file = `${hash(bytes)}.${extension}`;
      await images.write(file, bytes);
      return file;
    },

    /**
     * Replaces the index, then removes what has been unused for some time. Slugs that another process has added to the
     * index on disk are kept, except those of articles that `next` no longer has.
     *
     * @param kept the renderings to keep, and the ids whose slugs are kept, although `next` lacks them
     */
    async commit(
      next: MirrorIndex,
      kept: { renderings: Iterable<string>; slugs?: ReadonlySet<string> },
    ): Promise<void> {
      const since = mirror.index.syncedAt;
      const before = namesUsedBy(mirror.index);
      const current = namesUsedBy(next);
      const ids = new Set(next.articles.map(({ id }) => id));
      const removed = mirror.index.articles.filter(
        ({ id }) => !ids.has(id) && !kept.slugs?.has(id),
      );
      const onDisk = readIndex(indexFile, place.source).index?.slugHistory ?? new Map();
      const slugHistory = new Map(joinHistories(onDisk, next.slugHistory));
      // An article that is given the same id later is another one.
      for (const { id } of removed) slugHistory.delete(id);
      const index = { ...next, slugHistory };
      await flush();
      await writeIndex(indexFile, index);
      mirror.index = index;

      await articles.clean({ used: current.articles, usedBefore: before.articles, since, grace });
      images.clean({ used: current.images, usedBefore: before.images, grace });
      await renderings.clean(kept.renderings);
      for (const each of [folder, location.articles, location.images, location.renderings]) {
        removeTemporaryFiles(each, date() - grace);
      }
    },
  };
  return mirror;
}

function namesUsedBy({ articles, images }: MirrorIndex) {
  return {
    articles: new Set(articles.map(({ object }) => object)),
    images: new Set([...images.values()].map(({ file }) => file)),
  };
}
