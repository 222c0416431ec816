import type { Lines } from './fences.ts';

/** Limits of an article's Markdown: far more than articles need. */
const limits = {
  /** The nesting depth of quotes and lists. */
  levels: 50,
  /** The sum of the squared depths of all lines. */
  nesting: 250_000,
  /** Cells of a table, including those that processors add to short rows. */
  cells: 50_000,
  /** The sum of length times punctuation of each block: the time that processors need grows with both. */
  effort: 60_000_000,
  /** The same with quotes, dashes and dots only: Sätteri needs this many bytes, and aborts at 4 GiB. */
  typography: 500_000_000,
};

type Cost = Record<keyof typeof limits, number>;

const longParagraph = 'it has a paragraph that is too long to render; divide it with blank lines';
const reasons: Record<keyof Cost, string> = {
  levels: `its Markdown has quotes or lists nested more than ${limits.levels} levels deep`,
  nesting: 'its Markdown has too many nested quotes and lists',
  cells: `it has a table of more than ${limits.cells} cells`,
  effort: longParagraph,
  typography: longParagraph,
};

/** Shorter texts, in characters, cannot exceed a limit. */
const minLength = 5000;

interface Line {
  text: string;
  /** Whether it is certainly in a fenced code block. */
  isCode: boolean;
}

/**
 * Returns why an article's Markdown cannot be rendered; undefined when it can. Processors need time and
 * memory that grow with the square of a paragraph's length, so this is checked before they start.
 */
export function exceededLimit({ parts, length }: Lines): string | undefined {
  if (length < minLength) return undefined;
  const cost: Cost = { levels: 0, nesting: 0, cells: 0, effort: 0, typography: 0 };
  const lines = linesOf(parts);
  const blocks = blocksOf(lines);
  const longest = blocks.reduce((most, block) => Math.max(most, lengthOf(block)), 0);
  // No text has more signs than characters, so those of most articles need not be counted.
  const mayBeCostly = length * longest > limits.effort;
  addNesting(cost, lines);
  for (const block of blocks) {
    cost.cells = Math.max(cost.cells, cellsIn(block));
    if (mayBeCostly) for (const text of textsIn(block)) addEffort(cost, text);
  }
  const exceeded = keysOf(limits).find((name) => cost[name] > limits[name]);
  return exceeded && reasons[exceeded];
}

const keysOf = <T extends object>(object: T) => Object.keys(object) as (keyof T)[];

// HTML that may go on after a blank line.
const rawHtml = /^ {0,3}<(?:!(?!--.*-->)|\?|(?:script|pre|style|textarea)(?![a-z]))/is;

/** Finds the lines of code: fences at the margin are in no list, and end only at another fence. */
function linesOf(parts: readonly string[]): Line[] {
  const lines: Line[] = [];
  let fence = '';
  let mayBeHtml = false;
  let mayBeRaw = false;
  for (let index = 0; index < parts.length; index += 2) {
    const text = parts[index] ?? '';
    const isCode = fence !== '';
    if (isCode) {
      const end = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(text)?.[1] ?? '';
      if (end.startsWith(fence)) fence = '';
    } else {
      mayBeHtml = /^ {0,3}</.test(text) || (mayBeHtml && !/^[ \t]*$/.test(text));
      mayBeRaw ||= rawHtml.test(text);
      const start = /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(text)?.[0] ?? '';
      fence = mayBeHtml || mayBeRaw ? '' : start;
    }
    lines.push({ text, isCode: isCode || fence !== '' });
  }
  return lines;
}

// Lines without text, also in quotes. More indented, `>` would be text of a paragraph.
const blank = /^(?: {0,3}> ?)*[ \t]*$/;
const startsBlock = /^ {0,3}(?:[-+*][ \t]+\S|1[.)][ \t]+\S|#{1,6}[ \t])/;
const numberedItem = /^( {0,3})\d{1,9}[.)][ \t]+\S/;

/** Divides a text at blank lines, headings and list items. Each block is at most one paragraph or table. */
function blocksOf(lines: readonly Line[]): Line[][] {
  const blocks: Line[][] = [[]];
  // The indent of the item that began on the line before. Only next to it does any number begin another.
  let item = -1;
  for (const line of lines) {
    const isBlank = blank.test(line.text);
    const indent = numberedItem.exec(line.text)?.[1]?.length ?? Number.POSITIVE_INFINITY;
    const starts = startsBlock.test(line.text) || indent <= item;
    if (isBlank || starts) blocks.push([]);
    if (!isBlank) blocks.at(-1)?.push(line);
    item = starts && Number.isFinite(indent) ? indent : -1;
  }
  return blocks;
}

function lengthOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { text }) => sum + text.length + 1, 0);
}

function addNesting(cost: Cost, lines: readonly Line[]): void {
  for (const { text, isCode } of lines) {
    const levels = isCode ? 0 : levelsOf(text);
    cost.levels = Math.max(cost.levels, levels);
    cost.nesting += levels ** 2;
  }
}

/** Returns an upper bound of the cells of the table that a block may be. */
function cellsIn(block: readonly Line[]): number {
  const heads = block.filter(({ text }, row) => row === 0 || isDelimiterRow(text));
  const columns = heads.reduce((most, { text }) => Math.max(most, cellsOf(text)), 0);
  return columns > 1 ? columns * block.length : 0;
}

const htmlBlock =
  /^( {0,3})<\/?(?:table|thead|tbody|tr|td|th|div|section|figure|details|ul|ol|li|dl|p)(?:[ \t]|\/?>|$)/i;
// A row that can begin no other block.
const tableRow = /^( *)(?:\||\p{L}|\d+[^\d.)]).*\|/su;

// A link definition of one line. At the start of a block, it is certainly one.
const definition = /^ {0,3}\[(?![\s^])[^[\]\\]{1,99}\]:[ \t]+[^\s<>()\\]+[ \t]*$/;

/** Returns the texts of a block whose signs may belong together: rows and link definitions are apart from others. */
function textsIn(block: readonly Line[]): (readonly Line[])[] {
  const [head] = block;
  // A line with a smaller indent may end the list that a table or HTML is in.
  const indent = htmlBlock.exec(head?.text ?? '')?.[1];
  if (indent !== undefined && block.every(({ text }) => text.startsWith(indent))) return [];
  const end = block.findIndex(({ text }) => !definition.test(text));
  const definitions = end === -1 ? block : block.slice(0, end);
  const rows = definitions.length > 0 ? definitions : rowsOf(block);
  return [...rows.map((row) => [row]), block.slice(rows.length)];
}

/** Returns the lines of a block that certainly are rows of a table. */
function rowsOf(block: readonly Line[]): readonly Line[] {
  const [head, delimiters] = block.map(({ text }) => text);
  const indent = tableRow.exec(head ?? '')?.[1];
  if (head === undefined || delimiters === undefined || indent === undefined) return [];
  const isTable =
    !/\\|[^\S \t]/.test(head) &&
    /^ *[|:-]/.exec(delimiters)?.[0].length === indent.length + 1 &&
    isDelimiterRow(delimiters) &&
    !/(?:^|\|)[ \t:]*(?:\||$)/.test(withoutOuterPipes(delimiters)) &&
    cellsOf(head) > 1 &&
    cellsOf(delimiters) === cellsOf(head);
  if (!isTable) return [];
  const end = block.findIndex(({ text }, row) => row > 1 && tableRow.exec(text)?.[1] !== indent);
  return end === -1 ? block : block.slice(0, end);
}

// Characters with a meaning in Markdown, and those that typography replaces.
const mark = /[[\]()<>*_!@"'~`&\\=]|\.{3}|--|www\.|:\/\//g;
const quote = /["'&]|\.{3}|--/g;

function addEffort(cost: Cost, lines: readonly Line[]): void {
  const length = lengthOf(lines);
  for (const { text, isCode } of lines) {
    cost.effort += isCode ? 0 : length * (1 + (text.match(mark)?.length ?? 0));
    cost.typography += length * (text.match(quote)?.length ?? 0);
  }
}

/** Tests cell by cell, because one expression for the whole line would backtrack at its spaces. */
function isDelimiterRow(line: string): boolean {
  if (!/[|:-]/.test(line) || /[^-:| \t>]/.test(line)) return false;
  return line
    .replace(/^[ \t>]*/, '')
    .split('|')
    .every((cell) => /^:?-*:?$/.test(cell.trim()));
}

const withoutOuterPipes = (row: string) => row.trim().replace(/^\|/, '').replace(/\|$/, '');
const cellsOf = (row: string) => withoutOuterPipes(row).split('|').length;

/** Returns the largest possible depth of the quotes and list items that a line begins. */
function levelsOf(line: string): number {
  if (/^[ \t>]*(?:-[- \t]*|\*[* \t]*)$/.test(line) && !line.includes('>')) return 0;
  const container = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))/y;
  let items = 0;
  while (container.test(line)) items += 1;
  return items === 0 ? 0 : items + (line.length - line.trimStart().length) / 2;
}
