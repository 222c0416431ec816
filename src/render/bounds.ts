import { quote } from '../messages.ts';
import { type Text, textsOf } from './texts.ts';

/** What one article may cost. */
export interface Bounds {
  /** The name of the Markdown processor in Astro's settings. @default an unknown one */
  processor?: string | undefined;
  /** The largest cost of the Markdown, in characters squared. */
  cost: number;
  /** The most elements, attributes and comments of the HTML. */
  parts: number;
}

/** For builds: about seven seconds. */
export const buildBounds: Bounds = { cost: 1e9, parts: 250_000 };
/** For live pages, so that no article keeps a server busy for more than about two seconds. */
export const liveBounds: Bounds = { cost: 3e8, parts: 100_000 };

const maxLength = 2 * 1024 * 1024;
/** Highlighters take a time for each line of code. */
const maxLines = 30_000;
/** Levels of quotes and lists, and of emphasis and elements: about 1,000 levels overflow the stack of `unified()`. */
const maxLevels = { block: 60, inline: 500 };
/** The length that is added to each text, because short texts have a cost, too. */
const baseLength = 50;
const cellCost = 10_000;
/** The cost of a quote, list item or underlined heading for each line: processors move what is behind it. */
const blockCost = 30;
/** For Sätteri. Its time grows with the square of the punctuation of a text: 10,000 signs take about two seconds. */
const satteriLimits = { signs: 10_000, cells: 1_000_000 };

/**
 * Returns why an article's Markdown is not rendered, and what to do; undefined if it can be rendered. The time that
 * processors in JavaScript take grows with the square of a text's length, so it is limited before they run.
 */
export function exceededLimit(markdown: string, bounds: Bounds): string | undefined {
  const lines = markdown.split(/\r\n?|\n/);
  if (markdown.length > maxLength) return tooMany('characters', markdown.length, maxLength);
  if (lines.length > maxLines) return tooMany('lines', lines.length, maxLines);
  const texts = textsOf(lines);
  return nestingProblem(texts) ?? costProblem(texts, lines.length, bounds);
}

const divide = 'divide it with blank lines, or divide the article';

function costProblem(texts: Text[], lines: number, bounds: Bounds): string | undefined {
  const cells = sum(texts, cellsOf);
  const table = largest(texts, cellsOf);
  const tables = `tables of ${count(cells)} cells, such as ${nameOf(table)}; divide the tables`;
  if (bounds.processor === 'satteri') {
    if (cells > satteriLimits.cells) return `it has ${tables}`;
    const signs = Math.sqrt(sum(texts, (each) => squareOf(each, signsOf)));
    const most = largest(texts, (each) => squareOf(each, signsOf));
    if (signs <= satteriLimits.signs) return undefined;
    const limit = `the limit for one text is ${count(satteriLimits.signs)}`;
    return `there is too much punctuation in ${nameOf(most)} (${limit}); ${divide}`;
  }
  const text = largest(texts, lengthOf);
  const most = count(Math.sqrt(bounds.cost) - baseLength);
  const blocks = blocksOf(texts);
  const definition = largest(texts, definitionOf);
  const brackets = sum(texts, ({ rows }) => sum(rows, (row) => row.split('[').length - 1));
  const costs: [cost: number, reason: string][] = [
    [
      sum(texts, (each) => squareOf(each, sizeOf, baseLength)),
      `${nameOf(text)}, which has ${count(lengthOf(text))} characters (a single text may have ${most}); ${divide}`,
    ],
    [cells * cellCost, tables],
    [
      blocks * lines * blockCost,
      `${count(blocks)} quotes, lists and underlined headings in ${count(lines)} lines; divide the article`,
    ],
    [
      definitionOf(definition) * brackets,
      `the link definition in ${nameOf(definition)}, which may be copied ${count(brackets)} times; shorten it`,
    ],
  ];
  const excess = sum(costs, ([cost]) => cost) / bounds.cost;
  if (excess <= 1) return undefined;
  const [[, reason] = []] = costs.toSorted(([one], [other]) => other - one);
  return `rendering it may take ${excess.toFixed(1)} times as long as the limit allows, mostly for ${reason}`;
}

/** The part of a line before the text of a quote, list item or footnote, and the line of an underlined heading. */
const marker = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)]|=+|-+)(?=[ \t]|$)|\[\^[^\]\s]{1,999}\]:)/y;

function markersOf(row: string): string[] {
  const markers: string[] = [];
  marker.lastIndex = 0;
  for (let match = marker.exec(row); match; match = marker.exec(row)) markers.push(match[0]);
  return markers;
}

