/** What makes an article expensive for a Markdown processor. Each number is an upper bound, measured in linear time. */
interface Measures {
  /** Characters, and 40 for each line and each sign: a character with a meaning in Markdown. */
  size: number;
  /** For each text, such as a paragraph, its signs times its characters: processors compare the signs, and copy the text. */
  text: number;
  /** Quotes, list items and underlined headings times lines, and the squared depth of each line. */
  structure: number;
  /** The characters that uses of link definitions insert, and 40 for each cell of a table: short rows are completed. */
  copies: number;
}

/** What a Markdown processor may be given: far more than articles need. */
export interface Bounds {
  /** The cost of each measure, in microseconds of a small server at worst. */
  costs: Measures;
  /** The largest sum of costs, in microseconds. */
  limit: number;
}

/** The costs of micromark, and of `unified()` and other processors that use it. */
export const micromarkCosts: Measures = { size: 0.5, text: 0.015, structure: 0.03, copies: 0.5 };
/** The costs of Sätteri, which is not written in JavaScript. */
export const satteriCosts: Measures = { size: 0.05, text: 0.003, structure: 0.02, copies: 0.1 };
export const buildLimit = 2_000_000;
/** For live pages, so that no article keeps a server busy for more than a second. */
export const liveLimit = 700_000;

const reasons: Readonly<Record<keyof Measures, string>> = {
  size: 'it is too long',
  text: 'it has a paragraph, table or block of code that is too long; divide it with blank lines',
  structure: 'it has too many nested quotes and lists, or too many of them in so many lines',
  copies: 'it has a table of too many cells, or link definitions that are too long for their uses',
};

/**
 * Returns why an article's Markdown cannot be rendered; undefined when it can. Processors need time and memory that
 * grow with the square of some counts, so these are limited before a processor runs.
 */
export function exceededLimit(markdown: string, { costs, limit }: Bounds): string | undefined {
  const measures = measure(markdown);
  const names = Object.keys(reasons) as (keyof Measures)[];
  const costOf = (name: keyof Measures) => costs[name] * measures[name];
  if (names.reduce((sum, name) => sum + costOf(name), 0) <= limit) return undefined;
  const [first = 'size'] = names.toSorted((one, other) => costOf(other) - costOf(one));
  return costs === satteriCosts
    ? reasons[first]
    : `${reasons[first]} (Sätteri, Astro's default processor, accepts more)`;
}

// Characters with a meaning in Markdown, and those that typography replaces.
const sign = /[[\]()<>*_!@"'~`&\\=|]|\.{3}|--|www\.|:\/\//g;
// The marker of a quote, a list item, a footnote or an underlined heading at the start of a line.
const marker = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)]|=+|:?-+:?)(?=[ \t]|$)|\[\^[^\]\s]{1,999}\]:)/y;

function measure(markdown: string): Measures {
  const lines = markdown.split(/\r\n?|\n/);
  const measures = { size: markdown.length + 40 * lines.length, text: 0, structure: 0, copies: 0 };
  for (const line of lines) {
    let markers = 0;
    marker.lastIndex = 0;
    while (marker.test(line)) markers += 1;
    const depth = markers + (line.length - line.trimStart().length) / 2;
    if (markers > 0) measures.structure += markers * lines.length + 100 * depth ** 2;
  }
  let longest = 0;
  for (const text of textsOf(markdown, lines)) {
    const signs = text.match(sign)?.length ?? 0;
    measures.size += 40 * signs;
    measures.text += signs * text.length;
    const rows = text.split('\n');
    const cells = rows.reduce((most, row) => Math.max(most, row.split('|').length), 0);
    measures.copies += 40 * rows.length * cells;
    // What is between the signs of a title may continue on the next line.
    const definitions = !text.includes(']:') ? [] : /["'(]/.test(text) ? [text] : rows;
    for (const { length } of definitions) longest = Math.max(longest, length);
  }
  measures.copies += longest * markdown.split('[').length;
  return measures;
}

// Lines without text, also in quotes. More indented, `>` would be text of a paragraph.
const blank = /^ {0,3}(?:> {0,4})*[ \t]*$/;
// Lines that begin another text: list items, headings, and items of a numbered list behind others with their delimiter.
const startsText = /^ {0,3}(?:[-+*][ \t]+\S|1[.)][ \t]+\S|#{1,6}[ \t])/;
const ordered = /^\d{1,9}([.)])[ \t]+\S/;
// The first lines of blocks of code, HTML and tables. Without indentation, they are in no list or quote.
const fence = /^(`{3,}(?=[^`]*$)|~{3,})/;
const html =
  /^<\/?(?:table|thead|tbody|tr|td|th|div|section|figure|details|ul|ol|li|dl|p|h[1-6])(?:[ \t]|\/?>|$)/i;
const delimiters = /^\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$/;
// Lines that may begin a block in which those first lines are text, and which ends elsewhere than at a blank line.
const opensMore =
  /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(?::{3}|\${2}|<!--(?!.*-->)|<[!?](?!--)|<(script|pre|style|textarea)\b(?!.*<\/\1))/im;

/** Divides Markdown into texts that a processor parses by themselves, without code and HTML between blank lines. */
function textsOf(markdown: string, lines: readonly string[]): string[] {
  const isCertain = !opensMore.test(markdown);
  const texts: string[][] = [[]];
  let skipped: 'html' | { fence: string } | undefined;
  let isTable = false;
  for (const line of lines) {
    const text = texts.at(-1) ?? [];
    const isBlank = blank.test(line);
    if (typeof skipped === 'object') {
      if (closes(line, skipped.fence)) skipped = undefined;
      continue;
    }
    if (isBlank) skipped = undefined;
    if (skipped) continue;
    if (isCertain && text.length === 0 && !isBlank) {
      const [, mark] = fence.exec(line) ?? [];
      skipped = mark ? { fence: mark } : html.test(line) ? 'html' : undefined;
      if (skipped) continue;
    }
    const [header = ''] = text;
    isTable = line.startsWith('|') && (isTable || (isCertain && isHeader(header, text[1])));
    const delimiter = ordered.exec(line)?.[1];
    const isNextItem = delimiter && delimiter === ordered.exec(header)?.[1];
    if (isBlank || isTable || isNextItem || startsText.test(line)) texts.push([]);
    if (!isBlank) texts.at(-1)?.push(line);
  }
  return texts.map((text) => text.join('\n'));
}

function closes(line: string, mark: string): boolean {
  const end = line.trim();
  return (
    /^ {0,3}\S/.test(line) && end.startsWith(mark) && end === mark.charAt(0).repeat(end.length)
  );
}

/** Whether lines are certainly the head of a table. */
function isHeader(header: string, line = ''): boolean {
  const cells = (text: string) => text.trim().split('|').length;
  return (
    /^\|[^\\`]*\|[ \t]*$/.test(header) && delimiters.test(line) && cells(header) === cells(line)
  );
}
