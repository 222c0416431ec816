import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  decodeHistory,
  encodeHistory,
  joinHistories,
  type PathHistory,
  withoutCopies,
} from '../redirects/history.ts';
import { hash } from '../shared/hash.ts';
import {
  bestEffort,
  foreignFile,
  readFile,
  removeFiles,
  setAside,
  statIfExists,
  unwritable,
  writeFile,
} from './files.ts';
import {
  decodeIndex,
  encodeArticle,
  encodeIndex,
  type MirrorImage,
  type MirrorIndex,
  readIndex,
  type StoredArticle,
  storedArticleFrom,
} from './formats.ts';
import { openPackFolder } from './pack-folder.ts';

/**
 * What the service last had, on disk: articles, their renderings and other texts as records in packs, images in files
 * named by the hash of their bytes, an index that names all of these, and the history of paths.
 */
export type Mirror = ReturnType<typeof openMirror>;

/** What a load knows of the index that it commits. */
export type NextIndex = Omit<MirrorIndex, 'baseUrl' | 'formerImages' | 'packs'>;

const maxTries = 5;

/** A merge of a committed mirror keeps the lines of both sides, which are joined when they are read. */
const gitAttributes = 'paths.jsonl merge=union\n';

/** The paths, sizes and times of the images whose bytes this process has checked. */
const intactImages = new Set<string>();

/**
 * Opens the mirror of a collection, which need not exist. Opening and reading change nothing on disk.
 *
 * @param place `parent`: the folder that contains the mirrors, one for each collection and service; `baseUrl`: the URL of
 *   the service
 * @throws {ArticlesMirrorError} `mirror-unreadable`, or `mirror-unwritable` for a JSON file of another program
 */
