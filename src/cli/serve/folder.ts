import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nameOf, newestFirst, parseArticle, type ServedArticle } from './served-article.ts';

/** The articles of a folder, newest first. */
export interface ServedFolder {
  /** The article of a file that cannot be used has only its `id`, and its last `date`. */
  articles: ServedArticle[];
  /** By id, why the article of a file cannot be used. */
  problems: ReadonlyMap<string, string>;
}

interface ServedFile {
  /** Changes with the file. */
  stamp: string;
  article: ServedArticle;
  /** Why the file is not UTF-8, or cannot be parsed. */
  problem?: string;
  /** A line for each picture that the folder does not have. */
  missing?: string[];
}

/**
 * Opens a folder of Markdown files.
 *
 * @param warn called for each file that cannot be used, and for each picture that a file names and the folder does not
 *   have: once, until it is fixed
 * @returns a function that returns the articles of the files in their current state
 */
export function openFolder(
  path: string,
  warn: (line: string) => void = () => undefined,
): () => ServedFolder {
  let files = new Map<string, ServedFile>();
  let warned = new Set<string>();
  const hasFile = (name: string) => !/(?:^|\/)\./.test(name) && existsSync(join(path, name));

  function read(name: string): ServedFile | undefined {
    const file = join(path, name);
    const stat = statSync(file, { throwIfNoEntry: false });
    // An editor may be replacing it.
    if (!stat) return undefined;
    const { mtimeMs, size, ino } = stat;
    const stamp = `${mtimeMs} ${size} ${ino}`;
    const before = files.get(name);
    if (before?.stamp === stamp) return before;
    try {
      const text = decodeText(name, readFileSync(file));
      const { article, missing } = parseArticle({ path: name, text, hasFile });
      if (missing.length === 0) return { stamp, article };
      const lineOf = (url: string) =>
        `${name}: the picture ${JSON.stringify(url)} does not exist in this folder.`;
      // Parsed again with the next request, because the picture may be added meanwhile.
      return { stamp: '', article, missing: missing.map(lineOf) };
    } catch (error) {
      const { id, date }: Partial<ServedArticle> = before?.article ?? { id: nameOf(name) };
      const problem = error instanceof Error ? error.message : String(error);
      return { stamp, article: withoutText(id, date), problem };
    }
  }

  return () => {
    files = new Map(
      markdownFiles(path).flatMap((name) => {
        const file = read(name);
        return file ? [[name, file]] : [];
      }),
    );
    const served = withProblems(files);
    const missing = [...files.values()].flatMap((file) => file.missing ?? []);
    const lines = new Set([...missing, ...served.problems.values()]);
    for (const line of lines) if (!warned.has(line)) warn(line);
    warned = lines;
    return served;
  };
}

/** Replaces the articles of files that cannot be used, so that they are listed and the others are unchanged. */
function withProblems(files: ReadonlyMap<string, ServedFile>): ServedFolder {
  const problems = new Map<string, string>();
  const articles = new Map<string, ServedArticle>();
  const nameOfId = new Map<string, string>();
  // Last those with a problem: their real id is unknown, and must not be that of another file.
  const sorted = [...files].sort(([, a], [, b]) => Number('problem' in a) - Number('problem' in b));
  for (const [name, { article, problem }] of sorted) {
    const other = nameOfId.get(String(article.id));
    const id = problem && other ? name : article.id;
    const same = `${other} and ${name} have the same id ${JSON.stringify(String(id))}.`;
    const hint = 'Give one of them another `id` in its front matter.';
    const reason = problem ?? (other && `${same} ${hint}`);
    articles.set(String(id), reason ? withoutText(id, article.date) : article);
    if (reason) problems.set(String(id), reason);
    nameOfId.set(String(id), name);
  }
  return { articles: newestFirst([...articles.values()]), problems };
}

function withoutText(id: unknown, date?: unknown): ServedArticle {
  return { id, date, title: undefined, content: undefined, cover_image: undefined };
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
