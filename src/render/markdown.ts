import { type Fence, scanLines } from './fences.ts';

/** The limit of `Fence.cost` for an article: one line of 580 characters, or 1,000 usual ones. */
const maxHighlightingCost = 200_000_000;
/** The languages of an article whose grammars are loaded: those of all 346 need 12 seconds and 600 MB. */
const maxLanguages = 30;

/**
 * Prepares the Markdown of an article for Astro's renderer. The renderer treats `---` at the start as front matter,
 * and removes text or throws; a leading space prevents this without changing the meaning (CommonMark 0.31, 4.1).
 * Code that would take minutes to highlight becomes plain text.
 *
 * @param markdown a text without front matter
 */
export function prepareMarkdown(markdown: string, { keepInfoStrings = false } = {}): string {
  const { parts, isCode, fences } = scanLines(markdown);
  let spent = 0;
  const languages = new Set<string>();
  for (const fence of fences) {
    const clean = cleanInfo(fence);
    const language = clean.trim().split(/\s/)[0]?.toLowerCase() ?? '';
    if (languages.size < maxLanguages) languages.add(language);
    const isCostly = spent + fence.cost > maxHighlightingCost || !languages.has(language);
    if (!isCostly) spent += fence.cost;
    const info = isCostly ? 'plaintext' : keepInfoStrings ? fence.info : clean;
    parts[fence.line * 2] = `${fence.indent}${fence.mark}${info}`;
  }
  for (const [index, part] of parts.entries()) {
    const isText = index % 2 === 0 && !isCode[index / 2];
    if (isText && part.includes('%')) parts[index] = escapePercents(part);
  }
  const text = parts.join('').replace(/^(?:[ \t]*(?:\r\n?|\n))+/, '');
  return /^(?:---|\+\+\+)/.test(text) ? ` ${text}` : text;
}

/**
 * Writes the language of a fence as the highlighter expects it: `rust,ignore`, `js{2-3}`, `{.python}` and
 * `Rust` mean rust, js, python and rust. The text after the language is unchanged.
 */
function cleanInfo({ info, isCertain }: Fence): string {
  const match = /^(\s*)\{?\.?(?:language-)?([\p{L}\p{N}_+#./*-]+)(.*)$/su.exec(info);
  const [, space = '', language = '', rest = ''] = match ?? [];
  if (!isCertain || !language) return info;
  const meta = rest.replace(/^[\s,}:;]+/, '').trim();
  return `${space}${language.toLowerCase()}${meta ? ` ${meta}` : ''}`;
}

// The URL of an inline link or image, and of a definition.
const destination = /(\]\(\s*|^[ \t>]*\[[^\]]+\]:\s*)(<[^<>]*>|(?:[^\s<>()]|\([^\s<>()]*\))*)/g;
// An encoded character of UTF-8, or a `%` that encodes nothing.
const encoded =
  /%[0-7][\da-f]|%(?:c[2-9a-f]|d[\da-f])%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-4](?:%[89ab][\da-f]){3}|%/gi;

/** Escapes each `%` of a URL that encodes nothing: Astro decodes the URLs of images, and throws. */
function escapePercents(line: string): string {
  return line.replace(
    destination,
    (_, start: string, url: string) =>
      start + url.replace(encoded, (sign) => (sign === '%' ? '%25' : sign)),
  );
}
