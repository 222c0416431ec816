import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Article } from '../../../src/client/article.ts';
import type { IndexedArticle, MirrorIndex } from '../../../src/mirror/index-file.ts';
import { locateMirror } from '../../../src/mirror/location.ts';
import { type Mirror, openMirror } from '../../../src/mirror/mirror.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

export const source = 'https://app.example.com/';

/** A folder for mirrors that is removed after the test. */
export async function createTemporaryMirror() {
  const parent = await temporaryFolder();
  const place = { parent, collection: 'articles', source, cacheFolder: join(parent, 'cache') };
  return {
    parent,
    place,
    paths: locateMirror(place),
    open: (changes: Partial<typeof place> = {}) => openMirror({ ...place, ...changes }),
  };
}

export function articleOf(id: string, content: string): Article {
  return { id, title: `Title of ${id}`, content, cover_image: null, extra: {} };
}

/** Writes an article and returns its line in the index. */
export async function addArticle(
  mirror: Mirror,
  id: string,
  content: string,
): Promise<IndexedArticle> {
  const object = await mirror.writeArticle(articleOf(id, content));
  return { id, title: `Title of ${id}`, digest: content, object, cover: null, draft: false };
}

export function indexOf(
  articles: IndexedArticle[],
  changes: Partial<MirrorIndex> = {},
): MirrorIndex {
  return {
    ...{ source, articles, older: 0, images: new Map(), slugHistory: new Map(), syncedAt: 1 },
    ...changes,
  };
}

/** Commits articles without any rendering. */
export function commit(mirror: Mirror, articles: IndexedArticle[], changes = {}): Promise<void> {
  return mirror.commit(indexOf(articles, changes), { renderings: [] });
}

/** The files below a folder with their bytes, by path. */
export async function filesIn(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.toSorted().map(async (path) => [path, await readFile(path, 'latin1')] as const),
    ),
  );
}
