import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newestFirst, parseArticle, type ServedArticle } from './served-article.ts';

/**
 * Opens a folder of Markdown files.
 *
 * @param warn called once for each picture that a file names and the folder does not have
 * @returns a function that returns the articles of the files in their current state, newest first. It throws
 *   when a file is not UTF-8 or cannot be parsed, and when two files have the same id.
 */
export function openFolder(
  path: string,
  warn: (line: string) => void = () => undefined,
): () => ServedArticle[] {
  let files = new Map<string, { stamp: string; article: ServedArticle }>();
  const warned = new Set<string>();
  const hasFile = (name: string) => !/(?:^|\/)\./.test(name) && existsSync(join(path, name));

  function read(name: string) {
    const file = join(path, name);
    const stat = statSync(file, { throwIfNoEntry: false });
    // An editor may be replacing it.
    if (!stat) return undefined;
    const { mtimeMs, size, ino } = stat;
    const stamp = `${mtimeMs} ${size} ${ino}`;
    const known = files.get(name);
    if (known?.stamp === stamp) return known;
    const text = decodeText(name, readFileSync(file));
    const { article, missing } = parseArticle({ path: name, text, hasFile });
    for (const url of missing) {
      const line = `${name}: the picture ${JSON.stringify(url)} does not exist in this folder.`;
      if (!warned.has(line)) warn(line);
      warned.add(line);
    }
    // Parsed again with the next request, because the picture may be added meanwhile.
    return { stamp: missing.length > 0 ? '' : stamp, article };
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
      if (other) {
        const problem = `${other} and ${name} have the same id ${JSON.stringify(id)}.`;
        throw new Error(`${problem} Give one of them another \`id\` in its front matter.`);
      }
      nameOf.set(id, name);
    }
    return newestFirst([...files.values()].map(({ article }) => article));
  };
}

/** @throws {Error} naming the file, when it is not UTF-8 */
function decodeText(name: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${name} is not UTF-8. Save it with the encoding UTF-8.`);
  }
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