/** Counts quotes, list items and underlined headings. An item or line behind a similar one costs a tenth. */
function blocksOf(texts: readonly Text[]): number {
  let blocks = 0;
  let last: string | undefined;
  let lastLine = 0;
  for (const { line, rows } of texts) {
    for (const [index, row] of rows.entries()) {
      const markers = markersOf(row);
      const [first = '', ...others] = markers;
      const kind = first.replace(/\d+/, '1');
      const isNext =
        kind === last &&
        others.length === 0 &&
        (line + index === lastLine + 1 || !kind.includes('>'));
      blocks += isNext ? 0.1 : markers.length;
      lastLine = line + index;
      if (markers.length > 0) last = kind;
      else if (index === 0 && /^\S/.test(row)) last = undefined;
    }
  }
  return blocks;
}

function nestingProblem(texts: readonly Text[]): string | undefined {
  let elements = 0;
  for (const text of texts) {
    // An item is nested by its indentation, too: at least two characters for a level.
    const block = Math.max(
      ...text.rows.map((row) => {
        const markers = markersOf(row).length;
        return markers && markers + (row.length - row.trimStart().length) / 2;
      }),
    );
    const source = text.rows.join('\n');
    const inline = levelsOf(source);
    // Elements that HTML closes by itself are left out.
    for (const [tag] of source.matchAll(
      /<\/|<(?!(?:br|hr|img|p|li|d[dt])\b|[^\s<>]*(?::\/\/|@))[a-z]/gi,
    )) {
      elements = Math.max(0, elements + (tag === '</' ? -1 : 1));
      if (elements > maxLevels.inline) return tooDeep(text, 'elements', maxLevels.inline);
    }
    if (block > maxLevels.block) return tooDeep(text, 'quotes and lists', maxLevels.block);
    if (inline > maxLevels.inline) return tooDeep(text, 'emphasis', maxLevels.inline);
  }
  return undefined;
}

/** Returns an upper bound of how deeply the emphasis of a text is nested (CommonMark 0.31, 6.2). */
function levelsOf(text: string): number {
  // Nothing or a blank, punctuation, or a letter.
  const kindOf = (character = ' ') =>
    /\s/.test(character) ? 0 : /[\p{P}\p{S}]/u.test(character) ? 1 : 2;
  let open = 0;
  let most = 0;
  for (const { 0: run, index } of text.matchAll(/[*_~]+/g)) {
    const before = kindOf(text[index - 1]);
    const after = kindOf(text[index + run.length]);
    if (before > after) open = Math.max(0, open - run.length);
    else most = Math.max(most, open + run.length);
    if (before < after) open += run.length;
  }
  return most;
}

/** The characters of the longest part of a text that is read as one. */
function lengthOf({ rows, tableRows }: Text): number {
  const others = sum(rows.slice(tableRows), sizeOf);
  return Math.max(others, ...rows.slice(0, tableRows).map(sizeOf));
}

/** The square of a measure of a text, or the sum of those of the rows of a table. */
function squareOf({ rows, tableRows }: Text, measure: (row: string) => number, base = 0): number {
  const others = sum(rows.slice(tableRows), measure);
  const parts = [others, ...rows.slice(0, tableRows).map(measure)];
  return sum(parts, (part) => (part + base) ** 2);
}

function signsOf(row: string): number {
  return row.match(/[!-*,.:-@[-`{-~-]/g)?.length ?? 0;
}

/** The cells of a table, whose rows a processor completes to the longest one. */
function cellsOf({ rows }: Text): number {
  return rows.length * (Math.max(...rows.map((row) => row.split('|').length)) - 1);
}

/** The characters that each use of a link definition may insert. */
function definitionOf(text: Text): number {
  return text.rows.some((row) => row.includes(']:')) ? text.size : 0;
}

function sizeOf(row: string): number {
  return row.length + 1;
}

function sum<T>(list: readonly T[], measure: (item: T) => number): number {
  return list.reduce((total, item) => total + measure(item), 0);
}

function largest(texts: readonly Text[], measure: (text: Text) => number): Text {
  const none: Text = { line: 1, size: 0, rows: [], tableRows: 0 };
  return texts.reduce((most, text) => (measure(text) > measure(most) ? text : most), none);
}

/** Names a text by its line and its first words. */
function nameOf({ line, rows: [first = ''] }: Text): string {
  return `the text on line ${count(line)}, which begins with ${quote(first.trim().slice(0, 40))}`;
}

function tooMany(things: string, number: number, limit: number): string {
  return `it has ${count(number)} ${things}, and the limit is ${count(limit)}; divide the article`;
}

function tooDeep(text: Text, things: string, limit: number): string {
  return `its ${things} are nested more than ${limit} levels deep at ${nameOf(text)}; remove levels`;
}

function count(number: number): string {
  return Math.floor(number).toLocaleString('en');
}
