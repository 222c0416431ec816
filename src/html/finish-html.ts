import { addDropped, type DroppedParts } from './dropped.ts';
import { changeEditorHtml } from './editors/change-editor-html.ts';
import {
  type Fragment,
  maxRenderedParts,
  type ParsedHtml,
  parseHtml,
  toHtml,
} from './parse-html.ts';
import { type HtmlWalkOptions, walkHtml } from './walk-html.ts';

interface FinishedHtml extends ReturnType<typeof walkHtml> {
  tree: Fragment;
}

/** Applies a policy to the tree of a text, at most as often as this. */
const maxRounds = 4;

/**
 * Applies a policy to the tree of a text. A tree that the parser or the policy has changed may be one that no text has, such
 * as a list item in a list item: written, it would close elements of the page around it. It is written and read again,
 * until a browser reads what is written.
 *
 * @returns the tree, and what `walkHtml()` returns; what was dropped is that of all rounds
 * @throws when the tree is nested too deeply, has too many parts, or changes each time that it is read
 */
export function finishHtml(parsed: ParsedHtml, options: HtmlWalkOptions): FinishedHtml {
  if (options.policy) changeEditorHtml(parsed, options.policy);
  const first = walkHtml(parsed.tree, options);
  const isSettled = !options.policy || !(parsed.isMoved || first.isChanged);
  if (isSettled) return { tree: parsed.tree, ...first };
  let html = toHtml(parsed.tree);
  const dropped: DroppedParts = new Map();
  for (const part of first.dropped) addDropped(dropped, part);
  for (let round = 2; round <= maxRounds; round += 1) {
    const tree = parseHtml(html, maxRenderedParts);
    const walked = walkHtml(tree, options);
    for (const part of walked.dropped) addDropped(dropped, part);
    const written = toHtml(tree);
    if (written === html) return { tree, ...walked, dropped: [...dropped.values()] };
    html = written;
  }
  throw new Error(
    'its HTML has elements in one another that each reading changes; close each element before the next of its kind',
  );
}
