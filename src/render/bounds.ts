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

/**
 * Returns why an article's Markdown cannot be rendered; undefined when it can. Processors need time and
 * memory that grow with the square of a paragraph's length, so this is checked before they start.
 */
export function exceededLimit({ parts, isCode, length }: Lines): string | undefined {
  if (length < minLength) return undefined;
  const cost: Cost = { levels: 0, nesting: 0, cells: 0, effort: 0, typography: 0 };
  let block = startBlock();
  for (let index = 0; index < parts.length; index += 2) {
    const line = parts[index] ?? '';
    const isText = !isCode[index / 2];
    const levels = isText ? levelsOf(line) : 0;
    cost.levels = Math.max(cost.levels, levels);
    cost.nesting += levels ** 2;
    if (/^[ \t>]*$/.test(line) || startsBlock.test(line)) {
      addBlock(cost, block);
      block = startBlock();
    }
    block.isTable &&= line.includes('|');
    if (block.rows === 0) block.isHtml = htmlBlock.test(line);
    else if (block.rows === 1)
      block.isTable = isDelimiterRow(line) && cellsOf(line) === block.columns;
    if (block.isTable) {
      // Each cell is a text of its own.
      addBlock(cost, block);
      Object.assign(block, { length: 0, marks: 0, quotes: 0 });
    }
    block.columns = Math.max(
      block.columns,
      block.rows === 0 || isDelimiterRow(line) ? cellsOf(line) : 0,
    );
    block.rows += 1;
    block.length += line.length + 1;
    block.quotes += line.match(quote)?.length ?? 0;
    if (isText) block.marks += 1 + (line.match(mark)?.length ?? 0);
  }
  addBlock(cost, block);
  const exceeded = keysOf(limits).find((name) => cost[name] > limits[name]);
  return exceeded && reasons[exceeded];
}

const keysOf = <T extends object>(object: T) => Object.keys(object) as (keyof T)[];

/** Creates the counters of a block: lines that may be one paragraph, or one table. */
const startBlock = () => ({
  isTable: false,
  isHtml: false,
  rows: 0,
  /** The columns of the widest line that may begin a table. */
  columns: 0,
  length: 0,
  marks: 0,
  quotes: 0,
});

function addBlock(cost: Cost, block: ReturnType<typeof startBlock>): void {
  const { isHtml, length, marks, quotes, columns, rows } = block;
  cost.cells = Math.max(cost.cells, columns > 1 ? columns * rows : 0);
  if (isHtml) return;
  cost.effort += length * marks;
  cost.typography += length * quotes;
}

// Characters with a meaning in Markdown, and those that typography replaces.
const mark = /[[\]()<>*_!@"'~`&\\=]|\.{3}|--|www\.|:\/\//g;
const quote = /["'&]|\.{3}|--/g;
const htmlBlock =
  /^ {0,3}<\/?(?:table|thead|tbody|tr|td|th|div|section|figure|details|ul|ol|li|dl|p)(?:[\s/>]|$)/i;
const startsBlock = /^ {0,3}(?:[-+*][ \t]+\S|1[.)][ \t]+\S|#{1,6}[ \t])/;

/** Tests cell by cell, because one expression for the whole line would backtrack at its spaces. */
function isDelimiterRow(line: string): boolean {
  if (!/[|:-]/.test(line) || /[^-:| \t>]/.test(line)) return false;
  return line
    .replace(/^[ \t>]*/, '')
    .split('|')
    .every((cell) => /^:?-*:?$/.test(cell.trim()));
}

const cellsOf = (row: string) => row.trim().replace(/^\|/, '').replace(/\|$/, '').split('|').length;

/** Returns the largest possible depth of the quotes and list items that a line begins. */
function levelsOf(line: string): number {
  if (/^[ \t>]*(?:-[- \t]*|\*[* \t]*)$/.test(line) && !line.includes('>')) return 0;
  const container = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))/y;
  let items = 0;
  while (container.test(line)) items += 1;
  return items === 0 ? 0 : items + (line.length - line.trimStart().length) / 2;
}
