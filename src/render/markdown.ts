import { closeTags } from '../html/editors/jsx-tags.ts';

/** Matches what is not the name of a language, also after Markdown has decoded it. Highlighters write such names to the log. */
const invalidLanguage = /[\p{Cc}&\\]|##\[|.{80}/u;

// Also in lists, quotes and footnotes.
const fencePattern =
  /^((?:[ \t>]|(?:[-+*:]|\d{1,9}[.)])(?=[ \t])|\[\^[^\]\s]+\]:)*)(`{3,}(?![^`\n]*`)|~{3,})([^\n]*)/gm;

/** Matches HTML that begins a line, up to code or an empty line. */
const htmlAtLineStart = /^ {0,3}<[a-z](?:[^`\n]|\n(?![ \t]*$))*/;

/** Matches fenced code, up to its last fence or the end of the text, or such HTML. */
const codeOrHtml = new RegExp(
  String.raw`${fencePattern.source}[^]*?(?:^[ \t>]*\2[\x60~]*[ \t]*$|$(?![^]))|${htmlAtLineStart.source}`,
  'gim',
);

/**
 * Prepares the Markdown of an article for Astro's renderer. The renderer treats `---` at the start as front matter,
 * and removes text or throws; a leading space prevents this without changing the meaning (CommonMark 0.31, 4.1).
 * Code of an odd language becomes plain text. Elements that are closed as in JSX are closed here, because `unified()` parses
 * HTML itself, and Markdown ends after `<script />`.
 *
 * @param markdown a text without front matter, whose lines end with `\n`
 */
export function prepareMarkdown(markdown: string): string {
  return markdown
    .replace(codeOrHtml, (part, _, mark?: string) => (mark ? part : closeTags(part)))
    .replace(fencePattern, withoutOddLanguage)
    .replace(/^(?:\s*\n)?(?=---|\+\+\+)/, ' ');
}

function withoutOddLanguage(line: string, indent: string, mark: string, info: string): string {
  const [name = ''] = info.trim().split(/\s/, 1);
  return invalidLanguage.test(name) ? `${indent}${mark}plaintext` : line;
}
