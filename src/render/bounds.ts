/** Limits of an article's Markdown: far more than articles need. Each product takes a processor 1 to 4 seconds. */
const limits = {
  /** The sum of the squared depths of quotes and lists in all lines. */
  nesting: 250_000,
  /** Quotes and list items times lines: processors copy what they have parsed at the end of each. */
  endings: 30_000_000,
  /** Cells of a table, including those that processors add to short rows. */
  cells: 50_000,
  /** Characters of link definitions, each counted once for each of its uses. */
  definitions: 10_000_000,
  /** Footnotes and references to them. */
  footnotes: 4_000,
  headings: 20_000,
  /** Lines that begin or end a block of code. */
  fences: 10_000,
  /** For each paragraph or table, its signs times its characters and signs. */
  signs: 4_000_000_000,
};

/**
 * Returns why an article's Markdown cannot be rendered; undefined when it can. Processors need time and memory
 * that grow with the square of some counts, so these are limited before a processor runs, in linear time.
 */
export function exceededLimit(markdown: string): string | undefined {
  const lines = markdown.split(/\r\n?|\n/);
  const { nesting, containers } = containersOf(lines);
  if (nesting > limits.nesting) return 'its Markdown has too many nested quotes and lists';
  if (containers * lines.length > limits.endings) {
    return `it has ${containers} quotes and list items in ${lines.length} lines; divide the article`;
  }
  const footnotes = markdown.split('[^').length - 1;
  if (footnotes > limits.footnotes) {
    return `it has ${footnotes} footnotes and references to them, more than ${limits.footnotes}`;
  }
  const headings = lines.filter((line) => heading.test(line)).length;
  if (headings > limits.headings) return `it has more than ${limits.headings} headings`;
  const fences = lines.filter(
    (line, at) => fence.test(line) || isIndentedCode(line, lines[at - 1]),
  );
  if (fences.length > limits.fences) return `it has more than ${limits.fences / 2} blocks of code`;
  const blocks = blocksOf(lines);
  if (definedTextOf(markdown, blocks) > limits.definitions) {
    return `its link definitions, repeated for each use, have more than ${limits.definitions} characters`;
  }
  const endsAtBlankLine = !opensMore.test(markdown);
  let signs = 0;
  for (const block of blocks) {
    if (endsAtBlankLine && htmlStart.test(block[0] ?? '')) continue;
    if (cellsIn(block) > limits.cells) return `it has a table of more than ${limits.cells} cells`;
    signs += signsTimesLength(block);
  }
  return signs > limits.signs
    ? 'it has a paragraph, table or code block that is too long to render; divide it with blank lines'
    : undefined;
}

const heading = /^[ \t>]*(?:#{1,6}(?:[ \t]|$)|=+[ \t]*$)/;
const fence = /^[ \t>]*(?:`{3}|~{3})/;

/** Whether a line may begin a block of code by its indentation. */
function isIndentedCode(line: string, before = ''): boolean {
  return /^(?: {4}|\t)/.test(line) && before.trim() === '';
}

/** Counts the quotes and list items, and sums up the squares of the largest depths that lines may have. */
function containersOf(lines: readonly string[]): { nesting: number; containers: number } {
  let nesting = 0;
  let containers = 0;
  let quotesBefore = 0;
  for (const line of lines) {
    const marker = /[ \t]*(?:(>)|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))/y;
    let quotes = 0;
    let items = 0;
    for (let match = marker.exec(line); match; match = marker.exec(line)) {
      if (match[1]) quotes += 1;
      else items += 1;
    }
    // Without a new list item, a quote continues in the next line that begins with its marker.
    containers += items + Math.max(0, quotes - (items > 0 ? 0 : quotesBefore));
    quotesBefore = quotes;
    const indent = line.length - line.trimStart().length;
    if (items + quotes > 0) nesting += (items + quotes + indent / 2) ** 2;
  }
  return { nesting, containers };
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

const label = /\[((?:[^[\]\\]|\\.){1,999})\]/gs;
const definition = /^[^[\n]{0,999}\[((?:[^[\]\\]|\\.){1,999})\]:(.*)$/s;
/** A URL and a title that end on the line of their label. */
const ending = /^[ \t]*(?:<[^<>]*>|[^\s<]\S*)(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/;

/** Returns the number of characters that all uses of link definitions insert. */
function definedTextOf(markdown: string, blocks: readonly string[][]): number {
  const lengths = new Map<string, number>();
  for (const block of blocks) {
    if (!block.some((line) => line.includes(']:'))) continue;
    const definitions = block.map((line) => definition.exec(line));
    const areWhole = definitions.every((match) => match && ending.test(match[2] ?? ''));
    const text = block.reduce((sum, line) => sum + line.length, 0);
    for (const match of definitions) {
      const [line, name] = match ?? [];
      if (!line || !name) continue;
      // What continues on another line may be a title of any length.
      const length = areWhole ? line.length : text;
      lengths.set(normal(name), Math.max(length, lengths.get(normal(name)) ?? 0));
    }
  }
  if (lengths.size === 0) return 0;
  let sum = 0;
  for (const [, name = ''] of markdown.matchAll(label)) sum += lengths.get(normal(name)) ?? 0;
  return sum;
}

/** Writes a label as it is compared (CommonMark 0.31, 4.7). */
function normal(name: string): string {
  return name.replace(/\s+/g, ' ').trim().toLowerCase().toUpperCase();
}

/** Returns an upper bound of the cells of the table that a block may be. */
function cellsIn(block: readonly string[]): number {
  return block.length * block.reduce((most, line) => Math.max(most, line.split('|').length), 0);
}

// The first line of HTML that ends at a blank line (CommonMark 0.31, 4.6). Without indentation, it is in no list.
const htmlStart =
  /^<\/?(?:table|thead|tbody|tr|td|th|div|section|figure|details|ul|ol|li|dl|p|h[1-6])(?:[ \t]|\/?>|$)/i;
// Lines that may begin a block that does not end at a blank line, such as a fence or a `<script>`.
const opensMore = /^[ \t]*(?:`{3}|~{3}|:{3}|\${2}|<(?:[!?]|script|pre|style|textarea))/im;
// Characters with a meaning in Markdown, and those that typography replaces.
const sign = /[[\]()<>*_!@"'~`&\\=]|\.{3}|--|www\.|:\/\//g;

/** Processors compare the signs of a block with one another, and copy its text for each. */
function signsTimesLength(block: readonly string[]): number {
  const text = block.join('\n');
  const signs = block.length + (text.match(sign)?.length ?? 0);
  return signs * (text.length + 10 * signs);
}
