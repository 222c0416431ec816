import type { DroppedHtml } from '../shared/dropped-html.ts';
import type { SanitizeRules } from './attributes.ts';
import {
  type Fragment,
  maxRenderedParts,
  type ParsedHtml,
  parseHtml,
  toHtml,
} from './parse-html.ts';
import type { ProcessorParts } from './processor-parts.ts';
import { type WalkedHtml, walkHtml } from './walk-html.ts';

interface FinishOptions extends Pick<SanitizeRules, 'policy' | 'base'> {
  parts?: ProcessorParts | undefined;
  /** The ids that the list of headings refers to. */
  slugs?: readonly string[];
}

interface FinishedHtml extends WalkedHtml {
  tree: Fragment;
  /** The elements and attributes that were dropped, or a part of them. */
  dropped: DroppedHtml[];
}

/** The maximum number of times that a policy is applied to the tree of a text. */
const maxRounds = 4;

/**
 * Applies a policy to the tree of a text. After a change by the parser, a habit of an editor or the policy, the tree may be
 * a tree that no text has, such as a list item in a list item: written, it would close elements of the page around it. It is
 * written and read again, until a browser reads what is written.
 *
 * @returns the tree, and what `walkHtml()` returns; `dropped` has the parts that all rounds have dropped
 * @throws when the tree is nested too deeply, has too many parts, or changes each time that it is read
 */
export function finishHtml(
  parsed: ParsedHtml,
  { policy, base, parts = new Set(), slugs = [] }: FinishOptions,
): FinishedHtml {
  const rules: SanitizeRules = { policy, base, parts, dropped: new Map() };
  let { tree } = parsed;
  let walked = walkHtml(tree, rules, slugs);
  let isSettled = !policy || !(parsed.isChanged || walked.isChanged);
  for (let round = 2; !isSettled; round += 1) {
    if (round > maxRounds) throw new Error(unsettled);
    const html = toHtml(tree);
    tree = parseHtml(html, maxRenderedParts);
    walked = walkHtml(tree, rules, slugs);
    isSettled = toHtml(tree) === html;
  }
  return { tree, ...walked, dropped: [...rules.dropped.values()] };
}

const unsettled =
  'its HTML has elements in one another that each reading changes; close each element before the next of its kind';
