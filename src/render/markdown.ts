/** Whether the site's highlighter knows a language; undefined when it is not known which it knows. */
export type KnowsLanguage = ((language: string) => boolean) | undefined;

const fenceLine = /^( {0,3})(`{3,}|~{3,})(.*)$/;

/**
 * Makes the Markdown of an article ready for Astro's renderer, which would take a thematic break at
 * its start for front matter: cut off what follows, or throw. One space in front keeps the meaning
 * (CommonMark 0.31, 4.1).
 */
export function prepareMarkdown(content: string, knows?: KnowsLanguage): string {
  const text = content.replace(/^\uFEFF/, '').replace(/^(?:[ \t]*\r?\n)+/, '');
  const guarded = /^(?:---|\+\+\+)/.test(text) ? ` ${text}` : text;
  return mapFences(guarded, (info) => cleanInfo(info, knows));
}

/** The text of the first heading, for an article without a title. */
export function firstHeading(content: string): string | undefined {
  for (const { line, inFence } of lines(content)) {
    const text = inFence ? undefined : /^ {0,3}#{1,6}[ \t]+(.*)$/.exec(line)?.[1]?.trim();
    if (text)
      return (
        withoutClosing(text)
          .replace(/[*_`~]/g, '')
          .trim() || undefined
      );
  }
  return undefined;
}

/** Takes off the `#`s that may close a heading, if a space sets them apart. */
function withoutClosing(heading: string): string {
  let end = heading.length;
  while (heading[end - 1] === '#') end -= 1;
  return end === 0 || /\s/.test(heading[end - 1] ?? '') ? heading.slice(0, end) : heading;
}

/**
 * Writes the language of a fence as the highlighter expects it: `rust,ignore`, `js{2-3}`, `{.python}`
 * and `Rust` mean rust, js, python and rust. What follows the language stays.
 */
function cleanInfo(info: string, knows: KnowsLanguage): string {
  const match = /^(\s*)\{?\.?(?:language-)?([\p{L}\p{N}_+#./*-]+)(.*)$/u.exec(info);
  const [, space = '', language = '', rest = ''] = match ?? [];
  if (!language) return knows ? 'plaintext' : info;
  const name = language.toLowerCase();
  const meta = rest.replace(/^[\s,}:;]+/, '').trim();
  const known = !knows || knows(name);
  return `${space}${known ? name : 'plaintext'}${meta ? ` ${meta}` : ''}`;
}

function mapFences(content: string, map: (info: string) => string): string {
  if (!/^ {0,3}(?:`{3}|~{3})/m.test(content)) return content;
  const parts: string[] = [];
  for (const { line, end, opens } of lines(content)) {
    const [, indent = '', fence = '', info = ''] = opens ? (fenceLine.exec(line) ?? []) : [];
    parts.push(info.trim() ? `${indent}${fence}${map(info)}${end}` : `${line}${end}`);
  }
  return parts.join('');
}

/** The lines of a text, with what is known of fenced code blocks (CommonMark 0.31, 4.5). */
export function* lines(content: string) {
  let open: string | undefined;
  for (const [, line = '', end = ''] of content.matchAll(/([^\r\n]*)(\r\n|\r|\n|$)/g)) {
    const [, , fence = '', info = ''] = fenceLine.exec(line) ?? [];
    const opens = !open && fence !== '' && !(fence.startsWith('`') && info.includes('`'));
    const closes = open !== undefined && fence.startsWith(open) && info.trim() === '';
    yield { line, end, opens, inFence: opens || open !== undefined };
    if (opens) open = fence;
    else if (closes) open = undefined;
  }
}

/** Splits a YAML front matter off the start of a text. */
export function splitFrontMatter(content: string): { frontMatter?: string; content: string } {
  const match = /^---\r?\n((?:[ \t#].*\r?\n|[\w-]+:.*\r?\n|- .*\r?\n|\r?\n)*)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(content);
  return match?.[1] ? { frontMatter: match[1], content: content.slice(match[0].length) } : { content };
}
