/** Limits of an article's Markdown: far more than articles need. */
const limits = {
  /** The sum of the squared depths of quotes and lists in all lines. */
  nesting: 250_000,
  /** Cells of a table, including those that processors add to short rows. */
  cells: 50_000,
  /** The sum of the effort of all blocks: 200,000,000 take a processor a second or two. */
  effort: 600_000_000,
};

/**
 * Returns why an article's Markdown cannot be rendered; undefined when it can. Processors need time and
 * memory that grow with the square of a paragraph's length, so this is checked before they start.
 */
export function exceededLimit(markdown: string): string | undefined {
  const lines = markdown.split(/\r\n?|\n/);
  const nesting = lines.reduce((sum, line) => sum + levelsOf(line) ** 2, 0);
  if (nesting > limits.nesting) return 'its Markdown has too many nested quotes and lists';
  const endsAtBlankLine = !opensMore.test(markdown);
  let effort = 0;
  for (const block of blocksOf(lines)) {
    if (endsAtBlankLine && htmlStart.test(block[0] ?? '')) continue;
    if (cellsIn(block) > limits.cells) return `it has a table of more than ${limits.cells} cells`;
    effort += effortOf(block);
  }
  return effort > limits.effort
    ? 'it has a paragraph, table or code block that is too long to render; divide it with blank lines'
    : undefined;
}

/** Returns the largest possible depth of the quotes and list items that a line begins. */
function levelsOf(line: string): number {
  const container = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))/y;
  let items = 0;
  while (container.test(line)) items += 1;
  return items === 0 ? 0 : items + (line.length - line.trimStart().length) / 2;
}

// Lines without text, also in quotes. More indented, `>` would be text of a paragraph.
const blank = /^ {0,3}(?:> {0,4})*[ \t]*$/;
// Lines that begin another block, and so end a paragraph.
const startsBlock = /^ {0,3}(?:[-+*][ \t]+\S|1[.)][ \t]+\S|#{1,6}[ \t])/;

// An item of a numbered list, and its delimiter. Another delimiter does not end the text of an item.
const ordered = /^\d{1,9}([.)])[ \t]+\S/;

/** Divides a text at blank lines, headings and list items. Each block is at most one paragraph or table. */
function blocksOf(lines: readonly string[]): string[][] {
  const blocks: string[][] = [[]];
  for (const line of lines) {
    const isBlank = blank.test(line);
    const delimiter = ordered.exec(line)?.[1];
    const isNextItem = delimiter && delimiter === ordered.exec(blocks.at(-1)?.[0] ?? '')?.[1];
    if (isBlank || isNextItem || startsBlock.test(line)) blocks.push([]);
    if (!isBlank) blocks.at(-1)?.push(line);
  }
  return blocks;
}

/** Returns an upper bound of the cells of the table that a block may be. */
function cellsIn(block: readonly string[]): number {
  return block.length * block.reduce((most, line) => Math.max(most, line.split('|').length), 0);
}

// The first line of HTML that ends at a blank line (CommonMark 0.31, 4.6). Without indentation, it is in no list.
const htmlStart =
  /^<\/?(?:table|thead|tbody|tr|td|th|div|section|figure|details|ul|ol|li|dl|p|h[1-6])(?:[ \t]|\/?>|$)/i;
// Lines that may begin what continues after a blank line, and ends before the next.
const opensMore = /^[ \t]*(?:`{3}|~{3}|:{3}|\${2}|<(?:[!?]|script|pre|style|textarea))/im;
// Characters with a meaning in Markdown, and those that typography replaces.
const sign = /[[\]()<>*_!@"'~`&\\=]|\.{3}|--|www\.|:\/\//g;

/** Estimates the work on a block: processors compare its signs with one another, and copy its text for each. */
function effortOf(block: readonly string[]): number {
  const text = block.join('\n');
  const signs = block.length + (text.match(sign)?.length ?? 0);
  return signs * (text.length + 10 * signs);
}
