import type { Lines } from './fences.ts';

/** What the Markdown of an article may contain: far more than articles do. */
const most = {
  /** Quotes and lists, one in the other. */
  levels: 50,
  /** The squares of the levels of all lines, added up. */
  nesting: 250_000,
  /** Of a table, with those that its short rows leave out: processors add them. */
  cells: 50_000,
  /** Length times punctuation of each block, added up: what processors need grows with both. */
  effort: 60_000_000,
  /** The same for quotes, dashes and dots: Sätteri needs this many bytes, and ends the process at 4 GiB. */
  typography: 500_000_000,
};

type Cost = Record<keyof typeof most, number>;

const reasons: Record<keyof Cost, string> = {
  levels: `its Markdown has quotes or lists nested more than ${most.levels} levels deep`,
  nesting: 'its Markdown has too many nested quotes and lists',
  cells: `it has a table of more than ${most.cells} cells`,
  effort: 'it has paragraphs too long to be rendered; blank lines would divide them',
  typography: 'it has paragraphs too long to be rendered; blank lines would divide them',
};

/** Texts up to this length cannot contain too much. */
const alwaysFine = 5000;

/**
 * Returns why an article's Markdown cannot be rendered; undefined when it can. Processors need time and
 * memory that grow with the square of a paragraph's length, so this has to be known before they start.
 */
export function excessOf({ parts, isCode, length }: Lines): string | undefined {
  if (length < alwaysFine) return undefined;
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
  const exceeded = keysOf(most).find((name) => cost[name] > most[name]);
  return exceeded && reasons[exceeded];
}

const keysOf = <T extends object>(object: T) => Object.keys(object) as (keyof T)[];

/** Lines that may be one paragraph, or one table. */
const startBlock = () => ({
  isTable: false,
  isHtml: false,
  rows: 0,
  /** Of the widest line that may begin a table. */
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

// Becomes something else in Markdown, and in typography.
const mark = /[[\]()<>*_!@"'~`&\\=]|\.{3}|--|www\.|:\/\//g;
const quote = /["'&]|\.{3}|--/g;
const htmlBlock =
  /^ {0,3}<\/?(?:table|thead|tbody|tr|td|th|div|section|figure|details|ul|ol|li|dl|p)(?:[\s/>]|$)/i;
const startsBlock = /^ {0,3}(?:[-+*][ \t]+\S|1[.)][ \t]+\S|#{1,6}[ \t])/;

/** Cell by cell: one expression for the whole line would try every way to part its spaces. */
function isDelimiterRow(line: string): boolean {
  if (!/[|:-]/.test(line) || /[^-:| \t>]/.test(line)) return false;
  return line
    .replace(/^[ \t>]*/, '')
    .split('|')
    .every((cell) => /^:?-*:?$/.test(cell.trim()));
}

const cellsOf = (row: string) => row.trim().replace(/^\|/, '').replace(/\|$/, '').split('|').length;

/** How deep the quotes and list items that a line begins may be. */
function levelsOf(line: string): number {
  if (/^[ \t>]*(?:-[- \t]*|\*[* \t]*)$/.test(line) && !line.includes('>')) return 0;
  const container = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))/y;
  let items = 0;
  while (container.test(line)) items += 1;
  return items === 0 ? 0 : items + (line.length - line.trimStart().length) / 2;
}
