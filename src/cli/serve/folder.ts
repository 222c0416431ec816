import { readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { join, sep } from 'node:path';
import { newestFirst, parseArticle, type ServedArticle } from './served-article.ts';

export interface Folder {
  /** Returns the articles of the files in their current state, newest first. */
  articles(): ServedArticle[];
  close(): void;
}

export interface FolderEvents {
  /** Called with the files that were added, changed or removed since the last check. */
  onChange?: (paths: string[]) => void;
  /** Called for a file that cannot be read. Its last good state is still served. */
  onProblem?: (message: string) => void;
}

interface File {
  /** Changes whenever the file does. */
  stamp: string;
  article: ServedArticle | undefined;
}

const settleTime = 50;

/**
 * Opens a folder of Markdown files, and reads them again when they change. Every check compares the files
 * themselves, because watchers miss changes on some file systems; the watcher only makes reports quicker.
 *
 * @throws {Error} when the folder cannot be read
 */
export function openFolder(path: string, { onChange, onProblem }: FolderEvents = {}): Folder {
  const files = new Map<string, File>();
  let articles: ServedArticle[] = [];
  check();

  function check(): string[] {
    const found = markdownFiles(path);
    const gone = [...files.keys()].filter((name) => !found.has(name));
    const changed = [...found].filter(([name, stamp]) => files.get(name)?.stamp !== stamp);
    for (const name of gone) files.delete(name);
    for (const [name, stamp] of changed) {
      files.set(name, { stamp, article: read(name) ?? files.get(name)?.article });
    }
    const names = [...gone, ...changed.map(([name]) => name)];
    if (names.length > 0) {
      articles = newestFirst([...files.values()].flatMap(({ article }) => article ?? []));
    }
    return names;
  }

  function read(name: string): ServedArticle | undefined {
    try {
      return parseArticle(name, readFileSync(join(path, name), 'utf8'));
    } catch (error) {
      onProblem?.(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  function checkAgain(): void {
    const names = check();
    if (names.length > 0) onChange?.(names.toSorted());
  }

  function checkSafely(): void {
    try {
      checkAgain();
    } catch (error) {
      onProblem?.(error instanceof Error ? error.message : String(error));
    }
  }

  const stop = onChange ? watchFolder(path, checkSafely) : () => undefined;
  return {
    articles() {
      checkAgain();
      return articles;
    },
    close: stop,
  };
}

/** Lists the Markdown files below a folder with their stamps, without hidden folders and packages. */
function markdownFiles(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  const enter = (below: string) => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const name = below ? `${below}/${entry.name}` : entry.name;
      if (entry.isDirectory()) enter(name);
      else if (/\.md$/i.test(name)) found.set(name, stampOf(join(folder, name)));
    }
  };
  enter('');
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : '';
}

/** Waits a moment before it reports a change, because an editor may write a file in several steps. */
function watchFolder(path: string, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(path, { recursive: true, persistent: false }, (_, name) => {
    if (name?.split(sep).includes('node_modules')) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, settleTime);
  });
  // Without a watcher, changes are found at the next request.
  watcher.on('error', () => watcher.close());
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
