import { onTestFinished } from 'vitest';
import type { IndexedArticle, StoredArticle } from '../../../src/mirror/formats.ts';
import { type Mirror, type NextIndex, openMirror } from '../../../src/mirror/mirror.ts';
import type { PathHistory } from '../../../src/redirects/history.ts';
import { type FileFaultOptions, watchFiles } from '../../helpers/file-faults.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

export const baseUrl = 'https://app.example.com/';

/** A folder for mirrors that is removed after the test, when all mirrors are closed. */
export async function createTemporaryMirror() {
  const parent = await temporaryFolder();
  const opened: Mirror[] = [];
  onTestFinished(() => {
    for (const mirror of opened) mirror.close();
  });
  const open = (changes: Partial<Parameters<typeof openMirror>[0]> = {}): Mirror => {
    const place = { parent, collection: 'articles', baseUrl };
    const mirror = openMirror({ ...place, ...changes });
    opened.push(mirror);
    return mirror;
  };
  /** Runs something while file operations are disturbed. */
  function disturb(before: FileFaultOptions['before'], run: () => unknown) {
    const { operations, stop } = watchFiles(parent, { before });
    try {
      run();
      return { operations, error: undefined };
    } catch (error) {
      return { operations, error };
    } finally {
      stop();
    }
  }
  return { parent, folder: open().folder, open, disturb };
}

export function articleOf(id: string, content: string): StoredArticle {
  return { id, title: `Title of ${id}`, content, cover_image: null, extra: {} };
}

/** Writes an article and returns its line in the index. */
export function addArticle(mirror: Mirror, id: string, content: string): IndexedArticle {
  return indexed(id, content, mirror.writeArticle(articleOf(id, content)));
}

export function indexed(
  id: string,
  content: string,
  record: string,
  renderings: string[] = [],
): IndexedArticle {
  return {
    ...{ id, title: content, record, cover: null, hasContent: true, slug: id },
    ...{ renderings: renderings.map((name) => ({ name, images: [], dropped: [] })) },
  };
}

/** Commits articles. */
export function commit(
  mirror: Mirror,
  articles: IndexedArticle[],
  changes: Partial<NextIndex & { paths: PathHistory }> = {},
): void {
  const { paths = new Map(), ...index } = changes;
  const known = { unlisted: [], gone: [], built: [], images: new Map() };
  mirror.commit({ syncedAt: 1, older: 0, ...known, articles, ...index }, paths);
}
