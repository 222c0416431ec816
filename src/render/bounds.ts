/** What makes an article expensive for a Markdown processor. Each number is an upper bound, measured in linear time. */
interface Measures {
  /** Also those of code, whose highlighting takes a time for each line. */
  lines: number;
  /** Characters, 40 for each tag, and 20 for each sign, which may have a meaning in Markdown. */
  size: number;
  /** For each text, such as a paragraph, its signs times its characters: processors compare the signs, and copy the text. */
  text: number;
  /**
   * Quotes, list items and underlined headings times lines, and depths, squared, or times lines. Also those of emphasis
   * and elements: a stack overflow in `unified()` ends the process, because it is in a callback.
   */
  structure: number;
  /** The characters that uses of link definitions insert, and 400 for each cell of a table: short rows are completed. */
  copies: number;
}

/**
 * The cost of each measure, in microseconds of a small server at worst: that of Sätteri, and that of `unified()` and
 * micromark, which are written in JavaScript, and of other processors.
 */
const costs = {
  satteri: { lines: 60, size: 0.08, text: 0.006, structure: 0.03, copies: 0.02 },
  others: { lines: 60, size: 0.6, text: 0.025, structure: 0.15, copies: 0.2 },
};

/** What may be rendered. */
export interface Bounds {
  /** The name of the Markdown processor in Astro's settings. @default an unknown one */
  processor?: string | undefined;
  /** The largest sum of costs, in microseconds. The parts of the HTML have a limit of their own: `limit / costOfPart`. */
  limit: number;
}

/** For builds: far more than articles need. */
export const buildLimit = 2_000_000;
/** For live pages, so that no article keeps a server busy for more than a second. */
export const liveLimit = 800_000;
/** The cost of an element, attribute or comment of HTML, in the same unit. */
export const costOfPart = 8;

const reasons: Readonly<Record<keyof Measures, string>> = {
  lines: 'it has too many lines',
  size: 'it is too long',
  text: 'it has a paragraph, table or block of code that is too long; divide it with blank lines',
  structure:
    'it has too many nested quotes, lists and elements, or too many quotes and lists for its length',
  copies: 'it has a table of too many cells, or link definitions that are too long for their uses',
};

/**
 * Returns why an article's Markdown cannot be rendered; undefined when it can. Processors need time and memory that
 * grow with the square of some counts, so these are limited before a processor runs.
 */
export function exceededLimit(markdown: string, { processor, limit }: Bounds): string | undefined {
  const measures = measure(markdown);
  const names = Object.keys(reasons) as (keyof Measures)[];
  const cost: Measures = processor === 'satteri' ? costs.satteri : costs.others;
  const costOf = (name: keyof Measures) => cost[name] * measures[name];
  if (names.reduce((sum, name) => sum + costOf(name), 0) <= limit) return undefined;
  const [first = 'size'] = names.toSorted((one, other) => costOf(other) - costOf(one));
  return reasons[first];
}

