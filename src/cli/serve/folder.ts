import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newestFirst, parseArticle, type ServedArticle } from './served-article.ts';

/**
 * Opens a folder of Markdown files.
 *
 * @returns a function that returns the articles of the files in their current state, newest first. It throws
 *   when a file cannot be parsed, and when two files have the same id.
 */
export function openFolder(path: string): () => ServedArticle[] {
  let files = new Map<string, { stamp: string; article: ServedArticle }>();

  function read(name: string) {
    const file = join(path, name);
    const stat = statSync(file, { throwIfNoEntry: false });
    // An editor may be replacing it.
    if (!stat) return undefined;
    const { mtimeMs, size, ino } = stat;
    const stamp = `${mtimeMs} ${size} ${ino}`;
    const known = files.get(name);
    if (known?.stamp === stamp) return known;
    return { stamp, article: parseArticle(name, readFileSync(file, 'utf8')) };
  }

  return () => {
    files = new Map(
      markdownFiles(path).flatMap((name) => {
        const file = read(name);
        return file ? [[name, file]] : [];
      }),
    );
    const nameOf = new Map<string, string>();
    for (const [name, { article }] of files) {
      const id = String(article.id);
      const other = nameOf.get(id);
      if (other) throw new Error(`${other} and ${name} have the same id ${JSON.stringify(id)}.`);
      nameOf.set(id, name);
    }
    return newestFirst([...files.values()].map(({ article }) => article));
  };
}

/** Lists the Markdown files below a folder, without hidden folders and packages. */
function markdownFiles(folder: string, below = ''): string[] {
  const entries = readdirSync(join(folder, below), { withFileTypes: true });
  const shown = entries.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
  return shown.flatMap((entry) => {
    const name = below ? `${below}/${entry.name}` : entry.name;
    if (entry.isDirectory()) return markdownFiles(folder, name);
    return /\.md$/i.test(name) ? [name] : [];
  });
}
