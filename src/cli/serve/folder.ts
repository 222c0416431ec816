import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { messageOf, quote } from '../../errors.ts';
import { fileOf, nameOf, newestFirst, parseArticle, type ServedArticle } from './served-article.ts';

/** The articles of a folder, newest first. */
export interface ServedFolder {
  /** The article of a file that cannot be used has only its `id`, and its last date. */
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
  folder: string,
  warn: (line: string) => void = () => undefined,
): () => ServedFolder {
  let files = new Map<string, ServedFile>();
  let warned = new Set<string>();

  function read(path: string): ServedFile | undefined {
    const stat = statSync(join(folder, path), { throwIfNoEntry: false });
    // An editor may be replacing it.
    if (!stat) return undefined;
    const { mtimeMs, size, ino } = stat;
    const stamp = `${mtimeMs} ${size} ${ino}`;
    const before = files.get(path);
    if (before?.stamp === stamp) return before;
    const file = findFile(folder, path);
    if (!file) return undefined;
    try {
      const text = decodeText(path, readFileSync(file));
      const hasFile = (name: string) => findFile(folder, name) !== undefined;
      const { article, missing } = parseArticle({ path, text, hasFile });
      if (missing.size === 0) return { stamp, article };
      const lines = [...missing].map((url) => describeMissing(folder, path, url));
      // Parsed again with the next request, because the picture may be added meanwhile.
      return { stamp: '', article, missing: lines };
    } catch (error) {
      const article = withoutText(before?.article ?? { id: nameOf(path) });
      return { stamp, article, problem: messageOf(error) };
    }
  }

  return () => {
    const names = namesBelow(folder);
    files = new Map(
      names.flatMap((path) => {
        const file = /\.md$/i.test(path) && read(path);
        return file ? [[path, file]] : [];
      }),
    );
    const served = withProblems(files);
    const lines = new Set([
      ...names.filter((path) => /\.mdx$/i.test(path)).map(describeMdx),
      ...[...files.values()].flatMap(({ missing = [] }) => missing),
      ...served.problems.values(),
    ]);
    for (const line of lines) if (!warned.has(line)) warn(line);
    warned = lines;
    return served;
  };
}

/**
 * Returns the real path of a file in a folder; undefined when it does not exist, when a hidden folder or file is part of
 * it, and when it is outside of the folder, also because of a symbolic link.
 */
export function findFile(folder: string, path: string): string | undefined {
  try {
    const file = realpathSync.native(join(folder, path));
    const inFolder = relative(realpathSync.native(folder), file);
    const isHidden = inFolder.split(sep).some((name) => name.startsWith('.'));
    return isHidden || isAbsolute(inFolder) ? undefined : file;
  } catch {
    return undefined;
  }
}

function describeMissing(folder: string, path: string, url: string): string {
  const [up] = /^(?:\.\.\/)+/.exec(fileOf(path, url)) ?? [];
  const isOutside = up && existsSync(join(folder, fileOf(path, url)));
  return isOutside
    ? `${path}: the picture ${quote(url)} is outside of the folder. Serve ${join(folder, up)} to include it.`
    : `${path}: the picture ${quote(url)} does not exist in this folder.`;
}

function describeMdx(path: string): string {
  return `${path} is not served: the service sends Markdown, and this is MDX.`;
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
    const same = `${other} and ${name} have the same id ${quote(String(id))}.`;
    const hint = 'Give one of them another `id` in its front matter.';
    const reason = problem ?? (other && `${same} ${hint}`);
    articles.set(String(id), reason ? withoutText({ ...article, id }) : article);
    if (reason) problems.set(String(id), reason);
    nameOfId.set(String(id), name);
  }
  return { articles: newestFirst([...articles.values()]), problems };
}

function withoutText({ id, date, pubDate }: Partial<ServedArticle>): ServedArticle {
  return { id, date, pubDate, title: undefined, content: undefined, cover_image: undefined };
}

/** @throws {Error} naming the file, when it is not UTF-8 */
function decodeText(name: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${name} is not UTF-8. Save it with the encoding UTF-8.`);
  }
}

/** Lists the files in a folder and below it, without hidden ones, packages, and what linked folders contain. */
function namesBelow(folder: string, below = ''): string[] {
  const entries = readdirSync(join(folder, below), { withFileTypes: true });
  const shown = entries.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
  return shown.flatMap((entry) => {
    const name = below ? `${below}/${entry.name}` : entry.name;
    return entry.isDirectory() ? namesBelow(folder, name) : [name];
  });
}
