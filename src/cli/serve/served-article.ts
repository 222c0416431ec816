import { posix } from 'node:path';
import { load } from 'js-yaml';

/** An article of the service. Fields have any type, so that tests can send wrong ones. */
export interface ServedArticle {
  /** A `bigint` is written as a JSON integer, digit by digit. */
  id: unknown;
  title: unknown;
  content: unknown;
  cover_image: unknown;
  [field: string]: unknown;
}

export const mediaRoot = '/media/';

const frontMatter = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/;
const codeBlock = /^ {0,3}(```|~~~)[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))/gm;
const heading = /^(?: {0,3}#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?|(\S.*?)[ \t]*\r?\n=+)[ \t]*\r?$/m;

/**
 * Parses a Markdown file: front matter with `id`, `title`, `cover` and any other fields, then the text,
 * which is used verbatim. The default of the id is the name of the file, and of the title the first heading.
 *
 * @param path of the file in its folder, with forward slashes
 * @throws {Error} naming the file, when its front matter cannot be parsed
 */
export function parseArticle(path: string, text: string): ServedArticle {
  const match = frontMatter.exec(text);
  const { id, title, cover, ...others } = match ? readFields(path, match[1] ?? '') : {};
  const content = text.slice(match?.[0].length ?? 0);
  return {
    ...others,
    id: id ?? path.replace(/\.md$/i, ''),
    title: title ?? firstHeading(content),
    content,
    cover_image: coverAddress(path, cover),
  };
}

/** Returns the URL of a file of the media folder, relative to the service. */
export function mediaPath(file: string): string {
  return mediaRoot + file.split('/').map(encodeURIComponent).join('/');
}

/** Sorts articles by id, the highest first. Numbers in ids are compared as numbers. */
export function newestFirst(articles: readonly ServedArticle[]): ServedArticle[] {
  const { compare } = new Intl.Collator('en', { numeric: true });
  return articles.toSorted((a, b) => compare(String(b.id), String(a.id)));
}

function readFields(path: string, text: string): Record<string, unknown> {
  let fields: unknown;
  try {
    fields = load(text) ?? {};
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

/** Resolves a cover path relative to the file to a URL path of the service. Other URLs are unchanged. */
function coverAddress(path: string, cover: unknown): string | null {
  if (typeof cover !== 'string' || cover.trim() === '') return null;
  if (/^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(cover)) return cover;
  return mediaPath(posix.normalize(posix.join(posix.dirname(path), cover)));
}
