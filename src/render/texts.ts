import { count, quote } from '../messages.ts';

/** Lines that a Markdown processor reads as one piece, such as a paragraph or a table. */
export interface Text {
  /** The number of its first line. */
  line: number;
  /** Without embedded pictures. */
  rows: string[];
  /** Its characters with embedded pictures. */
  size: number;
  /** How many of its first lines are rows of a table, each of which is read by itself. */
  tableRows: number;
}

/** Lines without text, also in quotes. With more indentation, `>` may continue a paragraph. */
const blank = /^ {0,3}(?:> {0,4})*[ \t]*$/;
/** List items, headings and footnotes begin another text. A number does so only behind the number of another item. */
const start = /^ {0,3}(?:[-+*][ \t]+\S|1[.)][ \t]+\S|#{1,6}[ \t]|\[\^[^\]\s]{1,99}\]:[ \t]+\S)/;
const numbered = /^\d{1,9}([.)])[ \t]+\S/;
/** A fence without indentation is in no list or quote. */
const fence = /^(`{3,}(?=[^`]*$)|~{3,})/;
/**
 * Lines behind which a fence may be no fence, and a row no row: HTML that may continue behind blank lines, math,
 * directives, and fences that may be in a list.
 */
const uncertain =
  /^ {0,3}(?:<!--(?!.*[^-]-->)|<(?!!--)[!?]|<(?:script|pre|style|textarea)\b|\${2}|:{3})|^ {1,3}(?:`{3}|~{3})/i;
const tableHead = /^\|[^\\`\n]*\|[ \t]*\n\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$/;
/** Pictures in base64, which are URLs and no text. Where they are text, they have a word behind each `+` and `/`. */
const embedded = /data:image\/[\w.+-]+;base64,[\w+/]{200,}={0,2}/g;

/**
 * Divides Markdown at blank lines, list items and headings into texts. Code between fences and embedded pictures are
 * left out where it is certain that processors read them as such: a text that seems shorter than it is would be costly.
 */
export function textsOf(lines: readonly string[]): Text[] {
  const texts: Text[] = [];
  let text: Text | undefined;
  for (const { number, line, isCertain } of linesWithoutCode(lines)) {
    const isBlank = blank.test(line);
    if (isBlank || startsText(line, text)) text = undefined;
    if (line.trim() === '') continue;
    if (!text) {
      text = { line: number, rows: [], size: 0, tableRows: 0 };
      texts.push(text);
    }
    text.size += line.length;
    text.rows.push(line.replace(embedded, (url) => url.replace(/[^+/]+/g, '')));
    if (isCertain && isRow(text)) text.tableRows = text.rows.length;
    if (isBlank) text = undefined;
  }
  return texts;
}

/** Returns the lines with their numbers, and in place of code between fences an empty line. */
function* linesWithoutCode(lines: readonly string[]) {
  let isCertain = true;
  let isHtml = false;
  /** Matches the end of the code that is left out. */
  let end: RegExp | undefined;
  for (const [index, line] of lines.entries()) {
    const isCode = end !== undefined;
    if (end?.test(line)) end = undefined;
    if (isCode) continue;
    isHtml = isHtmlLine(line, isHtml);
    const [mark] = fence.exec(line) ?? [];
    if (uncertain.test(line) || (mark && isHtml)) isCertain = false;
    if (mark && isCertain) end = new RegExp(`^ {0,3}${mark}${mark.charAt(0)}*[ \\t]*$`);
    yield { number: index + 1, line: end ? '' : line, isCertain };
  }
}

/** Returns whether a line may be HTML, which ends at a blank line. */
function isHtmlLine(line: string, isHtmlBefore: boolean): boolean {
  return line.trim() !== '' && (isHtmlBefore || /^ {0,3}</.test(line));
}

/** Returns whether a line begins another text than the one before it. */
function startsText(line: string, text: Text | undefined): boolean {
  if (start.test(line)) return true;
  const delimiter = numbered.exec(line)?.[1];
  return delimiter !== undefined && delimiter === numbered.exec(text?.rows[0] ?? '')?.[1];
}

/** Returns whether the last line of a text is certainly a row of a table, as all lines before it. */
function isRow({ rows, tableRows }: Text): boolean {
  if (rows.length > 2)
    return tableRows === rows.length - 1 && rows.at(-1)?.startsWith('|') === true;
  const [cells, others] = rows.map((row) => row.trim().split('|').length);
  return cells === others && tableHead.test(rows.join('\n'));
}

/** Names a text by its line and its first words. */
export function nameOf({ line, rows: [first = ''] }: Text): string {
  return `the text on line ${count(line)}, which begins with ${quote(first.trim().slice(0, 40))}`;
}
