/** Returns the message of a value that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Changes each text of a value of JSON. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  const text = JSON.stringify(value);
  return JSON.parse(text, (_, part) => (typeof part === 'string' ? change(part) : part));
}

/** Control, format (bidirectional, zero-width) and separator characters, and lone surrogates. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Escapes parts of an external text that a terminal or GitHub Actions would interpret: control characters, and
 * `##[`, which starts a command of GitHub Actions anywhere in a line.
 */
export function printable(text: string): string {
  const escaped = text.replace(
    unprintable,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return escaped.replaceAll('##[', '#\\u{23}[');
}

/** Quotes and escapes an external text for a message. */
export function quote(text: string): string {
  return printable(JSON.stringify(text));
}

/** Returns the lines of a text that are not blank, without the blanks around them. */
export function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => line.trim() || []);
}

/** Joins the first names of a list, which may be as long as the collection, and says how many more there are. */
export function joinSome(names: readonly string[], max = 5): string {
  const more = names.length > max ? ` and ${names.length - max} more` : '';
  return names.slice(0, max).join(', ') + more;
}

/** Returns a number as text, with separators of thousands. */
export function count(number: number): string {
  return Math.floor(number).toLocaleString('en');
}

/** Names articles by their ids. */
export function nameArticles(ids: readonly string[], max?: number): string {
  return `${ids.length === 1 ? 'article' : 'articles'} ${joinSome(ids.map(quote), max)}`;
}
