import { closeTags } from '../html/editors/jsx-tags.ts';

/** The languages of an article whose grammars are loaded: those of all 346 need 12 seconds and 600 MB. */
const maxLanguages = 30;
/** The maximum length of a line of highlighted code. The time of highlighters grows faster than its square. */
const maxCodeLine = 2_000;
/** The fences of an article whose code is highlighted. With more of them, it takes too long to find out which lines are code. */
const maxFences = 2_000;

/** Matches what is not the name of a language, also after Markdown has decoded it. Highlighters write such names to the log. */
const invalidLanguage = /[\p{Cc}&\\]|##\[|.{80}/u;

/** The start or the end of a fenced code block. */
interface Fence {
  line: number;
  indent: string;
  mark: string;
  info: string;
}

/**
 * Prepares the Markdown of an article for Astro's renderer. The renderer treats `---` at the start as front matter,
 * and removes text or throws; a leading space prevents this without changing the meaning (CommonMark 0.31, 4.1).
 * Code with a very long line, of an odd language or of too many languages becomes plain text. Elements that are closed
 * as in JSX are closed here, because `unified()` parses HTML itself, and Markdown ends after `<script />`.
 *
 * @param markdown a text without front matter
 */
export function prepareMarkdown(markdown: string): string {
  // Lines and line endings, in turn.
  const parts = markdown.split(/(\r\n?|\n)/);
  const lines = parts.filter((_, index) => index % 2 === 0);
  const fences = lines.flatMap(fenceAt);
  const closing = fences.filter(({ info }) => info.trim() === '');
  const languages = new Set<string>();
  for (const fence of fences) {
    const { line, indent, mark, info } = fence;
    const name = info.trim().split(/\s/, 1)[0];
    if (!name) continue;
    const language = name.toLowerCase();
    if (languages.size < maxLanguages && !invalidLanguage.test(name)) languages.add(language);
    const isHighlighted =
      languages.has(language) && fences.length <= maxFences && !hasLongLine(fence, lines, closing);
    if (!isHighlighted) parts[line * 2] = `${indent}${mark}plaintext`;
  }
  if (markdown.includes('/>')) closeHtml(parts, fences, closing);
  const text = parts.join('').replace(/^(?:[ \t]*(?:\r\n?|\n))+/, '');
  return /^(?:---|\+\+\+)/.test(text) ? ` ${text}` : text;
}

/** HTML that begins a line, up to code or an empty line. */
const html = /^ {0,3}<[a-z](?:[^`\r\n]|(?:\r\n?|\n)(?![ \t]*(?:[\r\n]|$)))*/gim;

/** Closes elements in the HTML of lines, of which `fences` are in code. Changes `parts`. */
function closeHtml(parts: string[], fences: readonly Fence[], closing: readonly Fence[]): void {
  if (fences.length > maxFences) return;
  const end = { line: parts.length, indent: '', mark: '', info: '' };
  let start = 0;
  for (const fence of [...fences, end]) {
    if (fence.line < start) continue;
    const section = parts.slice(start * 2, fence.line * 2).join('');
    parts.fill('', start * 2, fence.line * 2);
    if (section) parts[start * 2] = section.replace(html, closeTags);
    start = endOf(fence, closing) + 1;
  }
}

/** The destinations of links, images and definitions in Markdown (CommonMark 0.31, 4.7 and 6.3), as far as they have a usual length. */
const destination = /\][(:][ \t]*(?:<[^<>\n]{0,2000}>|[^\s()<>]{0,2000})/g;

/** Encodes each `%` in the URLs of links and images that encodes nothing, such as that of `100%.png`. */
export function encodeStrayPercents(markdown: string): string {
  return markdown.replace(destination, (found) => {
    const encoded = found.replace(/%(?![\da-f]{2})/gi, '%25');
    try {
      decodeURI(encoded);
      return encoded;
    } catch {
      // The bytes that it encodes are not UTF-8.
      return found.replaceAll('%', '%25');
    }
  });
}

// Also in lists, quotes and footnotes. The flag `s` lets `.` match U+2028 and U+2029, which do not end a line of Markdown.
const fenceLine =
  /^((?:[ \t>]|[-+*:](?=[ \t])|\d{1,9}[.)](?=[ \t])|\[\^[^\]\s]+\]:)*)(`{3,}(?![^`]*`)|~{3,})(.*)/s;

function fenceAt(text: string, line: number): Fence[] {
  const [, indent = '', mark = '', info = ''] = fenceLine.exec(text) ?? [];
  return mark ? [{ line, indent, mark, info }] : [];
}

/** Returns the line of the first fence that may close another one (CommonMark 0.31, 4.5). */
function endOf(open: Fence, closing: readonly Fence[]): number {
  const found = closing.find((fence) => fence.line > open.line && isClosedBy(open, fence));
  return found?.line ?? Number.POSITIVE_INFINITY;
}

function isClosedBy(open: Fence, fence: Fence): boolean {
  const quotes = ({ indent }: Fence) => indent.split('>').length;
  return (
    fence.mark.startsWith(open.mark) &&
    /^[ >]*$/.test(fence.indent) &&
    fence.indent.length <= open.indent.length &&
    quotes(fence) <= quotes(open)
  );
}

function hasLongLine(open: Fence, lines: readonly string[], closing: readonly Fence[]): boolean {
  const code = lines.slice(open.line + 1, endOf(open, closing));
  return code.some(({ length }) => length > maxCodeLine);
}
