import { readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { join, sep } from 'node:path';
import { newestFirst, parseArticle, type ServedArticle } from './served-article.ts';

export interface Folder {
  /** The articles as the files are now, newest first. */
  articles(): ServedArticle[];
  close(): void;
}

export interface FolderEvents {
  /** Told which files were added, changed or removed since the last look. */
  onChange?: (paths: string[]) => void;
  /** Told about a file that cannot be read; its last good state stays. */
  onFault?: (message: string) => void;
}

interface File {
  /** Changes whenever the file does. */
  stamp: string;
  article: ServedArticle | undefined;
}

const settleTime = 50;

/**
 * A folder of Markdown files, read anew whenever something changed. Every look compares the files
 * themselves: on some file systems a watcher misses changes, and here it only makes the news quick.
 *
 * @throws {Error} when the folder cannot be read
 */
export function openFolder(path: string, { onChange, onFault }: FolderEvents = {}): Folder {
  const files = new Map<string, File>();
  let articles: ServedArticle[] = [];
  look();

  function look(): string[] {
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
      onFault?.(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  function lookAgain(): void {
    const names = look();
    if (names.length > 0) onChange?.(names.toSorted());
  }

  function lookSafely(): void {
    try {
      lookAgain();
    } catch (error) {
      onFault?.(error instanceof Error ? error.message : String(error));
    }
  }

  const stop = onChange ? watchFolder(path, lookSafely) : () => undefined;
  return {
    articles() {
      lookAgain();
      return articles;
    },
    close: stop,
  };
}

/** The Markdown files below a folder with their stamps; hidden folders and packages are left out. */
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

/** An editor may write a file in several steps, so the look waits until it has settled. */
function watchFolder(path: string, look: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(path, { recursive: true, persistent: false }, (_, name) => {
    if (name?.split(sep).includes('node_modules')) return;
    clearTimeout(timer);
    timer = setTimeout(look, settleTime);
  });
  // No watcher is no harm: the next request looks for itself.
  watcher.on('error', () => watcher.close());
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