export function openMirror({
  parent,
  collection,
  baseUrl,
}: Record<'parent' | 'collection' | 'baseUrl', string>) {
  const plainName = collection.replace(/[^\w-]+/g, '-');
  const folder = join(parent, `${plainName}-${hash(`${baseUrl} ${collection}`).slice(0, 12)}`);
  const imageFolder = join(folder, 'images');
  const indexFile = join(folder, 'index.json');
  const pathsFile = join(folder, 'paths.jsonl');
  const published = readPaths();
  const { opened, packs } = openIndexed(indexFile, folder, baseUrl);
  const { index, notice } = opened;

  const mirror = {
    folder,
    imageFolder,
    /** Whether no load has left articles that can be used. */
    isEmpty: !opened.bytes || notice !== undefined,
    /** The state as last committed. */
    index,
    /** The history of paths, as it was when the mirror was opened. */
    paths: published.history,
    /** What is on disk, and is not used. */
    notices: [notice, published.notice].flatMap((each) => each ?? []),

    /** Returns whether there is a record. It may be corrupt. */
    has: packs.has,

    /** Reads an article; undefined when its record is missing or corrupt, which `has()` knows from then on. */
    readArticle: (record: string): StoredArticle | undefined =>
      storedArticleFrom(packs.read(record) ?? ''),

    /** Adds an article. Returns the name of its record. */
    writeArticle: (article: StoredArticle): string => packs.write(encodeArticle(article)),

    /** Reads another text; undefined when its record is missing or corrupt. */
    readText: packs.read,

    /** Adds another text. Returns the name of its record, which begins with the key, if there is one. */
    writeText: packs.write,

    hasImage,

    /** Adds an image. Returns the name of its file. */
    writeImage(bytes: Uint8Array, extension: string): string {
      const file = `${hash(bytes)}.${extension}`;
      if (!hasImage({ file })) writeFile(join(imageFolder, file), bytes);
      return file;
    },

    /** Keeps the records that are written from now on in memory, for a load that leaves the folder unchanged. */
    keepInMemory: packs.keepInMemory,

    /**
     * Adds to the history of paths, and replaces the index: until then, nothing that the old one names has changed. Then
     * removes what no process needs.
     *
     * @param options `keepsDate`: whether an index that differs from the old one by its date alone does not replace it
     */
    commit(next: NextIndex, paths: PathHistory, { keepsDate = false } = {}): void {
      const replaced = readIndex(indexFile, baseUrl, opened);
      const records = next.articles.flatMap(({ record, renderings }) => [
        record,
        ...renderings.map(({ name }) => name),
      ]);
      const used = new Set([...records, next.inputs ?? '']);
      const names = packs.packAndCompact(used);
      packs.restore(names);
      const images = filesOf(next);
      const formerImages = [...filesOf(replaced.index)].filter((file) => !images.has(file));
      const index = { baseUrl, ...next, formerImages, packs: names };
      const bytes = encodeIndex(index);
      const readable = decodeIndex(bytes);
      if (!readable) throw unwritable(indexFile, 'the next load could not read it');
      const dated = { ...replaced.index, syncedAt: next.syncedAt };
      // First, because a later build offline would lose what only the site had. Without the index, it changes nothing.
      writePaths(paths);
      if (keepsDate && isDeepStrictEqual(readable, dated)) return;
      if (replaced.notice) setAside(indexFile);
      writeFile(indexFile, bytes);
      mirror.index = index;
      // The load has succeeded. What fails from here on is done by the next one.
      bestEffort(() => clean({ bytes, index }, replaced.index));
    },

    writePaths,

    /** Closes the packs. Nothing can be read from them then. */
    close: packs.close,
  };

  function readPaths() {
    const text = String(readFile(pathsFile) ?? '');
    const file = decodeHistory(text, pathsFile);
    if (!file) throw foreignFile(pathsFile);
    return { ...file, text };
  }

  /**
   * Adds a history of paths to the one on disk.
   *
   * @param options `keepsCopies`: whether the copies on disk stay
   */
  function writePaths(added: PathHistory, { keepsCopies = true } = {}): void {
    const { history: onDisk, notice, text } = readPaths();
    if (notice && onDisk.size === 0) setAside(pathsFile);
    const kept = keepsCopies ? onDisk : withoutCopies(onDisk);
    const encoded = encodeHistory(joinHistories(kept, added));
    if (encoded === text) return;
    writeFile(pathsFile, encoded);
    const attributes = join(folder, '.gitattributes');
    if (!statIfExists(attributes)) bestEffort(() => writeFile(attributes, gitAttributes));
  }

  /** Returns whether an image exists with the bytes that its name says. A process reads it again if it was written again. */
  function hasImage({ file }: Pick<MirrorImage, 'file'>): boolean {
    const path = join(imageFolder, file);
    const stats = statIfExists(path);
    if (!stats?.isFile()) return false;
    const identity = `${path} ${stats.size} ${stats.mtimeMs}`;
    if (intactImages.has(identity)) return true;
    const isRight = file.startsWith(`${hash(readFile(path) ?? '')}.`);
    if (isRight) intactImages.add(identity);
    return isRight;
  }

  /** Removes what the index does not need, unless another process has replaced it. */
  function clean(committed: typeof opened, replaced: MirrorIndex): void {
    const used = filesOf(mirror.index);
    const readCurrent = () => readIndex(indexFile, baseUrl, committed);
    if (readCurrent() !== committed) return;
    // Packs that are not open stay: another process has written them for an index that is not there yet.
    removeFiles(folder, (name) => packs.packs.has(name) && !mirror.index.packs.includes(name));
    // Images that no index has named yet are those of another load, which has not ended.
    const outdated = new Set(replaced.formerImages);
    removeFiles(imageFolder, (name) => outdated.has(name) && !used.has(name));
    // Another process may have removed packs, or have replaced the index after it had found packs that were removed now.
    packs.restore(readCurrent().index.packs);
  }

  return mirror;
}

/** Returns the names of the image files of an index. */
function filesOf({ images }: Pick<MirrorIndex, 'images'>): Set<string> {
  return new Set(Array.from(images.values(), ({ file }) => file));
}

/** Reads the index, and opens the packs: again, if another process has replaced both meanwhile. */
function openIndexed(indexFile: string, folder: string, baseUrl: string) {
  for (let tries = 1; ; tries++) {
    const opened = readIndex(indexFile, baseUrl);
    const packs = openPackFolder(folder, opened.index.packs);
    const isComplete = opened.index.packs.every((name) => packs.packs.has(name));
    if (isComplete || tries === maxTries) return { opened, packs };
    packs.close();
  }
}
