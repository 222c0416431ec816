import { readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ArticlesMirrorError } from '../errors.ts';
import { hash } from '../shared/hash.ts';
import type { PackedArticle, StoredArticle } from './article-file.ts';
import { namesIn, sweep, touch, writeWhole } from './files.ts';
import {
  emptyIndex,
  type MirrorImage,
  type MirrorIndex,
  readIndex,
  writeIndex,
} from './index-file.ts';

/**
 * Our own store of what the service last gave: immutable files named by the hash of their bytes,
 * and one index that names them. Writing the index is the commit.
 */
export interface Mirror {
  folder: string;
  /** Where the image files are. */
  imageFolder: string;
  /** As it was last committed. */
  index: MirrorIndex;
  /** Something that a person should know about how the mirror was found, when there is something. */
  notice: string | undefined;
  /** Whether the files that an index entry names are there. */
  hasArticle(object: string): boolean;
  hasImage(image: { file: string; bytes: number }): Promise<boolean>;
  /** Whether there is a file with this path in the mirror's folder. */
  hasFile(path: string): Promise<boolean>;
  /** @throws {ArticlesMirrorError} when the file is missing or its bytes are not the ones named. */
  readArticle(object: string): Promise<StoredArticle>;
  writeArticle(article: PackedArticle): Promise<void>;
  /** @returns the file's name in the image folder */
  writeImage(bytes: Uint8Array, extension: string): Promise<string>;
  /** Keeps files that no article names, with the images `known` of them: those held before may go. */
  hold(files: readonly string[], known: MirrorIndex['images']): Promise<void>;
  /** Makes `next` the mirror's state, at once and for everybody. */
  commit(next: MirrorIndex): Promise<void>;
}

/** Files that no index names stay this long, in ms: another build may be about to name them. */
const grace = 3_600_000;

/**
 * Opens the mirror in a folder; it need not exist. One that cannot be read, or is of another format
 * or service, is set aside and counts as empty.
 */
export async function openMirror(
  folder: string,
  { source, date }: { source: string; date: () => number },
): Promise<Mirror> {
  const articleFolder = join(folder, 'articles');
  const imageFolder = join(folder, 'images');
  const indexFile = join(folder, 'index.json');

  const read = await readIndex(indexFile);
  let index = read.index ?? emptyIndex(source);
  let notice =
    read.fault && `the mirror in ${folder} cannot be used (${read.fault}); it is built anew`;
  if (read.fault) await rename(indexFile, `${indexFile}.aside`).catch(() => undefined);
  if (index.source !== source) {
    notice = `the mirror in ${folder} is of ${index.source}, not of ${source}: it is left aside`;
    index = emptyIndex(source);
  }
  const articleFiles = new Set(await namesIn(articleFolder));
  const writing = new Map<string, Promise<void>>();

  /** Writes a file once, however many ask for it at a time: its name is the hash of its bytes. */
  function write(path: string, bytes: string | Uint8Array): Promise<void> {
    const task = writing.get(path) ?? writeWhole(path, bytes).finally(() => writing.delete(path));
    writing.set(path, task);
    return task;
  }

  const mirror: Mirror = {
    folder,
    imageFolder,
    index,
    notice,

    hasArticle: (object) => articleFiles.has(`${object}.json`),

    async hasImage({ file, bytes }) {
      const found = await stat(join(imageFolder, file)).catch(() => undefined);
      return found?.size === bytes;
    },

    hasFile: async (path) => (await stat(join(folder, path)).catch(() => undefined)) !== undefined,

    async readArticle(object) {
      const path = join(articleFolder, `${object}.json`);
      const text = await readFile(path, 'utf8').catch(() => undefined);
      if (text !== undefined && hash(text) === object) return JSON.parse(text);
      // Out of the way, so that the next sync fetches the article again.
      await rm(path, { force: true }).catch(() => undefined);
      articleFiles.delete(`${object}.json`);
      throw damaged(path, text === undefined ? 'is missing' : 'is not what it was');
    },

    async writeArticle({ object, text }) {
      await write(join(articleFolder, `${object}.json`), text);
      articleFiles.add(`${object}.json`);
    },

    async writeImage(bytes, extension) {
      const file = `${hash(bytes)}.${extension}`;
      await write(join(imageFolder, file), bytes);
      return file;
    },

    async hold(files, known) {
      const { held: before = [], ...index } = mirror.index;
      const held = [...new Set(files)].toSorted();
      if (held.join() === before.join()) return;
      const images = new Map([...heldImages(known, held), ...index.images]);
      await mirror.commit({ ...index, images, ...(held.length > 0 ? { held } : {}) });
    },

    async commit(next) {
      const previous = filesOf(mirror.index);
      const current = filesOf(next);
      await writeIndex(indexFile, next);
      mirror.index = next;
      // What was named until now may still be in use elsewhere: its time begins to run only here.
      const now = date();
      const dropped = [...previous].filter((path) => !current.has(path));
      await Promise.all(dropped.map((path) => touch(join(folder, path), now)));
      for (const part of ['articles', 'images']) {
        const keeps = (name: string) => current.has(`${part}/${name}`);
        await sweep(join(folder, part), { keeps, before: now - grace });
      }
    },
  };
  return mirror;
}

/** The files that an index names, as paths in the mirror's folder. */
function filesOf({ articles, images, held = [] }: MirrorIndex): Set<string> {
  return new Set([
    ...held,
    ...articles.map(({ object }) => `articles/${object}.json`),
    ...[...images.values()].map(({ file }) => `images/${file}`),
  ]);
}

/** The images whose files are held. */
export function heldImages(
  images: MirrorIndex['images'],
  held: readonly string[] = [],
): [string, MirrorImage][] {
  return [...images].filter(([, { file }]) => held.includes(`images/${file}`));
}

/** Whether a file of the mirror was found missing or damaged; it is gone by then. */
export function isDamage(error: unknown): error is ArticlesMirrorError {
  return error instanceof ArticlesMirrorError && error.code === 'mirror-damaged';
}

function damaged(path: string, fault: string): ArticlesMirrorError {
  return new ArticlesMirrorError('mirror-damaged', `A file of the mirror ${fault}: ${path}.`, {
    path,
    hint: 'A sync with the service repairs it: build once without `offline`.',
  });
}
