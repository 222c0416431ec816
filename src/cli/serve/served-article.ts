import { posix } from 'node:path';
import { messageOf } from '../../errors.ts';
import { isRecord } from '../../http/json.ts';
import { parseFrontMatter, splitFile } from '../../shared/front-matter.ts';

/** An article of the service. Fields have any type, as in the front matter. */
export interface ServedArticle {
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

/** Matches the names of pictures that the service sends. */
export const pictureFile = /\.(avif|gif|jpe?g|png|svg|webp)$/i;

/** The fields that may name the cover of a file. The first one that does is used. */
const coverFields = ['cover', 'cover_image', 'heroImage', 'image'];

const codeBlock =
  /^ {0,3}(?<fence>~{3,}|`{3,}(?=[^`\n]*$))[\s\S]*?(?:^ {0,3}\k<fence>|$(?![\s\S]))/gm;
const codeSpan = /(?<!\\)(?<ticks>`{1,9})(?:[^`\n]|\n(?![ \t]*\r?\n))+\k<ticks>/;
/** What precedes the URL of a link, an image, a definition and an attribute `src`, and the URL in its quotes. */
const url =
  /(\]\([ \t]*|^[ \t>]*\[[^\]\n]+\]:[ \t]*|\ssrc\s*=\s*)(<[^<>\n]*>|"[^"\n]*"|'[^'\n]*'|(?:[^\s<>()]|\([^\s<>()]*\))+)/;
const codeOrUrl = new RegExp(
  [codeBlock, codeSpan, url].map(({ source }) => source).join('|'),
  'gm',
);
const heading =
  /^(?: {0,3}#{1,6}[ \t]+(.{1,500}?)(?:[ \t]+#+)?|(\S.{0,500}?)[ \t]*\r?\n=+)[ \t]*\r?$/m;

/**
 * Parses a Markdown file: front matter with `id`, `title`, a cover and any other fields, then the text. The default of
 * the id is the name of the file, and of the title the first heading, or else that name. URLs of pictures that the
 * folder has become paths of the service, except in code (indented code may be an item of a list).
 *
 * @returns the article, and the URLs of pictures in its text and of its cover that the folder does not have
 * @throws {Error} naming the file, when its front matter cannot be parsed
 */
export function parseArticle({ path, text, hasFile }: MarkdownFile): {
  article: ServedArticle;
  missing: ReadonlySet<string>;
} {
  const { frontMatter = '', content } = splitFile(text);
  const fields = readFields(path, frontMatter);
  const { cover: _, ...others } = fields;
  const missing = new Set<string>();
  const cover = coverFields
    .map((name) => fields[name])
    .find((value) => isRecord(value) || isText(value));
  const article = {
    ...mapTexts(others, (value) => addressOf(value) ?? value),
    id: fields.id ?? nameOf(path),
    title: 'title' in fields ? asText(fields.title) : firstHeading(content) || nameOf(path),
    content: content.replace(codeOrUrl, (all, _block, _span, start?: string, quoted = '') => {
      const [, quote = '', name = ''] = /^([<"']?)(.*?)[>"']?$/.exec(quoted) ?? [];
      const address = start && needed(name.replace(/\\([!-/:-@[-`{-~])/g, '$1'));
      return address ? start + quote + address + quoted.slice(quote.length + name.length) : all;
    }),
    cover_image: cover === undefined ? null : mapTexts(cover, (value) => needed(value) ?? value),
  };
  return { article, missing };

  function needed(name: string): string | undefined {
    const address = addressOf(name);
    if (!address && isLocalPicture(name)) missing.add(name);
    return address;
  }

  /** Returns the path of the service for the URL of a picture in the folder; undefined for other texts. */
  function addressOf(name: string): string | undefined {
    const files = isLocalPicture(name)
      ? [name, decode(name)].map((file) => fileOf(path, file))
      : [];
    const file = files.find(hasFile);
    return file && mediaPath(file);
  }
}

/** Returns the path in the folder to which a URL leads from a file, with `..` at its start if it leads out. */
export function fileOf(path: string, url: string): string {
  return url.startsWith('/') ? url.slice(1) : posix.join(posix.dirname(path), url);
}

function isLocalPicture(url: string): boolean {
  return pictureFile.test(url) && !/^(?:\/\/|[a-z][a-z0-9+.-]*:)/i.test(url);
}

/** Returns a value of JSON with all texts in it replaced. */
function mapTexts<T>(value: T, replace: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value), (_, part) =>
    typeof part === 'string' ? replace(part) : part,
  );
}

/** Returns the URL of a file of the media folder, relative to the service. */
export function mediaPath(file: string): string {
  const path = file.split('/').map(encodeURIComponent).join('/');
  // Markdown and HTML use these characters to end a URL.
  return mediaRoot + path.replace(/['()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

/** Sorts articles by date, the newest first, then by id, the highest first. Numbers in ids are compared as numbers. */
export function newestFirst(articles: readonly ServedArticle[]): ServedArticle[] {
  const { compare } = new Intl.Collator('en', { numeric: true });
  // A difference between two articles without a date is not a number.
  return articles.toSorted((a, b) => timeOf(b) - timeOf(a) || compare(String(b.id), String(a.id)));
}

function timeOf({ date, pubDate }: ServedArticle): number {
  const time = Date.parse(String(date ?? pubDate));
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}

/** Returns the name of a file, or of its folder if the file is an `index.md`. */
export function nameOf(path: string): string {
  const names = path.replace(/\.md$/i, '').split('/');
  const name = names.pop() ?? '';
  return (name === 'index' && names.pop()) || name;
}

function readFields(path: string, yaml: string): Record<string, unknown> {
  let fields: unknown;
  try {
    fields = parseFrontMatter(yaml) ?? {};
  } catch (error) {
    const [reason] = messageOf(error).split('\n');
    throw new Error(`The front matter of ${path} cannot be parsed: ${reason}.`);
  }
  if (isRecord(fields)) return fields;
  throw new Error(`The front matter of ${path} is not a list of \`key: value\` fields.`);
}

function firstHeading(content: string): string {
  const found = heading.exec(content.replace(codeBlock, ''));
  return found?.[1] ?? found?.[2] ?? '';
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

/** Returns nothing as an empty text, a number or a boolean as text, and other values unchanged. */
function asText(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? value : String(value ?? '');
}

/** Decodes a path, or returns it unchanged when that is not possible. */
export function decode(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
