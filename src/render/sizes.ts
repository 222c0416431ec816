import { htmlLimits } from '../html/parse-html.ts';
import { count, quote } from '../messages.ts';

/** The sizes that an article may have. `data:` URLs of pictures are not counted. */
export interface Sizes {
  characters: number;
  lines: number;
  /** The characters of lines without a blank line between them: the time of processors grows with their square. */
  block: number;
  /** The elements, attributes and comments of its HTML. */
  parts: number;
}

/** Sizes for builds. A block takes up to half a minute with `unified()`, which a notice says. */
export const buildSizes: Sizes = {
  characters: 2 * 2 ** 20,
  lines: 30_000,
  block: 100_000,
  parts: htmlLimits.parts,
};

/** Sizes for live pages, where a reader waits: rendering takes about two seconds at most. */
export const liveSizes: Sizes = {
  characters: 300_000,
  lines: 5_000,
  block: 32_000,
  parts: 100_000,
};

/**
 * The levels of quotes and lists, and of emphasis and brackets. With thousands of levels, Sätteri ends the process, and
 * other processors take minutes. Browsers and the tree of the HTML allow fewer.
 */
const maxLevels = { line: 100, inline: 500 };
/** The characters of all blocks, each as often as it has quotation marks: Sätteri 0.9 stores a block again for each. */
const maxStored = 2 ** 30;

const picture = /data:[\w.+/-]+;base64,[A-Za-z\d+/=]+/g;
const lineEnd = /\r\n?|\n/;

/**
 * Returns which size of an article's Markdown is too large, and what to do; undefined if none is. Processors cannot be
 * stopped, so this is checked before they run.
 */
export function sizeProblem(markdown: string, sizes: Sizes): string | undefined {
  const text = markdown.includes('data:') ? markdown.replace(picture, '') : markdown;
  const lines = text.split(lineEnd);
  if (text.length > sizes.characters)
    return `it has ${tooMany('characters', text.length, sizes.characters)}; divide the article`;
  if (lines.length > sizes.lines)
    return `it has ${tooMany('lines', lines.length, sizes.lines)}; divide the article`;
  let stored = 0;
  for (const block of blocksOf(lines)) {
    const text = block.rows.join('\n');
    const problem = blockProblem(block, text, sizes);
    if (problem) return problem;
    stored += text.length * (text.match(/["']/g)?.length ?? 0);
    if (stored > maxStored)
      return `its long blocks, such as ${nameOf(block)}, have too many quotation marks; divide them with blank lines`;
  }
  return undefined;
}

/** Lines without a blank line between them. */
interface Block {
  /** The number of its first line. */
  line: number;
  rows: string[];
}

/** Matches an empty line, also in quotes. With more levels, it belongs to a block, whose levels are counted. */
const blank = /^(?: {0,3}>){0,20}[ \t]*$/;
/** The start of fenced code that is in no quote or list (CommonMark 0.31, 4.5). */
const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/** Yields the blocks of an article. Fenced code is in none, unless its fence may be a line of HTML. */
function* blocksOf(lines: readonly string[]): Generator<Block> {
  let block: Block | undefined;
  /** The marks that close the code. */
  let mark: string | undefined;
  for (const [index, row] of lines.entries()) {
    const isHtml = block?.rows[0]?.trimStart().startsWith('<');
    const isCode = mark !== undefined;
    if (isCode) mark = isClosing(row, mark) ? undefined : mark;
    else if (!isHtml) mark = fence.exec(row)?.[1];
    if (!isCode && mark === undefined && !blank.test(row)) {
      block ??= { line: index + 1, rows: [] };
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

function blockProblem(
  block: Block,
  text: string,
  { block: maxLength, parts }: Sizes,
): string | undefined {
  const { rows } = block;
  if (text.length >= maxLength)
    return blockReason(block, tooMany('characters', text.length + 1, maxLength));
  // Processors fill up all rows of a table.
  const bars = text.includes('|') ? Math.max(...rows.map((row) => row.split('|').length - 1)) : 0;
  const cells = rows.length * bars;
  if (cells > parts) return blockReason(block, tooMany('cells', cells, parts));
  if (rows.some((row) => lineLevelsOf(row) > maxLevels.line))
    return `its quotes and lists are nested more than ${maxLevels.line} levels deep in ${nameOf(block)}; remove levels`;
  // Most texts have fewer marks than that.
  const inlineMarks = text.match(/[*_~[\]]/g)?.length ?? 0;
  if (inlineMarks > maxLevels.inline && inlineLevelsOf(text) > maxLevels.inline)
    return `its emphasis or brackets are nested more than ${maxLevels.inline} levels deep in ${nameOf(block)}; remove levels`;
  return undefined;
}

/** The markers of quotes, list items and footnotes with which a line begins. */
const markers = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)|\[\^[^\]\s]{1,99}\]:))+/;

/** Returns an upper bound of how deeply the quote or list item that a line begins is nested. */
function lineLevelsOf(row: string): number {
  const [start] = markers.exec(row) ?? [];
  if (start === undefined) return 0;
  // Indentation nests an item, too: at least two characters for a level.
  const indent = row.length - row.trimStart().length;
  return indent / 2 + start.trim().replace(/[^-+*>.):]/g, '').length;
}

/** Returns an upper bound of how deeply the emphasis and brackets of a block are nested (CommonMark 0.31, 6.2). */
function inlineLevelsOf(text: string): number {
  let open = 0;
  let most = 0;
  for (const { 0: run, index } of text.matchAll(/[*_~]+|\[+|\]+/g)) {
    const isBracket = run.startsWith('[') || run.startsWith(']');
    const before = isBracket ? Number(run.startsWith(']')) : kindOf(text[index - 1]);
    const after = isBracket ? Number(run.startsWith('[')) : kindOf(text[index + run.length]);
    if (before > after) open = Math.max(0, open - run.length);
    else most = Math.max(most, open + run.length);
    if (before < after) open += run.length;
  }
  return most;
}

/** Distinguishes nothing or a blank, punctuation, and letters, as the rules of emphasis do. */
function kindOf(character = ' '): number {
  if (/\s/.test(character)) return 0;
  return /[\p{P}\p{S}]/u.test(character) ? 1 : 2;
}

function blockReason(block: Block, excess: string): string {
  const isHtml = block.rows[0]?.trimStart().startsWith('<');
  const format = isHtml ? "; if the articles are HTML, set `format: 'html'`" : '';
  return `${nameOf(block)}, has ${excess}; divide it with blank lines, or divide the article${format}`;
}

/** Names a block by its line and its first words. */
function nameOf({ line, rows: [first = ''] }: Block): string {
  return `the block on line ${count(line)}, which begins with ${quote(first.trim().slice(0, 40))}`;
}

function tooMany(things: string, number: number, limit: number): string {
  return `${count(number)} ${things}, and the limit is ${count(limit)}`;
}
