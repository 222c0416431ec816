import { htmlLimits } from '../html/parse-html.ts';
import { count, quote } from '../messages.ts';

/** The sizes that an article may have. `data:` URLs of pictures are not counted. */
export interface Sizes {
  characters: number;
  lines: number;
  /** The characters of lines without a blank line between them: the time of processors grows with their square. */
  block: number;
  /** The elements, attributes and comments of its HTML, and the cells of a table. */
  parts: number;
  /** The signs for which a processor reads or stores a block again. */
  signs: RegExp;
  /** The characters of each block times its signs, added up. */
  product: number;
  /** Whether the rows of tables count for the product, because a row may only look like one. */
  areRowsCounted: boolean;
}

/**
 * Sizes for builds. Sätteri 0.9 stores a text again for each sign that it replaces, until the end of the article: the product
 * fills 500 MB. That of documentation is 48 million at most. With `unified()`, a block can take minutes.
 */
export const buildSizes: Sizes = {
  characters: 2 * 2 ** 20,
  lines: 30_000,
  block: 2 * 2 ** 20,
  parts: htmlLimits.parts,
  signs: /["'&]|--|\.{3}/g,
  product: 250_000_000,
  areRowsCounted: false,
};

/**
 * Sizes for live pages, where a reader waits: rendering takes about two seconds at most. micromark reads a block again for the
 * signs of emphasis, links, tags and numbered lists.
 */
export const liveSizes: Sizes = {
  characters: 300_000,
  lines: 5_000,
  block: 32_000,
  parts: 100_000,
  signs: /[*_~[\]<"'&]|--|\.{3}|\d[.)][ \t]/g,
  product: 120_000_000,
  areRowsCounted: true,
};

const picture = /data:[\w.+/-]+;base64,[A-Za-z\d+/=]+/g;

/**
 * Returns which size of an article's Markdown is too large, and what to do; undefined if none is. Processors cannot be
 * stopped, so this is checked before they run.
 */
export function sizeProblem(markdown: string, sizes: Sizes): string | undefined {
  const text = markdown.includes('data:') ? markdown.replace(picture, '') : markdown;
  const lines = text.split('\n');
  const excess =
    excessOf('characters', text.length, sizes.characters) ??
    excessOf('lines', lines.length, sizes.lines);
  if (excess) return `it has ${excess}; divide the article`;
  let product = 0;
  for (const block of blocksOf(lines)) {
    const problem = blockProblem(block, sizes);
    if (problem) return problem;
    product += productOf(block, sizes);
    if (product > sizes.product)
      return `its long blocks, such as ${nameOf(block)}, have too many quotation marks or other signs; divide them with blank lines`;
  }
  return undefined;
}

/** Lines without a blank line between them. */
interface Block {
  /** The number of its first line. */
  line: number;
  isHtml: boolean;
  rows: string[];
}

/** Matches an empty line, also in quotes. */
const blank = /^(?: {0,3}>){0,20}[ \t]*$/;
/** The start of fenced code that is in no quote or list (CommonMark 0.31, 4.5). */
const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/** Yields the blocks of an article. Fenced code is in none, unless its fence may be a line of HTML. */
function* blocksOf(lines: readonly string[]): Generator<Block> {
  let block: Block | undefined;
  /** The marks that close the code. */
  let mark: string | undefined;
  for (const [index, row] of lines.entries()) {
    const isCode = mark !== undefined;
    if (isCode) mark = isClosing(row, mark) ? undefined : mark;
    else if (!block?.isHtml) mark = fence.exec(row)?.[1];
    if (!isCode && mark === undefined && !blank.test(row)) {
      block ??= { line: index + 1, isHtml: row.trimStart().startsWith('<'), rows: [] };
      block.rows.push(row);
    } else if (block) {
      yield block;
      block = undefined;
    }
  }
  if (block) yield block;
}

function isClosing(row: string, mark = ''): boolean {
  const text = row.trim();
  return text.startsWith(mark) && text === mark.charAt(0).repeat(text.length);
}

function blockProblem(block: Block, { block: maxLength, parts }: Sizes): string | undefined {
  const { rows, isHtml } = block;
  const text = rows.join('\n');
  // Processors fill up all rows of a table: 20,000,000 cells, of a text of 44 KB, take 3 GB.
  const bars = text.includes('|') ? Math.max(...rows.map((row) => row.split('|').length - 1)) : 0;
  const excess =
    excessOf('characters', text.length + 1, maxLength) ??
    excessOf('cells', rows.length * bars, parts);
  if (!excess) return undefined;
  const format = isHtml ? "; if the articles are HTML, set `format: 'html'`" : '';
  return `${nameOf(block)}, has ${excess}; divide it with blank lines, or divide the article${format}`;
}

/** Returns the characters of a block times its signs. Each cell of a table is a text by itself. */
function productOf({ rows }: Block, { signs, areRowsCounted }: Sizes): number {
  const end = areRowsCounted ? -1 : rows.findIndex(isBelowTableHead);
  const text = rows.slice(0, end === -1 ? rows.length : end).join('\n');
  return text.length * (text.match(signs)?.length ?? 0);
}

/** Returns whether a row may be the one below the head of a table (GFM 0.29, 4.10). */
function isBelowTableHead(row: string): boolean {
  return row.includes('|') && row.includes('-') && /^[-|:> \t]+$/.test(row);
}

/** Names a block by its line and its first words. */
function nameOf({ line, rows: [first = ''] }: Block): string {
  return `the block on line ${count(line)}, which begins with ${quote(first.trim().slice(0, 40))}`;
}

/** Describes a number that is above its limit. */
function excessOf(things: string, number: number, limit: number): string | undefined {
  if (number <= limit) return undefined;
  return `${count(number)} ${things}, and the limit is ${count(limit)}`;
}
