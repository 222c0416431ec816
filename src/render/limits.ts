import { lines } from './markdown.ts';

/** What an article's Markdown may hold: far more than articles do, and no more than can be rendered. */
export const limits = {
  lines: 20_000,
  words: 400_000,
  /** Quotes and lists, one in the other. */
  levels: 50,
  /** Quotes and list items in all. */
  items: 30_000,
  /** Characters in fences: highlighting is slow. */
  code: 1_000_000,
  /** Of a table, with those that its short rows leave out: processors make them up. */
  cells: 50_000,
  /** Length times punctuation of each paragraph, all added up. */
  effort: 300_000_000,
};

type Cost = Record<keyof typeof limits, number>;

const reasons: Record<keyof Cost, string> = {
  lines: `its Markdown has more than ${limits.lines} lines`,
  words: `its Markdown has more than ${limits.words} words`,
  levels: `its Markdown has quotes or lists nested more than ${limits.levels} levels deep`,
  items: `its Markdown has more than ${limits.items} quotes and list items`,
  code: `its code blocks hold more than ${limits.code} characters`,
  cells: `it has a table of more than ${limits.cells} cells`,
  effort: 'it has paragraphs too long to be rendered; blank lines would divide them',
};

/**
 * Tells why an article's Markdown cannot be rendered, if so. What some text costs a Markdown processor
 * grows with the square of its length, and Sätteri ends the whole process when it needs more than 4 GiB
 * for the typographic quotes of an article; so it must be known before. Where it is not plain what a
 * processor makes of a line, the dearest is assumed.
 */
export function excessOf(content: string): string | undefined {
  const cost = costOf(content);
  const exceeded = keysOf(limits).find((name) => cost[name] > limits[name]);
  return exceeded && reasons[exceeded];
}

const keysOf = <T extends object>(object: T) => Object.keys(object) as (keyof T)[];

function costOf(content: string): Cost {
  const cost: Cost = { lines: 0, words: 0, levels: 0, items: 0, code: 0, cells: 0, effort: 0 };
  let block = startBlock();
  for (const { line, inFence } of lines(content)) {
    cost.lines += 1;
    if (cost.lines > limits.lines) break;
    if (inFence) cost.code += line.length;
    if (inFence || endsParagraph(line)) {
      cost.effort += effortOf(block);
      block = startBlock();
      continue;
    }
    const { items, levels } = containersOf(line);
    cost.words += line.match(/\S+/g)?.length ?? 0;
    cost.items += items;
    cost.levels = Math.max(cost.levels, levels);
    block.isTable &&= continuesTable(line);
    if (block.isTable || startsParagraph(line)) {
      cost.effort += effortOf(block);
      block = { ...block, length: 0, marks: 0 };
    }
    addLine(block, line);
    cost.cells = Math.max(cost.cells, block.columns * block.rows);
  }
  cost.effort += effortOf(block);
  return cost;
}

/** Lines that may be one paragraph, as far as they were read. */
interface Block {
  first: string | undefined;
  isTable: boolean;
  length: number;
  marks: number;
  /** Of the widest line that may stand between a table's head and its body. */
  columns: number;
  rows: number;
}

const startBlock = (): Block => ({
  first: undefined,
  isTable: false,
  length: 0,
  marks: 0,
  columns: 0,
  rows: 0,
});

// What stands for something else in Markdown, or becomes something else in typography.
const mark = /[[\]()<>*_!@"'~`&\\]|\.{3}|--|www\.|:\/\//g;

function addLine(block: Block, line: string): void {
  if (block.first === undefined) block.first = line;
  else if (block.rows === 1) block.isTable = isTable(block.first, line);
  block.length += line.length + 1;
  block.marks += line.match(mark)?.length ?? 0;
  block.rows += 1;
  if (isDelimiterRow(line)) {
    block.columns = Math.max(block.columns, line.split('|').length);
  }
}

const htmlBlock =
  /^ {0,3}<\/?(?:table|thead|tbody|tr|td|th|div|section|figure|details|ul|ol|li|dl|p)(?:[\s/>]|$)/i;

function effortOf({ first = '', length, marks }: Block): number {
  return htmlBlock.test(first) ? 0 : length * marks;
}

/** Each cell of a table is a text of its own. */
function isTable(head: string, line: string): boolean {
  const isPlain = /^ {0,3}[^\s>]/.test(head) && !head.includes('\\') && /^ {0,3}[|:-]/.test(line);
  return isPlain && isDelimiterRow(line) && cellsOf(head) === cellsOf(line);
}

/** Cell by cell: one expression for the whole line would try every way to part its spaces. */
function isDelimiterRow(line: string): boolean {
  if (!line.includes('|') || /[^-:| \t>]/.test(line)) return false;
  const [first = '', ...others] = line.replace(/^[ \t>]*\|?/, '').split('|');
  return /^:?-+:?$/.test(first.trim()) && others.every((cell) => /^:?-*:?$/.test(cell.trim()));
}

const cellsOf = (row: string) => row.trim().replace(/^\|/, '').replace(/\|$/, '').split('|').length;

const continuesTable = (line: string) =>
  line.includes('|') && !startsParagraph(line) && !/^ {0,3}(?:>|\[\^)/.test(line);
const endsParagraph = (line: string) => /^[ \t]*$|^ {0,3}(?:> ?)+$/.test(line);
const startsParagraph = (line: string) =>
  /^ {0,3}(?:[-+*][ \t]+\S|1[.)][ \t]+\S|#{1,6}[ \t])/.test(line);

/** The quotes and list items that a line begins, and how deep the last of them may be. */
function containersOf(line: string): { items: number; levels: number } {
  if (/^[ \t>]*(?:-[- \t]*|\*[* \t]*)$/.test(line)) return { items: 0, levels: 0 };
  const container = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))/y;
  let items = 0;
  while (container.test(line)) items += 1;
  const indent = /^[ \t]*/.exec(line)?.[0].replaceAll('\t', '    ') ?? '';
  return { items, levels: items === 0 ? 0 : items + indent.length / 2 };
}
