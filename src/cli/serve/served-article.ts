import { posix } from 'node:path';
import { FAILSAFE_SCHEMA, load, Type } from 'js-yaml';
import { pictureFile, replacePictures } from './pictures.ts';

/** An article of the service. Fields have any type, so that tests can send wrong ones. */
export interface ServedArticle {
  /** A `bigint` is written as a JSON integer, digit by digit. */
  id: unknown;
  title: unknown;
  content: unknown;
  cover_image: unknown;
  [field: string]: unknown;
}

export interface MarkdownFile {
  /** The path in the served folder, with forward slashes. */
  path: string;
  text: string;
  hasFile: (path: string) => boolean;
}

export const mediaRoot = '/media/';

const frontMatter = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/;
const codeBlock = /^ {0,3}(```|~~~)[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))/gm;
const heading = /^(?: {0,3}#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?|(\S.*?)[ \t]*\r?\n=+)[ \t]*\r?$/m;

/**
 * Parses a Markdown file: front matter with `id`, `title`, `cover` and any other fields, then the text. The
 * default of the id is the name of the file, and of the title the first heading. URLs of pictures that are relative to
 * the file become paths of the service.
 *
 * @returns the article, and the relative URLs of pictures that do not exist
 * @throws {Error} naming the file, when its front matter cannot be parsed
 */
export function parseArticle({ path, text, hasFile }: MarkdownFile): {
  article: ServedArticle;
  missing: string[];
} {
  const match = frontMatter.exec(text);
  const fields = match ? readFields(path, match[1] ?? '') : {};
  const { id, title, cover_image: coverImage, cover = coverImage, ...others } = fields;
  const content = text.slice(match?.[0].length ?? 0);
  const missing: string[] = [];
  const article = {
    ...Object.fromEntries(
      Object.entries(others).map(([name, value]) => [name, pictureAddress(value) ?? value]),
    ),
    id: id ?? nameOf(path),
    title: title == null ? firstHeading(content) : asText(title),
    content: replacePictures(content, (url) => {
      const address = pictureAddress(url);
      if (address === undefined && isRelative(url) && pictureFile.test(url)) missing.push(url);
      return address;
    }),
    cover_image: typeof cover === 'string' && cover.trim() ? coverAddress(cover) : null,
  };
  return { article, missing };

  function coverAddress(url: string): string {
    const address = pictureAddress(url);
    if (address !== undefined || !isRelative(url)) return address ?? url;
    missing.push(url);
    return mediaPath(posix.join(posix.dirname(path), url));
  }

  /** Returns the path of the service for the URL of a picture in the folder; undefined for other values. */
  function pictureAddress(url: unknown): string | undefined {
    if (typeof url !== 'string' || !pictureFile.test(url)) return undefined;
    return [url, decode(url)].flatMap((name) => {
      const below = name.startsWith('/') ? name.slice(1) : posix.join(posix.dirname(path), name);
      return !/^(?:\/|\.\.)/.test(below) && hasFile(below) ? mediaPath(below) : [];
    })[0];
  }
}

/** Returns the URL of a file of the media folder, relative to the service. */
export function mediaPath(file: string): string {
  const path = file.split('/').map(encodeURIComponent).join('/');
  // Markdown and HTML use these characters to end a URL.
  return mediaRoot + path.replace(/['()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

/** Sorts articles by `date`, the newest first, then by id, the highest first. Numbers in ids are compared as numbers. */
export function newestFirst(articles: readonly ServedArticle[]): ServedArticle[] {
  const { compare } = new Intl.Collator('en', { numeric: true });
  // A difference between two articles without a date is not a number.
  return articles.toSorted((a, b) => timeOf(b) - timeOf(a) || compare(String(b.id), String(a.id)));
}

function timeOf({ date }: ServedArticle): number {
  const time = Date.parse(String(date));
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}

/** Returns the name of a file, or of its folder if the file is an `index.md`. */
export function nameOf(path: string): string {
  const names = path.replace(/\.md$/i, '').split('/');
  const name = names.pop() ?? '';
  return (name === 'index' && names.pop()) || name;
}

// Only what JSON writes in the same way is a number or a boolean, so that all other text stays as it is written.
const number = new Type('tag:yaml.org,2002:float', {
  kind: 'scalar',
  resolve: (text) => text === String(Number(text)) && Number.isFinite(Number(text)),
  construct: Number,
});
const boolean = new Type('tag:yaml.org,2002:bool', {
  kind: 'scalar',
  resolve: (text) => text === 'true' || text === 'false',
  construct: (text) => text === 'true',
});
const empty = new Type('tag:yaml.org,2002:null', {
  kind: 'scalar',
  resolve: (text) => text === null || text === 'null' || text === '~',
  construct: () => null,
});
const schema = FAILSAFE_SCHEMA.extend({ implicit: [empty, boolean, number] });

function readFields(path: string, text: string): Record<string, unknown> {
  let fields: unknown;
  try {
    fields = load(text, { schema }) ?? {};
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n');
    throw new Error(`The front matter of ${path} cannot be parsed: ${reason}.`);
  }
  if (typeof fields === 'object' && fields !== null) return { ...fields };
  throw new Error(`The front matter of ${path} is not a list of \`key: value\` fields.`);
}

function firstHeading(content: string): string {
  const found = heading.exec(content.replace(codeBlock, ''));
  return found?.[1] ?? found?.[2] ?? '';
}

/** Returns a number or a boolean as it is written, and a list unchanged. */
function asText(value: unknown): unknown {
  return typeof value === 'object' ? value : String(value);
}

function isRelative(url: string): boolean {
  return !/^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(url);
}

function decode(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
