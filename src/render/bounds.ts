import { htmlLimits } from '../html/parse-html.ts';
import { count } from '../messages.ts';
import { containersOf } from './containers.ts';
import { nestingProblem } from './nesting.ts';
import { nameOf, type Text, textsOf } from './texts.ts';

/**
 * The most that an article may have of what rendering time grows with. Each limit is for an article that has nothing of the
 * others, because the shares of all limits are added.
 */
interface Limits {
  /** The signs of punctuation and the lines of a single text, which processors compare with each other. */
  signs: number;
  /** The characters of all texts, with `charactersPer` for each sign and each text. */
  size: number;
  /** The tokens that processors move where quotes and lists end. */
  moves: number;
  /** The cells of all tables. */
  cells: number;
  /** The characters that the uses of a link definition insert. */
  copies: number;
  /** The words that contain punctuation, times all characters: `unified()` moves all words behind each of them. */
  joints: number;
}

/** The limits of one article. */
export interface Bounds extends Limits {
  /** The name of the Markdown processor in Astro's settings. @default an unknown one */
  processor?: string | undefined;
  /** The most elements, attributes and comments of the HTML. */
  parts: number;
}

const unlimited = Number.POSITIVE_INFINITY;
/** For builds: about seven seconds with `unified()`. */
export const buildBounds: Bounds = {
  signs: 10_000,
  size: 3_600_000,
  moves: 4.5e8,
  cells: 100_000,
  copies: 1e9,
  joints: 1e10,
  parts: htmlLimits.parts,
};
/** For live pages, so that no article keeps a server busy for more than about two seconds. */
export const liveBounds: Bounds = {
  signs: 7000,
  size: 1_800_000,
  moves: 1.3e8,
  cells: 30_000,
  copies: 3e8,
  joints: unlimited,
  parts: 100_000,
};
/** For live pages with a processor of the site: `unified()` takes twice as long for each character. */
export const liveSiteBounds: Bounds = { ...liveBounds, size: 900_000, joints: 3e9 };
/** For Sätteri, also on live pages. */
const satteriLimits: Limits = {
  signs: 10_000,
  size: unlimited,
  moves: unlimited,
  cells: 1_000_000,
  copies: unlimited,
  joints: unlimited,
};

const maxLength = 2 * 1024 * 1024;
/** Highlighters need time for each line of code, however short it is. */
const maxLines = 30_000;
/** How many characters take as long as a sign, and as a text. */
const charactersPer = { sign: 15, text: 50 };

/**
 * Returns why an article's Markdown is not rendered, and what to do; undefined if it can be rendered. Processors cannot
 * be stopped, so the longest time that they may take is estimated before they run.
 */
export function exceededLimit(markdown: string, bounds: Bounds): string | undefined {
  const lines = markdown.split(/\r\n?|\n/);
  if (markdown.length > maxLength) return tooMany('characters', markdown.length, maxLength);
  if (lines.length > maxLines) return tooMany('lines', lines.length, maxLines);
  const texts = textsOf(lines);
  const limits = bounds.processor === 'satteri' ? satteriLimits : bounds;
  return nestingProblem(texts) ?? costProblem(texts, lines, limits);
}

function costProblem(texts: Text[], lines: string[], limits: Limits): string | undefined {
  const costs = costsOf(texts, lines, limits);
  const excess = sum(costs, ([share]) => share);
  if (excess <= 1) return undefined;
  const [[, reason] = []] = costs.toSorted(([one], [other]) => other - one);
  return `rendering it may take ${excess.toFixed(1)} times as long as the limit allows, mostly for ${reason?.()}`;
}

