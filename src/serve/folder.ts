import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { slug as slugOfName } from 'github-slugger';
import { messageOf } from '../messages.ts';
import { splitFrontMatter } from '../shared/front-matter.ts';
import { imageKinds } from '../shared/image-kinds.ts';

/** An article of the service. Fields have any type, as in the front matter. */
export interface ServedArticle {
  id: unknown;
  title: unknown;
  content: unknown;
  cover_image: unknown;
  [field: string]: unknown;
}

/** A Markdown file of the folder. */
export interface ServedFile {
  path: string;
  id: string;
  /** Undefined if the file cannot be used. */
  article?: ServedArticle;
  /** Why the file cannot be used. */
  problem?: string;
}

export interface ServedFolder {
  /** The newest first, each id once. */
  files: ServedFile[];
  /** The paths of the pictures that articles may show. */
  pictures: ReadonlySet<string>;
  /** Each file that is not served or cannot be used. */
  warnings: string[];
}

/** A cover cannot be an SVG, but an article can show one. */
const pictureExtensions = new Set<string>([...imageKinds, 'jpeg', 'svg']);
/** Jekyll and Hugo use both extensions. */
const markdownExtensions = new Set(['md', 'markdown']);
/** Matches code in single backticks or in three, or what begins an image and its URL. */
const codeOrImage = /`[^`]*`|(!\[[^[\]\n]*\]\(<?)([^\s<>()]+)/g;

/** Reads the Markdown files of a folder and below it, without hidden ones, packages and symbolic links. */
export function readFolder(folder: string): ServedFolder {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !/(?:^|\/)(?:\.|node_modules\/)/.test(path));
  const markdown = paths.filter((path) => markdownExtensions.has(extensionOf(path)));
  const files = newestFirst(markdown.map((path) => readFile(folder, path)));
  const byId = Map.groupBy(files, ({ id }) => id);
  const repeated = [...byId].filter(([, { length }]) => length > 1);
  return {
    files: [...byId.values()].flatMap(([first]) => first ?? []),
    pictures: new Set(paths.filter((path) => pictureExtensions.has(extensionOf(path)))),
    warnings: [
      ...paths
        .filter((path) => extensionOf(path) === 'mdx')
        .map((path) => `${path} is not served: the service sends no MDX.`),
      ...files.flatMap(({ problem }) => problem ?? []),
      ...repeated.map(
        ([id, same]) =>
          `${same.map(({ path }) => path).join(' and ')} have the same id "${id}", and only the first is served. Give the others another \`id\` in their front matter.`,
      ),
    ],
  };
}

/**
 * Reads a Markdown file: front matter with a `title`, and `id`, `cover` and any other fields, then the text.
 *
 * @param path in the folder, with forward slashes
 */
export function readFile(folder: string, path: string): ServedFile {
  try {
    const bytes = readFileSync(join(folder, path));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const { fields, content, broken } = splitFrontMatter(text);
    if (broken) throw new Error(`its front matter is ${broken}`);
    // `title:` is an empty title, which is that of a draft.
    const title = fields.title === null ? '' : fields.title;
    const { cover = fields.heroImage ?? fields.cover_image ?? null } = fields;
    if (typeof title !== 'string')
      throw new Error('its front matter needs a `title`, in quotes if it is a number');
    const { id = idOf(path, fields.slug) } = fields;
    return {
      path,
      id: String(id),
      article: {
        ...fields,
        ...{ id, title, cover_image: coverUrl(cover, path) },
        content: content.replace(codeOrImage, (all, start, url) =>
          start ? start + pictureUrl(url, path) : all,
        ),
      },
    };
  } catch (error) {
    const [reason] = messageOf(error).split('\n');
    return { path, id: idOf(path), problem: `${path} cannot be used: ${reason}.` };
  }
}

function coverUrl(cover: unknown, path: string): unknown {
  return typeof cover === 'string' && cover.trim() ? pictureUrl(cover, path) : null;
}

/** Returns the URL of a picture in the service: one of the folder is relative to the file. */
function pictureUrl(picture: string, path: string): string {
  const url = URL.parse(picture, pathToFileURL(`/${path}`, { windows: false }));
  return url?.protocol === 'file:' ? url.pathname : picture;
}

/** Returns the id that `glob()` gives a file in the folder of a collection of Astro. Other files have their name. */
function idOf(path: string, slug?: unknown): string {
  const { dir, name } = posix.parse(path);
  const fileName = (name === 'index' && posix.basename(dir)) || name;
  const [, inCollection] = /^(?:src\/)?content\/[^/]+\/(.+)\.\w+$/.exec(path) ?? [];
  if (!inCollection) return fileName;
  const id = inCollection.replace(/[^/]+/g, (part) => slugOfName(part)).replace(/\/index$/, '');
  return String(slug || id);
}

export function extensionOf(path: string): string {
  return posix.extname(path).slice(1).toLowerCase();
}

/** Sorts by `date` or `pubDate`, the newest first, then by id, the highest first. Numbers in ids are compared as numbers. */
function newestFirst(files: readonly ServedFile[]): ServedFile[] {
  const { compare } = new Intl.Collator('en', { numeric: true });
  const timeOf = ({ article }: ServedFile) =>
    Date.parse(String(article?.date ?? article?.pubDate)) || 0;
  return files.toSorted((a, b) => timeOf(b) - timeOf(a) || compare(b.id, a.id));
}
