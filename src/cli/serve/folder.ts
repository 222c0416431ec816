import { readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { join, sep } from 'node:path';
import { newestFirst, parseArticle, type ServedArticle } from './served-article.ts';

export interface FolderEvents {
  /** Called with the files that were added, changed or removed since the last check. */
  onChange?: (paths: string[]) => void;
  /** Called for a file that cannot be read. Its last good state is still served. */
  onProblem: (message: string) => void;
}

interface File {
  /** Changes whenever the file does. */
  stamp: string;
  article: ServedArticle | undefined;
}

/** Milliseconds before a change is reported, because an editor may write a file in several steps. */
const settleTime = 50;

/**
 * Opens a folder of Markdown files, and reads them again when they change. Every check compares the files
 * themselves, because watchers miss changes on some file systems; the watcher only makes reports quicker.
 *
 * @throws {Error} when the folder cannot be read
 */
export function openFolder(path: string, { onChange, onProblem }: FolderEvents) {
  const files = new Map<string, File>();

  /** Reads the files that have changed, and returns the names of all that differ. */
  function check(): string[] {
    const stamps = markdownFiles(path);
    const names = [...new Set([...files.keys(), ...stamps.keys()])].sort();
    const changed = names.filter((name) => files.get(name)?.stamp !== stamps.get(name));
    for (const name of changed) {
      const stamp = stamps.get(name);
      const read = () => parseArticle(name, readFileSync(join(path, name), 'utf8'));
      if (stamp === undefined) files.delete(name);
      else files.set(name, { stamp, article: orProblem(read) ?? files.get(name)?.article });
    }
    return changed;
  }

  function report(): void {
    const names = check();
    if (names.length > 0) onChange?.(names);
  }

  function orProblem<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  check();
  return {
    /** Returns the articles of the files in their current state, newest first. */
    articles(): ServedArticle[] {
      report();
      return newestFirst([...files.values()].flatMap(({ article }) => article ?? []));
    },
    close: onChange ? watchFolder(path, () => orProblem(report)) : () => undefined,
  };
}

/** Lists the Markdown files below a folder with their stamps, without hidden folders and packages. */
function markdownFiles(folder: string, below = ''): Map<string, string> {
  const entries = readdirSync(join(folder, below), { withFileTypes: true });
  const shown = entries.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
  return new Map(
    shown.flatMap((entry) => {
      const name = below ? `${below}/${entry.name}` : entry.name;
      if (entry.isDirectory()) return [...markdownFiles(folder, name)];
      return /\.md$/i.test(name) ? [[name, stampOf(join(folder, name))] as const] : [];
    }),
  );
}

function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : '';
}

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
