import type { Parent, ParsedHtml } from '../parse-html.ts';
import { removeBlankParagraphs } from './blank-paragraphs.ts';
import { removeControls } from './controls.ts';
import { showLazyMedia } from './lazy-media.ts';
import { turnNamesIntoIds } from './link-names.ts';
import { linkEmbeds } from './oembed.ts';
import { moveRatiosToFrames } from './ratio-box.ts';

interface Habit {
  /** Matches each text that may have it, so that few articles are searched for it. */
  sign: RegExp;
  /** Whether authors of Markdown do not have it: they mean what they write. */
  isHtmlOnly?: boolean;
  change: (tree: Parent) => void;
}

const habits: readonly Habit[] = [
  { sign: /<noscript|data-(?:lazy|src|original)|spacer/i, change: showLazyMedia },
  { sign: /<iframe/i, change: moveRatiosToFrames },
  { sign: /<oembed/i, change: linkEmbeds },
  { sign: /kg-|lightbox-trigger/, change: removeControls },
  { sign: /name=/i, change: turnNamesIntoIds },
  { sign: /<br|&nbsp;|&#160;|&#xa0;|\xa0/i, isHtmlOnly: true, change: removeBlankParagraphs },
];

/**
 * Changes what editors and their plugins write for the scripts and styles of their own pages into HTML that shows the same
 * without them. Changes the tree.
 *
 * @param isHtml whether the text was HTML before it was rendered
 */
export function changeEditorHtml(parsed: ParsedHtml, isHtml: boolean): void {
  for (const { sign, isHtmlOnly, change } of habits) {
    if ((isHtmlOnly && !isHtml) || !sign.test(parsed.text)) continue;
    change(parsed.tree);
    parsed.isChanged = true;
  }
}
