import { posix } from 'node:path';
import querystring from 'node:querystring';
import { pathToFileURL } from 'node:url';
import { slug as slugOfName } from 'github-slugger';
import { splitFrontMatter } from '../shared/front-matter.ts';
import { imageKinds } from '../shared/image-kinds.ts';
import { isRecord } from '../shared/json-value.ts';

/** An article of the service. Fields have any type, as in the front matter. */
export interface ServedArticle {
  id: unknown;
  title: unknown;
  content: unknown;
  cover_image: unknown;
  [field: string]: unknown;
}

export const mediaRoot = '/media/';

/** Matches the names of Markdown files. Jekyll and Hugo use both extensions. */
export const markdownFile = /\.(?:md|markdown)$/i;

/** Matches the names of pictures that the service sends. A cover cannot be an SVG, but an article can show one. */
export const pictureFile = new RegExp(`\\.(${imageKinds.join('|')}|jpeg|svg)$`, 'i');

/** The fields that may name the cover of a file. The first one that does is used. */
const coverFields = ['cover', 'cover_image', 'heroImage', 'image'];

const codeBlock =
  /^ {0,3}(?<fence>~{3,}|`{3,}(?=[^`\n]*$))[\s\S]*?(?:^ {0,3}\k<fence>|(?![\s\S]))/gm;
const codeSpan = /(?<!\\)(?<ticks>`{1,9})(?:[^`\n]|\n(?![ \t]*\r?\n))+\k<ticks>/;
/** Matches the URL of a link, an image, a definition or an attribute `src`, with what precedes it. */
const url =
  /(\]\([ \t]*|^[ \t>]*\[[^\]\n]+\]:[ \t]*|\ssrc\s*=\s*)(<[^<>\n]*>|"[^"\n]*"|'[^'\n]*'|(?:[^\s<>()]|\([^\s<>()]*\))+)/;
const codeOrUrl = new RegExp(
  [codeBlock, codeSpan, url].map(({ source }) => source).join('|'),
  'gm',
);
/** In characters. */
const maxTitleLength = 500;

/**
 * Parses a Markdown file: front matter with `id`, `title`, a cover and any other fields, then the text. Without `id`, the
 * id is made of the path. Without `title`, the title is the first heading, or else the name of the file. URLs of pictures
 * that the folder has become paths of the service, except in code (indented code may be an item of a list).
 *
 * @param path in the served folder, with forward slashes
 * @throws {Error} when its front matter cannot be parsed, or its title is not text
 */
export function parseArticle(
  path: string,
  text: string,
  pictures: Pick<ReadonlyMap<string, string>, 'has'>,
): ServedArticle {
  const base = pathToFileURL(`/${path}`, { windows: false });
  const { fields: given, content, broken } = splitFrontMatter(text);
  if (broken) throw new Error(`its front matter is ${broken}`);
  const fields = JSON.parse(JSON.stringify(given), (_, value) =>
    typeof value === 'string' ? addressOf(value) : value,
  );
  const isCover = (value: unknown) =>
    isRecord(value) || (typeof value === 'string' && value.trim());
  return {
    ...fields,
    id: given.id ?? fileId(path, given.slug),
    title:
      'title' in given
        ? titleOf(given.title, text.slice(0, -content.length || undefined))
        : (firstHeading(content) ?? nameOfFile(path)),
    content: content.replace(codeOrUrl, (all, _block, _span, start?: string, quoted = '') => {
      const name = quoted.replace(/^[<"']|[>"']$/g, '');
      return start ? start + quoted.replace(name, () => addressOf(name)) : all;
    }),
    cover_image: coverFields.map((name) => fields[name]).find(isCover) ?? null,
  };

  /** Returns the path of the service for the URL of a picture in the folder, and other texts unchanged. */
  function addressOf(name: string): string {
    // `URL` would remove control characters.
    const parsed = /\p{Cc}/u.test(name) ? undefined : URL.parse(name, base);
    const { href = '', pathname = '' } = parsed ?? {};
    const isPicture = href.startsWith('file:///') && pictures.has(pictureOf(pathname.slice(1)));
    return isPicture ? mediaRoot + pathname.slice(1) : name;
  }
}

/** Returns a title as it is written: a parser would change `1.10`, `0123` and `[Draft]`. */
function titleOf(title: unknown, frontMatter: string): string {
  if (typeof title === 'string') return title;
  if (title === null) return '';
  const [, line = ''] = /^title[ \t]*[:=][ \t]*([^\s*&!].*)/m.exec(frontMatter) ?? [];
  const [written = ''] = line.split(/\s#/);
  const isScalar = typeof title !== 'object';
  if (isScalar || /[\]}]\s*$/.test(written)) return written.trim() || String(title);
  throw new Error('its title is a list or an object: write it in quotes');
}

/** Returns the text of the first heading outside of code: `# Text`, `# Text #`, or a line above a line of `=`. */
function firstHeading(content: string): string | undefined {
  let above = '';
  for (const given of content.replace(codeBlock, '').split('\n')) {
    const line = given.trimEnd();
    const [mark] = /^ {0,3}#{1,6}[ \t]+/.exec(line) ?? [];
    const isUnderline = /^=+$/.test(line) && /^\S/.test(above);
    const text = isUnderline ? above : mark && withoutClosing(line.slice(mark.length));
    if (text && text.length <= maxTitleLength) return text;
    above = line;
  }
  return undefined;
}

/** Removes the signs that may close a heading: `#`, behind a blank. */
function withoutClosing(text: string): string {
  let end = text.length;
  while (text[end - 1] === '#') end -= 1;
  const rest = text.slice(0, end);
  const isClosed = end < text.length && (rest === '' || /[ \t]/.test(rest.slice(-1)));
  return isClosed ? rest.trimEnd() : text;
}

/** Returns the id that `glob()` gives a file in the folder of a collection of Astro. Other files have their name. */
function fileId(file: string, slug?: unknown): string {
  const [, entry] = /^(?:src\/)?content\/[^/]+\/(.+)\.(?:md|markdown)$/i.exec(file) ?? [];
  if (!entry) return nameOfFile(file);
  const path = entry.replace(/[^/]+/g, (name) => slugOfName(name)).replace(/\/index$/, '');
  return String(slug || path);
}

/** Returns the name of a file, or of its folder if the file is an `index.md`. */
function nameOfFile(path: string): string {
  const { dir, name } = posix.parse(path);
  return (name === 'index' && posix.basename(dir)) || name;
}

/** Decodes the path of a picture, with its accents in one form. A `%` that encodes nothing is part of the name. */
export function pictureOf(path: string): string {
  return querystring.unescape(path).normalize();
}