/** Returns the share of each limit that an article needs, and what to say if it is the largest one. */
function costsOf(
  texts: Text[],
  lines: string[],
  limits: Limits,
): [share: number, reason: () => string][] {
  const article = texts.map(({ rows }) => rows.join('\n')).join('\n\n');
  const length = article.length;
  const costs = new Map(texts.map((text) => [text, signCost(text)]));
  const squareOf = (text: Text) => costs.get(text)?.square ?? 0;
  const signs = sum(texts, (text) => costs.get(text)?.signs ?? 0);
  const size = length + charactersPer.sign * signs + charactersPer.text * texts.length;
  // What has no limit is not counted, because this runs for each article.
  const { ends, tokens } =
    limits.moves === unlimited ? { ends: 0, tokens: 0 } : containersOf(texts, lines);
  const joints = limits.joints === unlimited ? { count: 0, length } : jointsOf(article);
  const cells = sum(texts, cellsOf);
  const definition = largest(texts, definitionOf);
  const brackets = article.split('[').length - 1;
  return [
    [
      sum(texts, squareOf) / limits.signs ** 2,
      () => {
        const text = largest(texts, squareOf);
        return (
          `${nameOf(text)}, and has ${count(Math.sqrt(squareOf(text)))} lines and signs of punctuation (a single text may ` +
          `have ${count(limits.signs)}); divide it with blank lines, or divide the article`
        );
      },
    ],
    [
      size / limits.size,
      () =>
        `${count(length)} characters with ${count(signs)} signs of punctuation in ${count(texts.length)} texts; divide the article`,
    ],
    [
      (ends * tokens) / limits.moves,
      () =>
        `quotes, lists and underlined headings: ${count(ends)} of them end, in ${count(lines.length)} lines; divide the article`,
    ],
    [
      cells / limits.cells,
      () =>
        `tables of ${count(cells)} cells, such as ${nameOf(largest(texts, cellsOf))}; divide the tables`,
    ],
    [
      (definitionOf(definition) * brackets) / limits.copies,
      () =>
        `the link definition in ${nameOf(definition)}, which may be copied ${count(brackets)} times; shorten it`,
    ],
    [
      (joints.count * joints.length) / limits.joints,
      () =>
        `${count(joints.count)} words that contain punctuation, in ${count(joints.length)} characters; divide the article`,
    ],
  ];
}

/** A link without code, or with whole code in it: what is in its parentheses is not text. */
const linkUrl = /(\[(?!\^)(?:[^[\]`\\\n]|`[^`\n]*`){0,999}\])\([^()<>\s\p{Cc}]{0,2000}\)/gu;

/** Counts the words that contain punctuation, with the ends of sentences, and the characters of an article without URLs. */
function jointsOf(article: string): { count: number; length: number } {
  const text = article.replace(linkUrl, '$1');
  const found = text.match(
    /[\p{L}\p{N}][-&'.:=?@_\u00ad\u00b7\u2010\u2011\u2019\u2027]+(?=[\p{L}\p{N}])|[.?!…‽]/gu,
  );
  return { count: found?.length ?? 0, length: text.length };
}

/**
 * Returns the number of signs in a text, and the square of the number of its signs and lines. Each row of a table is squared
 * by itself.
 */
function signCost({ rows, tableRows }: Text): { signs: number; square: number } {
  const counts = rows.map((row) => row.match(sign)?.length ?? 0);
  const costs = counts.map((signs) => signs + 1);
  const tables = sum(costs.slice(0, tableRows), (cost) => cost ** 2);
  const rest = sum(costs.slice(tableRows), (cost) => cost);
  return { signs: sum(counts, (signs) => signs), square: tables + rest ** 2 };
}

/** The punctuation that Markdown gives a meaning. */
const sign = /[!-*,.:-@[-`{-~-]/g;

/** Returns the number of cells of a table, whose rows processors fill up to the longest one. */
function cellsOf({ rows }: Text): number {
  return rows.length * (Math.max(...rows.map((row) => row.split('|').length)) - 1);
}

/** Returns the characters that each use of a link definition may insert: all of a text that has one. */
function definitionOf(text: Text): number {
  return text.rows.some((row) => row.includes(']:')) ? text.size : 0;
}

function sum<T>(list: readonly T[], measure: (item: T) => number): number {
  return list.reduce((total, item) => total + measure(item), 0);
}

function largest(texts: readonly Text[], measure: (text: Text) => number): Text {
  const first: Text = { line: 1, size: 0, rows: [], tableRows: 0 };
  return texts.reduce((most, text) => (measure(text) > measure(most) ? text : most), first);
}

function tooMany(things: string, number: number, limit: number): string {
  return `it has ${count(number)} ${things}, and the limit is ${count(limit)}; divide the article`;
}
