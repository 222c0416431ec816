import type { Text } from './texts.ts';

/** A quote, list or footnote. */
interface Container {
  /** Its marker without a number. */
  kind: string;
  /** The columns by which its text is indented. */
  width: number;
}

/** About how many tokens processors make of a line, of the marker of a quote or list item, and of that of a footnote. */
const tokensOf = { line: 4, marker: 8, footnote: 16 };
/** The time for the next item of a list, as a share of the time for the end of a list. */
const itemShare = 0.05;

/** Matches the marker of a quote, list item or footnote, and the line under a heading. */
const marker = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)]|=+|-+)(?=[ \t]|$)|\[\^[^\]\s]{1,999}\]:)/y;
const quote = / {0,3}> ?/y;
/** Matches the marker of a container, with the blanks before its text. */
const container =
  / *(?:> ?|(?:[-+*]|\d{1,9}[.)])(?: {1,4}(?! )| |$)|(?<footnote>\[\^[^\]\s]{1,999}\]: *))/y;
const underline = /^[ >]*(?:=+|-+) *$/;

/** Returns the markers with which a line begins. */
export function markersOf(row: string): string[] {
  return [...matchesAt(marker, row, 0)].map(([found]) => found);
}

/**
 * Counts the ends of quotes, lists and footnotes, with underlined headings, and the tokens of an article. At each end,
 * processors in JavaScript move all tokens before it, so the time grows with the product.
 *
 * @param texts the texts of `lines`
 */
export function containersOf(texts: readonly Text[], lines: readonly string[]) {
  let tokens = 0;
  // Each column of indentation may be a token.
  for (const line of lines) tokens += tokensOf.line + withoutTabs(line).search(/\S|$/);
  const open: Container[] = [];
  let ends = 0;
  let lastLine = 0;
  for (const { line, rows } of texts) {
    for (const [index, row] of rows.entries()) {
      for (const found of markersOf(row))
        tokens += found.endsWith(':') ? tokensOf.footnote : tokensOf.marker;
      ends += closeBetween(lines.slice(lastLine, line + index - 1), open);
      ends += readLine(withoutTabs(row), open);
      lastLine = line + index;
    }
  }
  return { ends, tokens };
}

/**
 * Closes the containers that end at lines between two texts: quotes at an empty line, and all of them at code. Returns the
 * number of ends, at most 1.
 */
function closeBetween(lines: readonly string[], open: Container[]): number {
  if (lines.length === 0) return 0;
  const isCode = lines.some((line) => line.trim() !== '');
  const first = open.findIndex(({ kind }) => isCode || kind === '>');
  return first >= 0 && open.splice(first) ? 1 : 0;
}

/** Updates the open containers by a line, and returns how many ends it has. A lazy continuation line counts as an end. */
function readLine(text: string, open: Container[]): number {
  let column = 0;
  let depth = 0;
  for (const { kind, width } of open) {
    const end = kind === '>' ? endOfQuote(text, column) : endOfIndent(text, column, width);
    if (end === undefined) break;
    column = end;
    depth += 1;
  }
  const opened = [...matchesAt(container, text, column)].map(containerOf);
  const closed = open.splice(depth, open.length, ...opened);
  const kind = opened[0]?.kind;
  const isItem = closed.length === 1 && closed[0]?.kind === kind && kind !== '' && kind !== '>';
  const ends = isItem ? itemShare : Math.min(1, closed.length);
  return underline.test(text) ? ends + 1 : ends;
}

function endOfQuote(text: string, column: number): number | undefined {
  const [match] = matchesAt(quote, text, column);
  return match && column + match[0].length;
}

function endOfIndent(text: string, column: number, width: number): number | undefined {
  const end = column + width;
  return text.slice(column, end).trim() ? undefined : end;
}

function containerOf({ 0: found, groups }: RegExpExecArray): Container {
  // With more than three blanks before it, it may be code, which does not continue a list.
  const kind = /^ {4}/.test(found) ? '' : found.trim().replace(/^\d+/, '').charAt(0);
  // An item without text has the width of one with a blank.
  const width = Math.max(found.length, found.trimEnd().length + 1);
  // The text of a footnote is indented by four columns.
  return { kind, width: groups?.footnote ? 4 : width };
}

/** Yields the matches of a sticky pattern that follow each other, from a column on. */
function* matchesAt(pattern: RegExp, text: string, column: number) {
  let at = column;
  while (true) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) return;
    at += match[0].length;
    yield match;
  }
}

/** Replaces tabs by blanks up to the next of the columns 4, 8, … */
function withoutTabs(text: string): string {
  let added = 0;
  return text.replace(/\t/g, (_, at: number) => {
    const blanks = 4 - ((at + added) % 4);
    added += blanks - 1;
    return ' '.repeat(blanks);
  });
}