// Punctuation, without the pipes of tables and most characters of data URLs, and control characters. Also what joins
// words in `unified()`, whose SmartyPants compares all words of a sentence: slashes behind one or two letters, hyphens,
// apostrophes and ellipses.
const sign =
  /[\p{Cc}!-*:-@[-`{}~,.\u00ad\u00b7\u2010\u2011\u2019\u2026\u2027\u203d-](?<!\s)|\/(?<=[\p{L}\p{M}\p{N}]\/)(?<![\p{L}\p{M}\p{N}]{3}\/)/gu;
// The start of an element that has an end, the end of an element, and the start and the end of emphasis. Only the first
// sign of a run can begin a match, so that a long run is not read again for each of its signs.
const nesting =
  /(<(?=[a-z])(?!(?:area|br|col|hr|img|input|p|li|source|t[dhr]|d[dt]|track|wbr)\b)|(?<!\S)[*_~]+(?=\S)|(?<![\p{L}\p{N}*_~])[*_~]+(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])[*_~]{2,}(?=[\p{L}\p{N}]))|(<\/|(?<=[^\s*_~])[*_~]+(?!\S)|(?<=[\p{L}\p{N}])[*_~]+(?![\p{L}\p{N}*_~]))/giu;
// The marker of a quote, a list item, a footnote or an underlined heading at the start of a line.
const marker = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)]|=+|:?-+:?)(?=[ \t]|$)|\[\^[^\]\s]{1,999}\]:)/y;

function measure(markdown: string): Measures {
  const lines = markdown.split(/\r\n?|\n/);
  const size = markdown.length + 40 * markdown.split('<').length;
  const measures = { lines: lines.length, size, text: 0, structure: 0, copies: 0 };
  // No limit allows so many lines, and measuring takes time for each.
  if (lines.length > 250_000) return measures;
  let deepest = 0;
  let longest = 0;
  let openTags = 0;
  let nested = 0;
  for (const { rows, isHtml } of textsOf(markdown, lines)) {
    const text = rows.join('\n');
    let emphasis = 0;
    for (const [mark, , end] of text.matchAll(nesting)) {
      if (mark === '<') openTags += 1;
      else if (mark === '</') openTags = Math.max(0, openTags - 1);
      else emphasis = Math.max(0, emphasis + (end ? -mark.length : mark.length));
      nested = Math.max(nested, openTags + emphasis);
    }
    if (isHtml) continue;
    const signs = text.match(sign)?.length ?? 0;
    measures.size += 20 * signs;
    measures.text += signs * text.length;
    let cells = 0;
    for (const row of rows) {
      cells = Math.max(cells, row.split('|').length - 1);
      let markers = 0;
      marker.lastIndex = 0;
      while (marker.test(row)) markers += 1;
      if (markers === 0) continue;
      const depth = markers + (row.length - row.trimStart().length) / 2;
      measures.structure += markers * lines.length + 50 * depth ** 2;
      deepest = Math.max(deepest, depth);
    }
    measures.copies += 400 * rows.length * cells;
    // What is between the signs of a title may continue on the next line.
    const definitions = !text.includes(']:') ? [] : /["'(]/.test(text) ? [text] : rows;
    for (const { length } of definitions) longest = Math.max(longest, length);
  }
  measures.structure += 200 * deepest * lines.length + 50 * (deepest + nested) ** 2;
  measures.copies += longest * markdown.split('[').length;
  return measures;
}

// Lines without text, also in quotes. More indented, `>` would be text of a paragraph.
const blank = /^ {0,3}(?:> {0,4})*[ \t]*$/;
// Lines that begin another text: list items, headings, footnotes, and items of a numbered list behind others with their delimiter.
const startsText =
  /^ {0,3}(?:[-+*][ \t]+\S|1[.)][ \t]+\S|#{1,6}[ \t]|\[\^[^\]\s]{1,99}\]:[ \t]+\S)/;
const ordered = /^\d{1,9}([.)])[ \t]+\S/;
// Blocks that are certainly no text where they begin without indentation, so in no list or quote.
const fence = /^(`{3,}(?=[^`]*$)|~{3,})/;
const nestedFence = /^([ \t]+|[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*)+)(?:`{3,}(?=[^`]*$)|~{3,})/;
const html =
  /^<\/?(?:table|thead|tbody|tr|td|th|div|section|figure|details|ul|ol|li|dl|p|h[1-6])(?:[ \t]|\/?>|$)/i;
const head = /^\|[^\\`\n]*\|[ \t]*\n\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$/;
// Lines that may begin a block in which those are text, and which ends elsewhere than at a blank line.
const opensMore =
  /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(?::{3}|\${2}|<!--(?!.*-->)|<[!?](?!--)|<(script|pre|style|textarea)\b(?!.*<\/\1))/im;

interface Text {
  rows: string[];
  /** Whether it is certainly HTML, and no Markdown. */
  isHtml?: boolean;
}

/** Divides Markdown into texts that a processor parses by themselves, without code where it is certain. */
function textsOf(markdown: string, lines: readonly string[]): Text[] {
  let isCertain = !opensMore.test(markdown);
  const texts: Text[] = [{ rows: [] }];
  /** What ends the code or HTML that is skipped. */
  let end: RegExp | undefined;
  /** Whether the next lines are the rows of a table, each of which is a text. */
  let isInTable = false;
  let isInHtml = false;
  /** The start of a fence with indentation that may be open. */
  let nested: string | undefined;
  for (const line of lines) {
    const isEmpty = /^[ \t]*$/.test(line);
    if (isEmpty) isInHtml = false;
    const { rows, isHtml } = texts.at(-1) ?? { rows: [] };
    if (end) {
      if (isHtml) rows.push(line);
      if (!end.test(line)) continue;
      end = undefined;
      texts.push({ rows: [] });
      continue;
    }
    if (nested) {
      // Where a line has less indentation, it is not known whether it is code, or ends a list with the code.
      if (!isEmpty && !line.startsWith(nested.replace(/\S+/, ''))) isCertain = false;
      if (line.replace(/[ \t]+$/, '') === nested) nested = undefined;
    } else {
      const [start, indent] = nestedFence.exec(line) ?? [];
      nested = start;
      if (start && (isInHtml || indent?.trim() !== '')) isCertain = false;
    }
    const isFirst = isCertain && !isInHtml && rows.length === 0;
    const [, mark] = (isCertain && !isInHtml && fence.exec(line)) || [];
    if (mark) end = new RegExp(`^ {0,3}${mark}${mark.charAt(0)}*[ \\t]*$`);
    else if (isFirst && html.test(line)) end = /^[ \t]*$/;
    if (end) {
      texts.push({ rows: mark ? [] : [line], isHtml: !mark });
      continue;
    }
    isInHtml ||= /^ {0,3}</.test(line);
    if (isCertain && rows.length === 2 && isHead(rows)) isInTable = true;
    if (!line.startsWith('|')) isInTable = false;
    const isBlank = blank.test(line);
    const delimiter = ordered.exec(line)?.[1];
    const isNextItem = delimiter && delimiter === ordered.exec(rows[0] ?? '')?.[1];
    if (isBlank || isInTable || isNextItem || startsText.test(line)) texts.push({ rows: [] });
    if (!isBlank) texts.at(-1)?.rows.push(line);
    else if (!isEmpty) texts.push({ rows: [line] }, { rows: [] });
  }
  return texts;
}

/** Returns whether two lines are certainly the head of a table. */
function isHead(lines: readonly string[]): boolean {
  const [cells, others] = lines.map((line) => line.trim().split('|').length);
  return cells === others && head.test(lines.join('\n'));
}
