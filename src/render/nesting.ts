import { markersOf } from './containers.ts';
import { nameOf, type Text } from './texts.ts';

/** Levels of quotes and lists, and of emphasis and elements: about 1,000 levels overflow the stack of `unified()`. */
const maxLevels = { block: 60, inline: 500 };

/** Returns why processors or browsers could not follow how deeply an article is nested, and where; undefined if they can. */
export function nestingProblem(texts: readonly Text[]): string | undefined {
  let elements = 0;
  for (const text of texts) {
    const block = Math.max(...text.rows.map(blockLevelsOf));
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

/** Returns an upper bound of how deeply the quote or list item that a line begins is nested. */
function blockLevelsOf(row: string): number {
  const markers = markersOf(row).length;
  // Indentation nests an item, too: at least two characters for a level.
  return markers && markers + (row.length - row.trimStart().length) / 2;
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

function tooDeep(text: Text, things: string, limit: number): string {
  return `its ${things} are nested more than ${limit} levels deep at ${nameOf(text)}; remove levels`;
}
