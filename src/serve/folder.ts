import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decodeListed } from '../client/article.ts';
import { messageOf, quote } from '../messages.ts';
import { timeOf } from '../shared/dates.ts';
import { hash } from '../shared/hash.ts';
import { markdownFile, parseArticle, pictureFile, type ServedArticle } from './served-article.ts';

/** A Markdown file of the folder. */
export interface ServedFile {
  path: string;
  /** The article of the file, or the last one of it that could be used, or one whose `id` is the path. */
  article: ServedArticle;
  /** Why the article cannot be used. */
  problem?: string;
}

export interface ServedFolder {
  /** The newest first, each id once. */
  files: ServedFile[];
  /** By path, with its accents in one form: a text and a file system may write them in two. */
  pictures: ReadonlyMap<string, string>;
  /** Each file that is not served or cannot be used. */
  warnings: string[];
}

/** Opens a folder of Markdown files. Returns a function that returns the files in their current state. */
export function openFolder(folder: string): () => ServedFolder {
  let known = new Map<string, ServedFile & { stamp: string }>();

  function read(path: string, pictures: ServedFolder['pictures'], names: string) {
    const stat = statSync(join(folder, path), { throwIfNoEntry: false });
    // An editor may be replacing it.
    if (!stat) return undefined;
    const stamp = `${stat.mtimeMs} ${stat.size} ${stat.ino} ${names}`;
    const before = known.get(path);
    if (before?.stamp === stamp) return before;
    try {
      const bytes = readFileSync(join(folder, path));
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      const article = parseArticle(path, text, pictures);
      const row = decodeListed(article, 1);
      if ('problem' in row) throw new Error(`its id is not usable, ${row.problem.text}`);
      return { path, stamp, article };
    } catch (error) {
      const [reason] = messageOf(error).split('\n');
      const problem = `${path} cannot be used: ${reason}. Files are UTF-8, and front matter is YAML or TOML.`;
      const none = { id: path, title: undefined, content: undefined, cover_image: undefined };
      return { path, stamp, article: before?.article ?? none, problem };
    }
  }

  return () => {
    const names = namesBelow(folder);
    const named = (pattern: RegExp) => names.filter((name) => pattern.test(name));
    const pictures = new Map(named(pictureFile).map((name) => [name.normalize(), name]));
    // A picture that was added may be one of any text.
    const pictureNames = hash([...pictures.keys()].join('\n'));
    const found = named(markdownFile).flatMap((path) => read(path, pictures, pictureNames) ?? []);
    known = new Map(found.map((file) => [file.path, file]));
    const files = newestFirst(withOwnIds(found));
    const warnings = [
      ...named(/\.mdx$/i).map((name) => `${name} is not served: the service sends no MDX.`),
      ...files.flatMap(({ problem }) => problem ?? []),
    ];
    return { files, pictures, warnings };
  };
}

/** Returns one file for each id. Several files with the same id are one with a problem. */
function withOwnIds(files: readonly ServedFile[]): ServedFile[] {
  const byId = new Map<string, ServedFile>();
  for (const file of files) {
    const id = String(file.article.id);
    const other = byId.get(id);
    if (!other) byId.set(id, file);
    else {
      const problem = `${other.path} and ${file.path} have the same id ${quote(id)}.`;
      const hint = 'Give one of them another `id` in its front matter.';
      byId.set(id, { ...other, problem: `${problem} ${hint}` });
    }
  }
  return [...byId.values()];
}

/** The fields of a date, as blogs with Astro name them. The first one that has a date counts. */
const dateFields = ['date', 'pubDate', 'pubDatetime', 'publishDate', 'publishedAt', 'published'];

/** Sorts by date, the newest first, then by id, the highest first. Numbers in ids are compared as numbers. */
function newestFirst(files: readonly ServedFile[]): ServedFile[] {
  const { compare } = new Intl.Collator('en', { numeric: true });
  const dateOf = ({ article }: ServedFile) => {
    const dates = dateFields.map((name) => dateOfField(article[name]));
    return dates.find(Number.isFinite) ?? Number.NEGATIVE_INFINITY;
  };
  const articleIdOf = ({ article }: ServedFile) => String(article.id);
  // A difference between two articles without a date is not a number.
  return files.toSorted((a, b) => dateOf(b) - dateOf(a) || compare(articleIdOf(b), articleIdOf(a)));
}

/** Returns a date in ms since 1970. Blogs with Astro also write dates such as `Jul 08 2022`. */
function dateOfField(value: unknown): number {
  const date = timeOf(value)?.date;
  return date ?? (typeof value === 'string' ? Date.parse(value) : Number.NaN);
}

/** Lists the files in a folder and below it, without hidden ones, packages and symbolic links, which may lead out of it. */
function namesBelow(folder: string, below = ''): string[] {
  const entries = readdirSync(join(folder, below), { withFileTypes: true });
  const shown = entries.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
  return shown.flatMap((entry) => {
    const name = below ? `${below}/${entry.name}` : entry.name;
    if (entry.isDirectory()) return namesBelow(folder, name);
    return entry.isFile() ? [name] : [];
  });
}
